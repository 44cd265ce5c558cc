// tests/corpus/accept/fold_expressions.hpp - unary and binary folds over operators, commas and calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class... T>
constexpr bool all_even(T... v) { return (... && (v % 2 == 0)); }
template <class... T>
constexpr bool any_above(std::int32_t limit, T... v) { return ((v > limit) || ...); }
template <class... T>
constexpr std::int64_t sum(T... v) { return (std::int64_t{0} + ... + std::int64_t{v}); }
template <class Sink, class... T>
void each(Sink&& sink, T... v) { (sink(v), ...); }

struct triple {
  std::int32_t a, b, c;
};

struct folder : perdure::actor<folder> {
  std::int64_t total = 0;
  std::uint32_t evens = 0, above = 0;
  std::uint64_t mixed = 0;
  void on(const triple& m, perdure::context&) {
    total += sum(m.a, m.b, m.c, 1);
    evens += all_even(m.a, m.b, m.c) ? 1U : 0U;
    above += any_above(50, m.a, m.b, m.c) ? 1U : 0U;
    each([this](std::int32_t x) { mixed = mixed * 3U + static_cast<std::uint64_t>(std::int64_t{x}); }, m.a, m.b,
         m.c);
  }
};
