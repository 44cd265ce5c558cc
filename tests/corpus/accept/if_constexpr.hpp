// tests/corpus/accept/if_constexpr.hpp - if constexpr drops the branch that would not compile or would not lower.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <perdure/actor.hpp>

std::uint64_t host_text(const char* text);  // never defined

template <class T>
std::uint64_t bits_of(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return bits_of(host_text(value));  // only the host ever comes here
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value * T{8}));
  } else if constexpr (std::is_enum_v<T>) {
    return bits_of(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <int N>
constexpr std::uint32_t countdown(std::uint32_t x) {
  if constexpr (N == 0) {
    return x;
  } else {
    return countdown<N - 1>(x * 3U + static_cast<std::uint32_t>(N));  // another function each time
  }
}

enum class level : std::uint8_t { low = 3, high = 9 };
struct mixed_values {
  float f;
  std::uint16_t u;
  level l;
};

struct summer : perdure::actor<summer> {
  std::uint64_t sum = 0;
  std::uint32_t chain = 0;
  void on(const mixed_values& m, perdure::context&) {
    sum += bits_of(m.f) + bits_of(m.u) + bits_of(m.l) + bits_of(level::high);
    chain ^= countdown<5>(m.u);
  }
};
