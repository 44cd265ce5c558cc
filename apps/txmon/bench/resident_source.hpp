// apps/txmon/bench/resident_source.hpp - actors that make the stream where the accounts live.
// Why: what accounts do is to be measured without the bus; the stream is still the oracle's, row by row.
// Invariant: a maker owns a stretch of accounts, both ends of all its rows: one sender feeds an account, in the order of
//            its numbers. One turn of a maker is under way at a time, and it goes by way of another worker's queue, so
//            makers are slowed by whoever is slowest, and what is under way is bounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include "account.hpp"
#include "made_row.hpp"

namespace txmon::bench {

inline constexpr std::uint32_t stretch =
    64;  ///< accounts of a maker; divides account_system::spawn_size
inline constexpr std::uint32_t rows_a_turn = 4;

/// Row i (from 0) of maker `place`; the maker's accounts begin at `first`.
constexpr transaction row_of_maker(const row_shape& s, std::uint32_t place, std::uint32_t makers,
                                   std::uint64_t i) {
  const std::uint64_t number = i * makers + place + 1;
  const std::uint64_t chance = mixed(s.seed ^ 0x5851f42d4c957f2dU, number);
  const std::uint32_t from = below(chance, stretch);
  const std::uint32_t to = (from + 1 + below(chance >> 32U, stretch - 1)) % stretch;
  return made_row(s, number, place * stretch + from, place * stretch + to);
}

/// To a maker: so many rows more.
struct make {
  std::uint32_t rows;
};
/// To a maker, first: where the makers are, which is known only when they are made.
struct greet {
  std::uint64_t first;  ///< bits of maker 0
};
/// To a maker: go on. To another: send it back to `from`.
struct turn {
  std::uint64_t from;  ///< bits of the maker whose turn it is
};

struct maker : perdure::actor<maker> {
  row_shape shape;
  std::uint64_t accounts = 0;  ///< bits of the first of its stretch
  std::uint64_t first = 0;     ///< bits of maker 0
  std::uint64_t made = 0;
  std::uint32_t place = 0, makers = 1;
  std::uint32_t left = 0;

  void on(const greet& g, perdure::context&) { first = g.first; }
  void on(const make& m, perdure::context& ctx) {
    left += m.rows;
    step(ctx);
  }
  void on(const turn& t, perdure::context& ctx) {
    if (t.from == ctx.self(*this).bits) {
      step(ctx);
    } else {
      ctx.send(perdure::ref<maker>{t.from}, t);
    }
  }

 private:
  void step(perdure::context& ctx) {
    for (std::uint32_t i = 0; i < rows_a_turn && left != 0; ++i, --left) {
      transaction t = row_of_maker(shape, place, makers, made++);
      const std::uint32_t begin = place * stretch;
      ctx.send(perdure::ref<account>{accounts + (t.account.get() - begin)}, t);
      t.type |= transaction::credit_bit;
      ctx.send(perdure::ref<account>{accounts + (t.counterparty.get() - begin)}, t);
    }
    if (left == 0) return;
    const std::uint32_t over = below(mixed(place, made), makers);
    ctx.send(perdure::ref<maker>{first + over}, turn{ctx.self(*this).bits});
  }
};

}  // namespace txmon::bench
