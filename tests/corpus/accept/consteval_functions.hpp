// tests/corpus/accept/consteval_functions.hpp - consteval functions and constinit-like constants are folded before lowering.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

consteval std::uint64_t hash_of(const char* text) {
  std::uint64_t h = 1469598103934665603U;
  for (; *text != '\0'; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 1099511628211U;
  return h;
}

template <std::size_t N>
consteval std::array<std::uint16_t, N> triangle() {
  std::array<std::uint16_t, N> t{};
  for (std::size_t i = 1; i < N; ++i) t[i] = static_cast<std::uint16_t>(t[i - 1] + i);
  return t;
}

inline constexpr std::uint64_t salt = hash_of("salt");

struct query {
  std::uint64_t key;
};

struct index_actor : perdure::actor<index_actor> {
  static constexpr auto steps = triangle<10>();
  std::uint64_t state = hash_of("start");
  std::uint32_t steps_sum = 0;
  void on(const query& m, perdure::context&) {
    state = (state ^ salt ^ m.key) * hash_of("prime") + 1U;
    steps_sum += steps[m.key % steps.size()];
  }
};
