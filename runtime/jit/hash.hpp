// runtime/jit/hash.hpp - a 128-bit FNV-1a hash: keys of cache entries and their checksums.
// Why: it is twenty lines with published test vectors, so the library gains no dependency for it.
// Invariant: texts are hashed with their lengths, so that no two lists of texts run into one
//   another.
// @source Fowler, Noll, Vo: draft-eastlake-fnv, offset basis and prime for 128 bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perdure::runtime::jit {

struct hash128 {
  std::uint64_t high = 0x6c62272e07bb0142U;
  std::uint64_t low = 0x62b821756295c58dU;

  /// Mixes bytes in.
  constexpr hash128& bytes(std::string_view text) {
    // The prime is 2^88 + 0x13b: x * prime = (x << 88) + x * 0x13b, modulo 2^128.
    constexpr std::uint64_t factor = 0x13b;
    for (const char c : text) {
      low ^= static_cast<std::uint8_t>(c);
      const std::uint64_t bottom = (low & 0xffffffffU) * factor;
      const std::uint64_t top = (low >> 32U) * factor + (bottom >> 32U);
      high = high * factor + (top >> 32U) + (low << 24U);
      low = top << 32U | (bottom & 0xffffffffU);
    }
    return *this;
  }
  /// Mixes a text in, its length first.
  constexpr hash128& text(std::string_view value) {
    std::uint64_t size = value.size();
    for (int i = 0; i < 8; ++i, size >>= 8U) {
      const char byte = static_cast<char>(size & 0xffU);
      bytes({&byte, 1});
    }
    return bytes(value);
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    std::string digits(32, '0');
    for (int i = 0; i < 16; ++i) {
      digits[static_cast<std::size_t>(15 - i)] = "0123456789abcdef"[high >> (4 * i) & 0xfU];
      digits[static_cast<std::size_t>(31 - i)] = "0123456789abcdef"[low >> (4 * i) & 0xfU];
    }
    return digits;
  }
  friend constexpr bool operator==(const hash128&, const hash128&) = default;
};

}  // namespace perdure::runtime::jit
