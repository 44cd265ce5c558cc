// tests/corpus/accept/variadic_templates.hpp - parameter packs in functions, classes and template template parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <perdure/actor.hpp>

template <std::uint32_t... Bits>
struct mask_of {
  static constexpr std::uint32_t value = ((1U << Bits) | ... | 0U);
  static constexpr std::size_t count = sizeof...(Bits);
};

template <class First, class... Rest>
constexpr First largest(First first, Rest... rest) {
  First best = first;
  ((best = rest > best ? static_cast<First>(rest) : best), ...);
  return best;
}

template <template <std::uint32_t...> class Mask, std::uint32_t... Bits>
constexpr std::uint32_t apply(std::uint32_t x) {
  return x & Mask<Bits...>::value;
}

template <std::size_t... I>
constexpr std::uint64_t digits(std::uint64_t x, std::index_sequence<I...>) {
  return (((x >> (8U * I)) & 0x0fU) + ...);
}

struct word_in {
  std::uint64_t bits;
  std::int32_t a, b, c;
};

struct sieve : perdure::actor<sieve> {
  std::uint64_t kept = 0;
  std::int32_t best = 0;
  std::uint64_t nibbles = 0;
  void on(const word_in& m, perdure::context&) {
    kept += apply<mask_of, 0, 3, 5, 9>(static_cast<std::uint32_t>(m.bits)) + mask_of<1, 2>::count;
    best = largest(best, m.a, m.b, m.c);
    nibbles += digits(m.bits, std::make_index_sequence<8>{});
  }
};
