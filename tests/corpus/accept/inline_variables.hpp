// tests/corpus/accept/inline_variables.hpp - inline constexpr variables, variable templates and static constexpr members of several classes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

inline constexpr std::uint32_t bins = 5;
inline constexpr std::array<std::uint32_t, bins> edges = {1, 4, 16, 64, 256};
const std::int32_t bias = -3;  // const and constant-initialised
template <class T>
inline constexpr T golden = static_cast<T>(1.6180339887498949);

struct limits_of {
  static constexpr std::uint32_t most = 10'000;
  static const std::uint32_t least = 2;
  template <int N>
  static constexpr int scaled = N * 3;
};

struct value_in {
  std::uint32_t x;
};

struct histogram : perdure::actor<histogram> {
  static constexpr std::size_t size = bins + 1;
  std::array<std::uint32_t, size> count{};
  double phi = 0;
  std::int64_t sum = 0;
  void on(const value_in& m, perdure::context&) {
    std::size_t b = 0;
    while (b < bins && m.x >= edges[b]) ++b;
    ++count[b];
    phi += golden<double> + static_cast<double>(golden<float>);
    sum += (m.x < limits_of::most ? m.x : limits_of::most) + limits_of::least;
    sum += bias + limits_of::scaled<7>;
  }
};
