// apps/txmon/deviation.hpp - rule 6: whether an amount is more above an account's mean than its deviations allow.
// Why: mean and deviation are whole numbers divided by others, so that nothing is rounded, and what many postings come to
//      may be added up in any order; nearly no posting deviates, and that is found in doubles.
// Invariant: amounts are below 2^44, and what ceiling_of() tries below 2^53, so that what is compared stays below 2^192.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "whole_number.hpp"

namespace txmon {

/// What the amounts before a posting come to, cents.
struct amounts_seen {
  std::uint64_t sum;
  whole128 squares;  ///< the sum of their squares
  std::uint32_t count;

  /// count^2 times their variance.
  whole192 spread() const {
    return whole192{{squares.low, squares.high, 0}} * count - whole192{{sum, 0, 0}} * sum;
  }
};

/// Whether x may be more than so many hundredths of a deviation above the mean, found without wide numbers. With x below 2^31
/// its distance is exact; all else is off by less than 1 part in 2^48 of `all`, or in 10,000 of what is compared.
inline bool may_exceed(std::uint64_t x, const amounts_seen& known, std::uint32_t hundredths) {
  const auto above = static_cast<std::int64_t>(known.count * x - known.sum);
  const double far = static_cast<double>(above), factor = static_cast<double>(hundredths);
  const double sum = static_cast<double>(static_cast<std::int64_t>(known.sum));
  const double all = static_cast<double>(known.count) * known.squares.about();
  const double spread = all - sum * sum - all * 0x1p-48;
  const bool below = 10'000.0 * (far * far) < 0.9999 * (factor * factor) * spread;
  const bool large = (x >> 31U | known.sum >> 63U) != 0;
  return large | !((above <= 0) | below);
}

/// The same, exactly: 100 (x - mean) > hundredths * deviation, both sides times `count`, squared.
inline bool exceeds(std::uint64_t x, const amounts_seen& known, std::uint32_t hundredths) {
  const whole192 scaled = whole192{{x, 0, 0}} * known.count, sum{{known.sum, 0, 0}};
  if (!(sum < scaled)) return false;
  const std::uint64_t factor = std::uint64_t{hundredths} * hundredths;
  return known.spread() * factor < (scaled - sum).squared() * 10'000;
}

/// The most that does not exceed.
inline std::uint64_t ceiling_of(const amounts_seen& known, std::uint32_t hundredths) {
  const double factor = static_cast<double>(hundredths) / 100;
  const double about =
      (static_cast<double>(known.sum) + factor * std::sqrt(known.spread().about())) /
      static_cast<double>(known.count);
  const double low = about - about * 0x1p-48 - 1;  // certainly no more than it is
  std::uint64_t x = low > 0 ? static_cast<std::uint64_t>(low) : 0;
  while (!exceeds(x + 1, known, hundredths)) ++x;
  return x;
}

}  // namespace txmon
