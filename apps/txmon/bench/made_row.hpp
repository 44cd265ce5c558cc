// apps/txmon/bench/made_row.hpp - one transaction of a made-up stream from its number alone, on the host and on the device.
// Why: a source on the device must make what the oracle reads on the host; so there is no state and no library in it.
// Invariant: integers only; times rise with the number; the same arguments give the same 38 bytes everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "transaction.hpp"

namespace txmon::bench {

/// @source  Steele, Lea, Flood: SplitMix64, 2014; here as a hash of seed and number.
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + n * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
  return z ^ z >> 31U;
}

/// 0 .. n-1 from 32 random bits.
constexpr std::uint32_t below(std::uint64_t bits, std::uint32_t n) {
  return static_cast<std::uint32_t>((bits & 0xffffffffU) * n >> 32U);
}

/// What the rows have in common.
struct row_shape {
  std::uint64_t seed = 1;
  std::uint64_t gap_ns = 300'000;  ///< of event time between two numbers
  std::uint16_t currency = 0;      ///< codes.hpp
  std::uint16_t countries = 1;
};

/// Row `number`, from 1. One in 1,024 amounts is over 10,000.00, one just under, the others at most 300.00; one row in
/// 256 is abroad.
constexpr transaction made_row(const row_shape& s, std::uint64_t number, std::uint32_t from,
                               std::uint32_t to) {
  const std::uint64_t chance = mixed(s.seed, number);
  const auto size = static_cast<std::uint32_t>(chance >> 16U & 1023U);
  std::uint64_t cents = 100 + below(chance >> 32U, 29'900);
  if (size == 0) cents += 1'200'000 + (chance >> 26U & 7U) * 700'000;
  if (size == 1) cents = 950'000;
  const auto home = static_cast<std::uint32_t>(from % s.countries);
  const bool abroad = (chance & 255U) == 0;
  transaction t{};
  t.number = wide64::of(number);
  t.account = wide32::of(from);
  t.counterparty = wide32::of(to);
  t.cents = wide64::of(cents);
  t.currency = s.currency;
  t.country = static_cast<std::uint16_t>(1 + (abroad ? (home + 1) % s.countries : home));
  t.type = static_cast<std::uint8_t>(kind::transfer);
  t.via = static_cast<channel>(chance >> 8U & 3U);
  t.time_ms = wide64::of(number * s.gap_ns / 1'000'000);
  return t;
}

}  // namespace txmon::bench
