// tests/contract/actors/hot.hpp - a crowd that shouts at one ear, which is a hot actor, and a
// ledger that checks the order.
// Why: runs of messages take another way through the loop (docs/adr/026), and nobody may be able
//      to tell: one ear's state fits into registers, the ledger's does not.
// Invariant: a burst of a crier is handled before its next one begins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

namespace hot {

inline constexpr std::uint32_t criers = 48;
inline constexpr std::uint32_t burst = 8;

struct shout {
  std::uint32_t from, number;
  perdure::hlc before;  ///< of an event before the send
};
/// Longer than what a run reads ahead.
struct speech {
  shout said;
  std::array<std::uint32_t, 24> text;
};
/// In a buffer.
struct tome {
  shout said;
  std::array<std::uint32_t, 100> text;
};
struct go {
  std::uint32_t bursts;
};
struct again {
  std::uint32_t upto;
};
struct question {};
struct answer {
  std::uint64_t handled, sum;
  std::uint32_t errors;
};

constexpr std::uint32_t worth_of(const shout& m) {
  return (m.from * 0x9e3779b9U ^ m.number) * 0x85ebca6bU;
}
/// Message `number` of a crier to the ear.
enum class form : std::uint32_t { shout, speech, tome };
constexpr form form_of(std::uint32_t number) {
  return number % 16 == 13 ? form::tome : number % 8 == 5 ? form::speech : form::shout;
}

struct crier;
struct ear : perdure::actor<ear> {
  static constexpr bool hot = true;

  std::uint64_t first = 0;  ///< bits of the first crier
  std::uint64_t handled = 0;
  std::uint64_t sum = 0;
  perdure::hlc last;
  std::uint32_t errors = 0;
  std::uint32_t stops_at = 0;  ///< messages; 0: never

  void on(const shout& m, perdure::context& ctx) { hear(m, ctx); }
  void on(const speech& m, perdure::context& ctx) {
    check(m);
    hear(m.said, ctx);
  }
  void on(const tome& m, perdure::context& ctx) {
    check(m);
    hear(m.said, ctx);
  }
  void on(const question&, perdure::context& ctx) { ctx.reply(answer{handled, sum, errors}); }

 private:
  template <class M>
  void check(const M& m) {
    for (std::uint32_t i = 0; i < m.text.size(); ++i)
      if (m.text[i] != m.said.number + i) ++errors;
  }
  void hear(const shout& m, perdure::context& ctx) {
    const perdure::ref<crier> from{first + m.from};
    if (ctx.sender().bits != from.bits) ++errors;
    const perdure::hlc now = ctx.now();
    if (!(last < now) || !(m.before < now)) ++errors;
    last = now;
    ++handled;
    sum += worth_of(m);
    if (m.number % burst == burst - 1) ctx.send(from, again{m.number + 1});
    if (handled == stops_at) ctx.stop();
  }
};

struct ledger : perdure::actor<ledger> {
  static constexpr bool hot = true;

  std::array<std::uint32_t, criers> next{};
  std::uint32_t out_of_order = 0;

  void on(const shout& m, perdure::context&) {
    if (m.number != next[m.from]) ++out_of_order;
    next[m.from] = m.number + 1;
  }
};

struct crier : perdure::actor<crier> {
  perdure::ref<ear> to;
  perdure::ref<ledger> beside;
  std::uint32_t own = 0;
  std::uint32_t number = 0;  ///< messages sent to each
  std::uint32_t left = 0;    ///< bursts
  std::uint32_t errors = 0;

  void on(const go& m, perdure::context& ctx) {
    left = m.bursts;
    cry(ctx);
  }
  void on(const again& m, perdure::context& ctx) {
    if (m.upto != number) ++errors;
    cry(ctx);
  }

 private:
  template <class M>
  static M long_one(const shout& said) {
    M m{said, {}};
    for (std::uint32_t i = 0; i < m.text.size(); ++i) m.text[i] = said.number + i;
    return m;
  }
  void cry(perdure::context& ctx) {
    if (left == 0) return;
    --left;
    for (std::uint32_t i = 0; i < burst; ++i) {
      const shout said{own, number, ctx.now()};
      const form as = form_of(number++);
      if (as == form::shout) ctx.send(to, said);
      if (as == form::speech) ctx.send(to, long_one<speech>(said));
      if (as == form::tome) ctx.send(to, long_one<tome>(said));
      ctx.send(beside, said);
    }
  }
};

}  // namespace hot
