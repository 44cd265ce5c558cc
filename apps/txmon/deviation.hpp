// apps/txmon/deviation.hpp - rule 6: whether an amount is more above an account's mean than its deviations allow.
// Why: nearly no posting deviates, and that is found without divisions and root.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace txmon {

/// a / b, to the last bit, for who has 1 / b, rounded, and no time for a division: b is a whole number up to 2^32.
/// @source  P. Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, IBM J. Res. Dev. 34,
///          1990: with a correctly rounded 1 / b, a quotient that is off by less than its last bit is made right by one step.
///          The product is off by up to 1.5 of those, so there are two.
inline double divided(double a, double b, double one_by_b) {
  const double about = a * one_by_b;
  const double near = std::fma(std::fma(-b, about, a), one_by_b, about);
  return std::fma(std::fma(-b, near, a), one_by_b, near);
}
/// What a posting may come to before it deviates: mean and so many hundredths of the deviation above it.
inline double ceiling_of(double mean, double squares, std::uint32_t seen,
                         std::uint32_t hundredths) {
  const double usual = std::sqrt(squares / static_cast<double>(seen));
  return mean + static_cast<double>(hundredths) / 100.0 * usual;
}
/// Whether x > ceiling_of(...) is possible, found without divisions and root. What is certainly below: x up to the mean,
/// since what is added to it is no less than 0 or no number; and x above it by less than 0.9996 times the exact addend.
/// The ceiling is rounded by at most 7 / 2^53 of mean and addend, and with the mean at most 1e9 times what x is above it,
/// 0.0004 of the addend is hundreds of times that.
inline bool may_exceed(double x, double mean, double squares, std::uint32_t seen,
                       std::uint32_t hundredths) {
  const double above = x - mean;
  const double factor = static_cast<double>(hundredths);
  const bool below =
      above * above * (10'000.0 * static_cast<double>(seen)) < 0.9992 * (factor * factor) * squares;
  const bool sure = above * 1e9 > mean;
  return !(above <= 0) & !(below & sure);
}
/// x > ceiling_of(...), to the last bit.
inline bool exceeds(double x, double mean, double squares, std::uint32_t seen,
                    std::uint32_t hundredths) {
  return may_exceed(x, mean, squares, seen, hundredths) &&
         x > ceiling_of(mean, squares, seen, hundredths);
}

}  // namespace txmon
