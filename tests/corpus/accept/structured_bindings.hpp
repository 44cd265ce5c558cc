// tests/corpus/accept/structured_bindings.hpp - structured bindings of arrays, aggregates, std::pair and a tuple-like type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <perdure/actor.hpp>

struct span_of_time {
  std::uint32_t from, to;
};
struct point {
  std::array<std::int32_t, 3> at;
  span_of_time when;
};

constexpr std::pair<std::int64_t, bool> doubled(std::int64_t x) { return {2 * x, x > 40}; }

struct tracker : perdure::actor<tracker> {
  std::int64_t sum = 0;
  std::uint64_t time = 0;
  std::uint32_t big = 0;
  span_of_time last{0, 0};

  void on(const point& m, perdure::context&) {
    const auto& [x, y, z] = m.at;
    const auto [from, to] = m.when;
    auto& [keep_from, keep_to] = last;
    keep_from = from;
    keep_to = to + 1U;
    time += std::uint64_t{from} ^ to;
    auto [twice, above] = doubled(std::int64_t{x} + y + z);
    sum += twice;
    if (above) ++big;
    const int plain[2] = {x % 100, y % 100};
    const auto [p, q] = plain;
    sum += p - q;
    const auto [a, b, c] = std::tuple<int, std::int64_t, bool>{1, 2, above};
    sum += a + b + (c ? 1 : 0);
  }
};
