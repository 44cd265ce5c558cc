// tools/perdure/halves.hpp - payloads as 16-bit halves: words in them, and what fills them up.
// Why: wider members would pad 38 bytes to 40.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bench {

template <class Halves>
constexpr std::uint32_t word_at(const Halves& h, unsigned half) {
  return h[half] | static_cast<std::uint32_t>(h[half + 1]) << 16U;
}
template <class Halves>
constexpr void put_word(Halves& h, unsigned half, std::uint32_t value) {
  h[half] = static_cast<std::uint16_t>(value);
  h[half + 1] = static_cast<std::uint16_t>(value >> 16U);
}

/// What fills a full message up, and is checked by its receiver.
constexpr std::uint16_t cargo(std::uint32_t walk, unsigned i) {
  return static_cast<std::uint16_t>((walk >> (i & 7U)) + 257U * i);
}

}  // namespace bench
