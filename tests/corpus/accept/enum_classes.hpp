// tests/corpus/accept/enum_classes.hpp - scoped and unscoped enums, underlying types, flags and conversions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <perdure/actor.hpp>

enum class right : std::uint16_t { none = 0, read = 1, write = 2, run = 4, all = 7 };
constexpr right operator|(right a, right b) {
  return static_cast<right>(static_cast<std::underlying_type_t<right>>(a) |
                            static_cast<std::underlying_type_t<right>>(b));
}
constexpr bool has(right set, right one) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}

enum weekday : std::int8_t { monday = -1, tuesday, wednesday };
enum { days_in_week = 7 };

struct grant {
  right what;
  weekday from;
};

struct guard : perdure::actor<guard> {
  right held = right::none;
  weekday first = wednesday;
  std::uint32_t writes = 0;
  std::int32_t days = 0;
  void on(const grant& m, perdure::context&) {
    held = held | static_cast<right>(static_cast<unsigned>(m.what) & 7U);
    if (has(held, right::read | right::write)) ++writes;
    if (m.from < first) first = m.from;
    days += static_cast<std::int32_t>(days_in_week) + m.from;
  }
};
