// tests/corpus/accept/std_tuple_pair.hpp - std::tuple and std::pair: make, get, tie, compare, apply by index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <perdure/actor.hpp>

struct sample_in {
  std::int32_t a, b;
  float weight;
};

constexpr std::tuple<std::int32_t, std::int32_t, bool> ordered(std::int32_t a, std::int32_t b) {
  return a < b ? std::make_tuple(a, b, false) : std::make_tuple(b, a, true);
}

template <class Tuple, std::size_t... I>
constexpr std::int64_t total(const Tuple& t, std::index_sequence<I...>) {
  return (static_cast<std::int64_t>(std::get<I>(t)) + ...);
}

struct sorter : perdure::actor<sorter> {
  std::int32_t low = 0, high = 0;
  std::uint32_t swaps = 0;
  std::int64_t sum = 0;
  std::uint16_t count = 1;
  float weight = 0;

  void on(const sample_in& m, perdure::context&) {
    bool swapped = false;
    std::tie(low, high, swapped) = ordered(m.a, m.b);
    swaps += swapped ? 1U : 0U;
    sum += total(ordered(m.b, m.a), std::make_index_sequence<3>{});
    std::pair<std::uint16_t, float> kept{count, weight};  // as a local: std::pair is not trivially copyable
    kept.first = static_cast<std::uint16_t>(kept.first + 1U);
    kept.second += m.weight;
    std::tie(count, weight) = kept;
    const auto p = std::make_pair(m.a, m.b);
    if (p < std::pair{low, high} || std::tuple{m.a} == std::tuple{m.b}) sum += 1000;
    static_assert(std::tuple_size_v<std::tuple<int, char>> == 2);
    std::swap(low, high);
    sum += std::exchange(low, 5);
  }
};
