// tests/corpus/accept/integer_arithmetic.hpp - integers of all widths: wrap-around, shifts, rotations, division, bit counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <perdure/actor.hpp>

struct numbers {
  std::int8_t i8;
  std::uint8_t u8;
  std::int16_t i16;
  std::uint16_t u16;
  std::int32_t i32;
  std::uint32_t u32;
  std::int64_t i64;
  std::uint64_t u64;
};

struct mill : perdure::actor<mill> {
  std::uint64_t digest = 0x9e3779b97f4a7c15U;
  std::int64_t quotient = 0;
  std::int32_t clipped = 0;
  std::uint8_t byte = 250;
  std::uint32_t counted = 0;

  void on(const numbers& m, perdure::context&) {
    digest ^= m.u64 + 0x632be59bd9b4e019U + (digest << 6U) + (digest >> 2U);
    digest = std::rotl(digest * 0xff51afd7ed558ccdU, m.u8 % 64);
    const std::int64_t d = m.i16 == 0 ? 1 : m.i16;
    quotient += m.i64 / d - m.i32 % d + (-7) / 2 + (-7) % 4 + (std::int64_t{m.i8} >> 1);
    clipped = std::clamp(m.i32, -1000, 1000) + std::max(m.i32 / 2, 3) - std::min<std::int32_t>(m.i16, 4);
    byte = static_cast<std::uint8_t>(byte + m.u8);  // wraps
    counted += static_cast<std::uint32_t>(std::popcount(m.u32) + std::countl_zero(m.u16) + std::countr_zero(m.u64));
    counted += std::bit_ceil(m.u32 % 1000U) + static_cast<std::uint32_t>(std::abs(m.i32 % 1000));
    counted += std::has_single_bit(m.u64) ? 1U : 0U;
    if (m.u32 == std::numeric_limits<std::uint32_t>::max()) ++counted;
  }
};
