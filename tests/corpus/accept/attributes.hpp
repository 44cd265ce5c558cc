// tests/corpus/accept/attributes.hpp - standard attributes on types, members, functions, parameters and statements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct [[nodiscard]] outcome {
  std::int32_t value;
};

[[nodiscard]] constexpr outcome halve(std::int32_t x, [[maybe_unused]] int unused = 0) { return {x / 2}; }

struct nothing {};

struct event {
  std::int32_t x;
  [[maybe_unused]] std::uint32_t reserved;
};

struct alignas(16) wide_state {
  std::int64_t a = 1, b = 2;
};

struct listener : perdure::actor<listener> {
  wide_state w;
  [[no_unique_address]] nothing tag;
  alignas(8) std::uint16_t hits = 0;
  [[maybe_unused]] std::uint16_t spare = 0;

  void on(const event& m, [[maybe_unused]] perdure::context& ctx) {
    [[maybe_unused]] const int ignored = 3;
    if (m.x > 1000) [[unlikely]] {
      w.a = 0;
    } else [[likely]] {
      w.a += halve(m.x).value;
    }
    w.b ^= w.a;
    hits = static_cast<std::uint16_t>(hits + 1U);
  }
};
