// tests/corpus/accept/pointers_and_references.hpp - local pointers and references into the state, const_cast-free, with pointer arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct swap_slots {
  std::uint8_t i, j;
  std::int32_t put;
};

constexpr void exchange_values(std::int32_t& a, std::int32_t& b) {
  const std::int32_t t = a;
  a = b;
  b = t;
}
constexpr std::int32_t* largest(std::int32_t* first, const std::int32_t* last) {
  std::int32_t* best = first;
  for (std::int32_t* p = first; p != last; ++p) {
    if (*p > *best) best = p;
  }
  return best;
}

struct shelf : perdure::actor<shelf> {
  std::int32_t slots[8] = {4, 1, 3};
  std::uint32_t where = 0;
  void on(const swap_slots& m, perdure::context&) {
    auto& a = slots[m.i % 8U];
    std::int32_t* b = slots + m.j % 8U;
    exchange_values(a, *b);
    *b += m.put;
    *b %= 100000;
    where = static_cast<std::uint32_t>(largest(slots, slots + 8) - slots);
  }
};
