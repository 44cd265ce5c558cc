// tools/perdure/loads.hpp - messages of 38 bytes to 4 KB that walk at random, each filled with what follows from its walk.
// Why: whoever takes one can tell that it is whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "halves.hpp"
#include "mix.hpp"

namespace bench {

/// Walk and hops to go in the first four halves, cargo in the others.
template <unsigned Halves>
struct load_of {
  std::array<std::uint16_t, Halves> halves;
};
using load_38 = load_of<19>;
using load_60 = load_of<30>;  ///< six words of a host lane: all that a poll of it reads
using load_240 = load_of<120>;
using load_1024 = load_of<512>;
using load_4096 = load_of<2048>;
static_assert(sizeof(load_38) == 38 && sizeof(load_4096) == 4096);

/// Of a generator whose numbers follow from one another: of what could be told from a half's place alone a compiler makes
/// two thousand lines of code, which then are what is measured.
/// @source  Numerical Recipes' linear congruential generator.
constexpr std::uint32_t next_cargo(std::uint32_t x) { return x * 1664525U + 1013904223U; }
constexpr std::uint16_t half_of(std::uint32_t x) { return static_cast<std::uint16_t>(x >> 16U); }

/// In place: NVRTC copies what a function returns member by member, and a load of 4 KB has 2,048.
template <class Load>
constexpr void fill(Load& l, std::uint32_t walk, std::uint32_t left) {
  put_word(l.halves, 0, walk);
  put_word(l.halves, 2, left);
  std::uint32_t x = walk;
  for (unsigned i = 4; i < sizeof(Load) / 2; ++i) l.halves[i] = half_of(x = next_cargo(x));
}
template <class Load>
constexpr bool is_whole(const Load& l) {
  std::uint32_t x = word_at(l.halves, 0);
  bool whole = true;
  for (unsigned i = 4; i < sizeof(Load) / 2; ++i) {
    x = next_cargo(x);
    whole &= l.halves[i] == half_of(x);
  }
  return whole;
}

/// From the host: send off a load of so many bytes.
struct depart {
  std::uint32_t bytes, walk, left;
};

}  // namespace bench
