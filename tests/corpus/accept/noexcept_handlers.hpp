// tests/corpus/accept/noexcept_handlers.hpp - noexcept handlers and helpers, noexcept expressions and conditional noexcept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <perdure/actor.hpp>

struct knock {
  std::uint32_t force;
};

template <class T>
constexpr T combine(T a, T b) noexcept(std::is_nothrow_copy_constructible_v<T>) { return a ^ b; }
constexpr std::uint32_t soft(std::uint32_t x) noexcept { return x / 2U; }
constexpr std::uint32_t hard(std::uint32_t x) { return x + 2U; }

struct door : perdure::actor<door> {
  std::uint32_t knocks = 0, force = 0, promises = 0;
  void on(const knock& m, perdure::context&) noexcept {
    ++knocks;
    force = combine(force, soft(m.force) + hard(m.force));
    promises += noexcept(soft(1)) ? 1U : 0U;
    promises += noexcept(hard(1)) ? 10U : 0U;
    promises += noexcept(combine(1U, 2U)) ? 100U : 0U;
  }
};
