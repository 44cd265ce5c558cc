// apps/txmon/account_words.hpp - what an account reads and writes together, as words of 16 bytes.
// Why: lanes side by side have an account each, so that every read and write is one of each lane's own memory; what a
//      posting takes on a device goes by their number, not by their size (docs/adr/063).
// Invariant: who wants more than one value of a word reads it whole; what is narrower is unpacked in hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "rules.hpp"

namespace txmon {

/// Cents that had come in and gone out.
struct alignas(16) money {
  std::uint64_t in = 0, out = 0;
};
/// Of the last debit in person.
struct alignas(16) presence {
  std::int64_t ms = 0;
  std::uint64_t number = 0;  ///< its low 48 bits
};
/// What the last posting has left: `places`, and its event time.
struct alignas(16) last_posting {
  std::uint64_t places_bits = 0;
  std::int64_t ms = 0;
};

/// The low 48 bits of transaction numbers.
template <std::uint32_t Count>
struct short_numbers {
  std::array<std::uint32_t, Count> low{};
  std::array<std::uint16_t, Count> high{};

  void set(std::uint32_t i, std::uint64_t number) {
    low[i] = static_cast<std::uint32_t>(number);
    high[i] = static_cast<std::uint16_t>(number >> 32U);
  }
  std::uint64_t get(std::uint32_t i) const { return low[i] | std::uint64_t{high[i]} << 32U; }
};

/// Of an account's terms, as rules.hpp has them, what every posting looks at: in hand as in memory, unpacked where it is used.
class quiet_terms {
 public:
  quiet_terms() = default;
  explicit quiet_terms(const terms& of)
      : amounts_{pair(of.limits.amount_limit, of.limits.pep_limit),
                 pair(of.limits.rapid_least, of.limits.velocity_window_ms)},
        windows_{
            pair(of.limits.structuring_window_ms, of.limits.rapid_window_ms),
            pair(of.limits.deviation_hundredths | std::uint32_t{of.limits.deviation_count} << 16U,
                 of.limits.velocity_limit | std::uint32_t{of.limits.structuring_percent} << 8U |
                     std::uint32_t{of.limits.rapid_percent} << 16U |
                     std::uint32_t{of.who.pep} << 24U)} {}

  std::uint32_t amount_limit() const { return low(amounts_.first); }
  std::uint32_t pep_limit() const { return high(amounts_.first); }
  std::uint32_t rapid_least() const { return low(amounts_.second); }
  std::uint32_t velocity_window_ms() const { return high(amounts_.second); }
  std::uint32_t structuring_window_ms() const { return low(windows_.first); }
  std::uint32_t rapid_window_ms() const { return high(windows_.first); }
  std::uint32_t deviation_hundredths() const { return low(windows_.second) & 0xffffU; }
  std::uint32_t deviation_count() const { return low(windows_.second) >> 16U; }
  std::uint32_t velocity_limit() const { return high(windows_.second) & 0xffU; }
  std::uint32_t structuring_percent() const { return high(windows_.second) >> 8U & 0xffU; }
  std::uint32_t rapid_percent() const { return high(windows_.second) >> 16U & 0xffU; }
  bool pep() const { return high(windows_.second) >> 24U != 0; }

 private:
  struct alignas(16) two_words {
    std::uint64_t first = 0, second = 0;
  };
  static std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32U;
  }
  static std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

  two_words amounts_, windows_;
};

/// The terms as an account keeps them.
struct kept_terms {
  quiet_terms quiet;
  // what only a posting that may be a rule's looks at
  std::array<std::uint64_t, 4> high_risk{};
  std::uint32_t travel_window_ms = 0;
  std::uint8_t velocity_high = 0, velocity_critical = 0, amount_high = 0, amount_critical = 0;
  std::uint8_t structuring_count = 0;
  std::array<std::uint8_t, 6> allowed{};

  kept_terms() = default;
  explicit kept_terms(const terms& of)
      : quiet{of},
        high_risk{of.limits.high_risk},
        travel_window_ms{of.limits.travel_window_ms},
        velocity_high{of.limits.velocity_high},
        velocity_critical{of.limits.velocity_critical},
        amount_high{of.limits.amount_high},
        amount_critical{of.limits.amount_critical},
        structuring_count{of.limits.structuring_count},
        allowed{of.who.allowed} {}
};
static_assert(sizeof(kept_terms) == 80);

}  // namespace txmon
