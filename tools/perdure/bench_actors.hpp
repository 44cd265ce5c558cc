// tools/perdure/bench_actors.hpp - the actors that `perdure bench` measures; each one checks what
// it receives.
// Why: a figure counts only if the answers behind it are right, so the checks are inside the timed
// handlers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <perdure/actor.hpp>

#include "halves.hpp"
#include "mix.hpp"

namespace bench {

// --- 38 bytes of payload, 64 on the wire: 16-bit halves, since wider members would pad it to 40

inline constexpr unsigned full_halves = 19, slip_halves = 11;

// --- inject: a host sends, the device counts, sums and checks the order

struct note {
  std::array<std::uint16_t, full_halves> halves;
};
static_assert(sizeof(note) == 38);

constexpr std::uint64_t sum_of(const note& n) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < full_halves; ++i)
    sum += static_cast<std::uint64_t>(n.halves[i]) * (2 * i + 1);
  return sum;
}
struct counter : perdure::actor<counter> {
  std::uint64_t sum = 0;
  std::uint32_t handled = 0;
  std::uint32_t errors = 0;  ///< notes that came out of the order sent
  void on(const note& n, perdure::context&) {
    if (word_at(n.halves, 0) != handled) ++errors;
    ++handled;
    sum += sum_of(n);
  }
};

// --- route: tokens walk at random between reds and blues
// Every actor has four out-edges, each a permutation of the other type's actors, so it has four
// in-edges too: each pair of actors can keep the sender's number, and the host can balance every
// pair's account.

inline constexpr unsigned edges = 4;
inline constexpr std::uint16_t from_host = edges;

/// A prime for each edge.
constexpr std::uint64_t factor_of(unsigned edge) {
  return edge == 0 ? 7919U : edge == 1 ? 6101U : edge == 2 ? 4463U : 2801U;
}
/// The actor of the other type that `index` reaches over `edge`; a permutation while `count` has
/// none of these primes as a factor.
constexpr std::uint32_t neighbour(unsigned edge, std::uint32_t index, std::uint32_t count) {
  return static_cast<std::uint32_t>((index * factor_of(edge) + edge) % count);
}

struct token {
  std::uint32_t walk;    ///< state of the token's own random numbers
  std::uint32_t left;    ///< hops to go
  std::uint32_t number;  ///< of this message among all from this sender over this edge
  std::uint64_t stamp;   ///< the sender's hybrid logical time
  std::uint16_t edge;    ///< over which it came, or from_host
};
template <class Halves>
constexpr token unpack(const Halves& h) {
  return {word_at(h, 0), word_at(h, 2), word_at(h, 4),
          word_at(h, 6) | static_cast<std::uint64_t>(word_at(h, 8)) << 32U, h[10]};
}
template <class Halves>
constexpr void pack(Halves& h, const token& t) {
  put_word(h, 0, t.walk);
  put_word(h, 2, t.left);
  put_word(h, 4, t.number);
  put_word(h, 6, static_cast<std::uint32_t>(t.stamp));
  put_word(h, 8, static_cast<std::uint32_t>(t.stamp >> 32U));
  h[10] = t.edge;
}

struct parcel {
  std::array<std::uint16_t, full_halves> halves;
};
struct express {
  std::array<std::uint16_t, full_halves> halves;
};
struct slip {
  std::array<std::uint16_t, slip_halves> halves;
};
/// Before the first run: tells a blue where the reds are, which are made after it.
struct greeting {
  std::uint64_t others;
};
static_assert(sizeof(parcel) == 38 && sizeof(express) == 38 && sizeof(slip) == 22);

template <class Message>
constexpr Message loaded(const token& t) {
  Message m{};
  pack(m.halves, t);
  for (unsigned i = slip_halves; i < sizeof(m.halves) / 2; ++i) m.halves[i] = cargo(t.walk, i);
  return m;
}

/// An actor's state: 64 bytes.
struct site {
  std::uint64_t others = 0;                ///< bits of the first reference of the other type
  std::uint64_t last = 0;                  ///< the last stamp seen here
  std::array<std::uint32_t, edges> out{};  ///< sent over each out-edge
  std::array<std::uint32_t, edges> in{};   ///< received over each in-edge
  std::uint32_t index = 0, count = 0;      ///< this actor's place, and how many of a type there are
  std::uint32_t handled = 0, errors = 0;
};
static_assert(sizeof(site) == 64);

/// Checks the message in hand, then sends its token on.
template <class Other, class Message>
void relay(site& at, const Message& m, perdure::context& ctx) {
  const token t = unpack(m.halves);
  const std::uint64_t now = ctx.now().bits;
  bool wrong = now <= t.stamp || now <= at.last;
  at.last = now;
  for (unsigned i = slip_halves; i < sizeof(m.halves) / 2; ++i)
    wrong |= m.halves[i] != cargo(t.walk, i);
  if (t.edge < edges) {
    wrong |= t.number != at.in[t.edge];
    ++at.in[t.edge];
  }
  ++at.handled;
  at.errors += wrong ? 1U : 0U;
  if (t.left == 0) return;
  const std::uint32_t walk = mix(t.walk + 0x9e3779b9U);
  const std::uint32_t edge = walk & 3U;
  const token next{walk, t.left - 1, at.out[edge]++, now, static_cast<std::uint16_t>(edge)};
  const perdure::ref<Other> to{at.others + neighbour(edge, at.index, at.count)};
  const std::uint32_t kind = walk >> 28U;
  if (kind < 12) {
    ctx.send(to, loaded<parcel>(next));
  } else if (kind < 15) {
    ctx.send(to, loaded<express>(next));
  } else {
    ctx.send(to, loaded<slip>(next));
  }
}

struct blue;
struct red : perdure::actor<red> {
  site at;
  void on(const parcel& m, perdure::context& ctx) { relay<blue>(at, m, ctx); }
  void on(const express& m, perdure::context& ctx) { relay<blue>(at, m, ctx); }
  void on(const slip& m, perdure::context& ctx) { relay<blue>(at, m, ctx); }
};
struct blue : perdure::actor<blue> {
  site at;
  void on(const greeting& g, perdure::context&) { at.others = g.others; }
  void on(const parcel& m, perdure::context& ctx) { relay<red>(at, m, ctx); }
  void on(const express& m, perdure::context& ctx) { relay<red>(at, m, ctx); }
  void on(const slip& m, perdure::context& ctx) { relay<red>(at, m, ctx); }
};

}  // namespace bench
