// tests/corpus/accept/std_span.hpp - std::span over arrays of state and message, with sub-spans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <perdure/actor.hpp>

struct row_in {
  std::array<std::int32_t, 6> values;
  std::uint8_t from;
};

constexpr std::int64_t sum_of(std::span<const std::int32_t> values) {
  std::int64_t s = 0;
  for (const std::int32_t v : values) s += v;
  return s;
}
constexpr void shift(std::span<std::int32_t> values, std::int32_t by) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1];
  if (!values.empty()) values[values.size() - 1] = by;
}

struct reader : perdure::actor<reader> {
  std::array<std::int32_t, 6> kept{};
  std::int32_t raw[3] = {1, 2, 3};
  std::int64_t sum = 0;
  void on(const row_in& m, perdure::context&) {
    const std::span<const std::int32_t> all{m.values};
    sum += sum_of(all.first(3)) - sum_of(all.last(2));
    sum += sum_of(all.subspan(m.from % 6U));
    shift(kept, m.values[0]);
    shift(std::span{raw}, static_cast<std::int32_t>(m.from));
    sum += raw[0] + std::span<std::int32_t, 3>{raw}.back();
  }
};
