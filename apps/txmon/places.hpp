// apps/txmon/places.hpp - how an account remembers: where its windows begin, and how full they are.
// Why: nearly every posting changes one of these and reads most; as one word they are one read and one write, on a device a
//      trip of its own each.
// Invariant: every value is below 256; rings hold at most their slots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rules.hpp"

namespace txmon {

/// Where an account's windows begin and how full they are, with two countries: in a state one word of eight bytes, in hand
/// values of the size that registers have.
struct places {
  std::uint32_t first, recent;          ///< of `times`: where the oldest is, how many there are
  std::uint32_t near_first, nears;      ///< of `near_times`
  std::uint32_t credit_first, credits;  ///< of `credit_times`
  std::uint32_t presence_country, home;

  static places of(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    const auto high = static_cast<std::uint32_t>(bits >> 32U);
    return {low & 255U,  low >> 8U & 255U,  low >> 16U & 255U,  low >> 24U,
            high & 255U, high >> 8U & 255U, high >> 16U & 255U, high >> 24U};
  }
  std::uint64_t bits() const {
    const std::uint32_t low = first | recent << 8U | near_first << 16U | nears << 24U;
    const std::uint32_t high = credit_first | credits << 8U | presence_country << 16U | home << 24U;
    return low | std::uint64_t{high} << 32U;
  }

  /// Place `i` of a ring of `slots`; i below twice as many.
  static std::uint32_t wrapped(std::uint32_t i, std::uint32_t slots) {
    return i >= slots ? i - slots : i;
  }
  std::uint32_t time_at(std::uint32_t i) const { return wrapped(first + i, velocity_slots); }
  std::uint32_t near_at(std::uint32_t i) const {
    return wrapped(near_first + i, structuring_slots);
  }
  std::uint32_t credit_at(std::uint32_t i) const { return wrapped(credit_first + i, credit_slots); }
  void drop_time() {
    first = time_at(1);
    --recent;
  }
  void drop_near() {
    near_first = near_at(1);
    --nears;
  }
  void drop_credit() {
    credit_first = credit_at(1);
    --credits;
  }
};

}  // namespace txmon
