// apps/txmon/whole_number.hpp - whole numbers of 128 and 192 bits: what squares of amounts come to, to the last digit.
// Why: sums that are exact do not depend on the order of what is added, so lanes may add side by side; a device's compiler
//      has no such numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace txmon {

/// Below 2^128; as memory keeps it.
struct alignas(16) whole128 {
  std::uint64_t low = 0, high = 0;

  friend whole128 operator+(const whole128& a, const whole128& b) {
    const std::uint64_t low = a.low + b.low;
    return {low, a.high + b.high + (low < a.low ? 1 : 0)};
  }
  /// Off by no more than 1 part in 2^52.
  double about() const { return 0x1p64 * static_cast<double>(high) + static_cast<double>(low); }
};

/// a * b, by halves.
inline whole128 product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffffffff;
  const std::uint64_t a_low = a & half, a_high = a >> 32U, b_low = b & half, b_high = b >> 32U;
  const std::uint64_t low = a_low * b_low;
  const std::uint64_t first = a_high * b_low + (low >> 32U);
  const std::uint64_t second = a_low * b_high + (first & half);
  return {second << 32U | (low & half), a_high * b_high + (first >> 32U) + (second >> 32U)};
}

/// Below 2^192, and modulo that.
struct whole192 {
  std::array<std::uint64_t, 3> part{};  ///< the lowest first

  friend whole192 operator*(const whole192& a, std::uint64_t b) {
    whole192 out;
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < 3; ++i) {
      const whole128 here = product(a.part[i], b) + whole128{carry, 0};
      out.part[i] = here.low;
      carry = here.high;
    }
    return out;
  }
  friend whole192 operator-(const whole192& a, const whole192& b) {
    whole192 out;
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t less = a.part[i] - b.part[i];
      out.part[i] = less - borrow;
      borrow = a.part[i] < b.part[i] || less < borrow ? 1 : 0;
    }
    return out;
  }
  friend bool operator<(const whole192& a, const whole192& b) {
    bool less = false;
    for (unsigned i = 0; i < 3; ++i)
      less = a.part[i] < b.part[i] || (a.part[i] == b.part[i] && less);
    return less;
  }
  /// Of one below 2^128: its square.
  whole192 squared() const {
    const whole192 low = *this * part[0], high = *this * part[1];
    const whole128 upper =
        whole128{low.part[1], low.part[2]} + whole128{high.part[0], high.part[1]};
    return {{low.part[0], upper.low, upper.high}};
  }
  double about() const {
    return 0x1p64 * whole128{part[1], part[2]}.about() + static_cast<double>(part[0]);
  }
};

}  // namespace txmon
