// tests/corpus/accept/constexpr_tables.hpp - tables computed at compile time by loops and lambdas, read by run-time index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
    t[i] = c;
  }
  return t;
}();

constexpr std::int16_t sine_quarter[] = {0, 50, 98, 142, 180, 212, 236, 250, 255};

struct primes {
  std::uint16_t v[16] = {};
  constexpr primes() {
    std::uint16_t n = 2;
    for (std::size_t i = 0; i < 16; ++n) {
      bool prime = true;
      for (std::uint16_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (prime) v[i++] = n;
    }
  }
};
inline constexpr primes first_primes{};

struct block {
  std::array<std::uint8_t, 12> bytes;
};

struct checker : perdure::actor<checker> {
  std::uint32_t crc = 0xffffffffU;
  std::int64_t sine = 0;
  std::uint64_t prime_sum = 0;
  void on(const block& m, perdure::context&) {
    for (const std::uint8_t b : m.bytes) crc = crc_table[(crc ^ b) & 0xffU] ^ (crc >> 8U);
    sine += sine_quarter[m.bytes[0] % 9U];
    prime_sum += first_primes.v[m.bytes[1] % 16U];
  }
};
