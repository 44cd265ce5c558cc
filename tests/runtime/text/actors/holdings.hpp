// tests/runtime/text/actors/holdings.hpp - a state and messages with a field of each kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include <perdure/actor.hpp>

namespace bank {

enum class kind : std::int8_t { closed = -1, savings = 2 };
enum class wide_kind : std::uint64_t { none, most = 0xffff'ffff'ffff'ffff };

struct point {
  float x;
  double y;
};
struct clerk;
struct nothing {};
struct order {
  std::int64_t cents;
  point at;
  std::array<std::array<std::int16_t, 2>, 2> grid;
  std::array<point, 2> path;
  kind what;
  wide_kind how;
  bool urgent;
  char letter;
  perdure::ref<clerk> by;
  perdure::any_ref whom;
  perdure::ref<perdure::host<nothing>> told;
  std::chrono::nanoseconds within;
  std::optional<std::uint32_t> limit;
};

struct clerk : perdure::actor<clerk> {
  std::uint8_t small : 3 = 5;
  std::int8_t negative : 4 = -3;
  std::uint64_t whole : 64 = 0;
  int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  point where[2] = {{1, 2}, {3, 4}};
  kind last = kind::savings;
  perdure::ref<clerk> next{};
  void on(const order&, perdure::context&) { ++whole; }
  void on(const nothing&, perdure::context&) {}
};

}  // namespace bank
