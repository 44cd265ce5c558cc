// tests/corpus/accept/requires_clauses.hpp - requires clauses on members, on functions, and requires expressions in conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <perdure/actor.hpp>

template <class T>
struct cell {
  T value{};
  void negate()
    requires std::is_signed_v<T>
  {
    value = static_cast<T>(-value);
  }
  void negate()
    requires(!std::is_signed_v<T>)
  {
    value = static_cast<T>(~value);
  }
};

template <class T>
  requires(sizeof(T) == 8)
constexpr std::uint32_t width(const T&) { return 64; }
template <class T>
  requires(sizeof(T) < 8)
constexpr std::uint32_t width(const T&) { return 32; }

template <class T>
constexpr bool can_negate = requires(T t) { t.negate(); };

struct flip {
  std::int32_t by;
  std::uint16_t with;
};

struct flipper : perdure::actor<flipper> {
  cell<std::int64_t> s;
  cell<std::uint32_t> u;
  std::uint32_t bits = 0;
  void on(const flip& m, perdure::context&) {
    s.value += m.by;
    u.value ^= m.with;
    if constexpr (can_negate<cell<std::int64_t>>) s.negate();
    u.negate();
    bits += width(s.value) + width(u.value);
  }
};
