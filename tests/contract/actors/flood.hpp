// tests/contract/actors/flood.hpp - springs that pour more into one gauge than it can take.
// Why: a gauge drops the newest of what finds no room, a basin beside it loses nothing; each
//      writes down what it has got, so that the loss is known without the library's books.
// Invariant: a number counts what its sender has sent to that receiver; a drop's words follow from its number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

namespace flood {

inline constexpr std::uint32_t springs = 9;
inline constexpr std::uint32_t hosts = 2;  ///< host threads, each a sender of its own
inline constexpr std::uint32_t senders = springs + hosts;
inline constexpr std::uint32_t drops_a_burst = 12, barrels_a_burst = 2;

struct drop {
  std::uint32_t from;    ///< a spring's place, or springs + the host thread
  std::uint32_t number;  ///< of what this pair has sent, from 1
  std::array<std::uint32_t, 6> fill;
};
/// Travels in a pooled buffer.
struct barrel {
  std::uint32_t from;
  std::uint32_t number;
  std::array<std::uint32_t, 70> fill;
};
struct burst {
  std::uint32_t left;  ///< bursts that follow
};
/// So many drops at once for the fuse.
struct surge {
  std::uint32_t drops;
};
struct question {};
struct level {
  std::uint64_t handled;
};

template <class M>
constexpr M made(std::uint32_t from, std::uint32_t number) {
  M m{from, number, {}};
  m.fill.fill(number * 2654435761U + from);
  return m;
}

/// What a receiver has got from each sender.
struct record {
  std::uint64_t handled = 0;
  std::uint32_t out_of_order = 0;
  std::uint32_t torn = 0;
  std::array<std::uint32_t, senders> last{};
  std::array<std::uint32_t, senders> got{};

  template <class M>
  void take(const M& m) {
    const std::uint64_t before = handled;  // an update that another call overwrites is missing
    for (const std::uint32_t word : m.fill) torn += word != m.number * 2654435761U + m.from ? 1 : 0;
    if (m.number <= last[m.from]) ++out_of_order;
    last[m.from] = m.number;
    ++got[m.from];
    handled = before + 1;
  }
};

struct gauge : perdure::actor<gauge> {
  static constexpr auto overflow = perdure::overflow::drop_newest;
  record seen;
  std::uint64_t answered = 0;
  void on(const drop& m, perdure::context&) { seen.take(m); }
  void on(const barrel& m, perdure::context&) { seen.take(m); }
  void on(const question&, perdure::context& ctx) {
    ++answered;
    ctx.reply(level{seen.handled});
  }
};
/// Of a type whose senders wait.
struct basin : perdure::actor<basin> {
  record seen;
  void on(const drop& m, perdure::context&) { seen.take(m); }
};

/// Of a type that fails.
struct fuse : perdure::actor<fuse> {
  static constexpr auto overflow = perdure::overflow::fail;
  record seen;
  void on(const drop& m, perdure::context&) { seen.take(m); }
};

struct spring : perdure::actor<spring> {
  perdure::ref<fuse> tight;
  perdure::ref<gauge> into;
  perdure::ref<basin> beside;
  std::uint32_t own = 0;
  std::uint32_t bursts = 0;
  std::uint32_t sent = 0;  ///< to the gauge
  std::uint32_t sent_beside = 0;

  void on(const burst& m, perdure::context& ctx) {
    ++bursts;
    for (std::uint32_t i = 0; i < drops_a_burst; ++i) ctx.send(into, made<drop>(own, ++sent));
    ctx.send(beside, made<drop>(own, ++sent_beside));
    for (std::uint32_t i = 0; i < barrels_a_burst; ++i) ctx.send(into, made<barrel>(own, ++sent));
    if (m.left != 0) ctx.send(ctx.self(*this), burst{m.left - 1});
  }
  void on(const surge& m, perdure::context& ctx) {
    ++bursts;
    for (std::uint32_t i = 0; i < m.drops; ++i) ctx.send(tight, made<drop>(own, ++sent));
  }
};

}  // namespace flood
