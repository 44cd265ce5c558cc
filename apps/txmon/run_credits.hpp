// apps/txmon/run_credits.hpp - which credits rule 7 remembers while a run of postings is judged, without branches.
// Why: it is the one thing that goes from posting to posting there (quiet_run.hpp), so a run takes as long as this does.
// Invariant: what came in since the oldest credit is below 2^31 cents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "rules.hpp"

namespace txmon {

/// Which credits rule 7 remembers, the oldest first: of each the posting of the run, or from 32 on the account's place.
class credit_order {
 public:
  static constexpr std::uint32_t of_account = 32;

  credit_order() = default;
  /// Of three the last `count`.
  credit_order(const std::array<std::uint32_t, credit_slots>& which, std::uint32_t count)
      : bits_{(which[0] | which[1] << 8U | which[2] << 16U) >> 8 * (credit_slots - count) |
              count << 24U} {}

  std::uint32_t count() const { return bits_ >> 24U; }
  std::uint32_t at(std::uint32_t k) const { return bits_ >> 8 * k & 255U; }

 private:
  std::uint32_t bits_ = 0;
};
static_assert(credit_slots == 3);

/// What rule 7 remembers at some posting. Of three places the last ones are in use; what stands in the others brought less
/// than nothing, so that it goes first.
class credits_now {
 public:
  std::uint32_t count() const { return count_; }
  /// Of those there are. Not by an index: that would put them into memory.
  std::uint32_t oldest() const {
    return count_ == 3 ? which_[0] : count_ == 2 ? which_[1] : which_[2];
  }
  credit_order order() const { return {which_, count_}; }

  /// @param first,second  what the oldest of three and the one behind it, of two that one alone, brought until the next one.
  void begin(const std::array<std::uint32_t, credit_slots>& which, std::uint32_t count,
             std::uint32_t first, std::uint32_t second) {
    which_ = which;
    count_ = count;
    first_ = count == 3 ? static_cast<std::int32_t>(first) : count == 2 ? -1 : -2;
    second_ = count >= 2 ? static_cast<std::int32_t>(second) : -1;
  }
  void forget_all() {
    count_ = 0;
    first_ = -2;
    second_ = -1;
  }
  void forget_oldest() {
    --count_;
    second_ = count_ == 2 ? second_ : -1;
    first_ = count_ == 2 ? -1 : -2;
  }
  /// As account::keep_credit(), without branches. @param brought  what came in since the credit before it.
  /// @return whether the oldest is another one now.
  bool keep(std::uint32_t credit, std::uint32_t brought) {
    const auto third = static_cast<std::int32_t>(brought);
    const bool none = count_ == 0, full = count_ == credit_slots;
    // as account::forget_least(): what brought least goes, of equals the latest, and the one before it has brought that, too
    const bool third_stays = second_ < third;
    const bool first_goes = first_ < (third_stays ? second_ : third);
    const bool moves_up = first_goes | third_stays;
    const std::int32_t both = second_ + (third_stays ? first_ : third);
    const std::int32_t first = first_goes ? second_ : third_stays ? both : first_;
    const std::int32_t second = moves_up ? third : both;
    which_[0] = first_goes ? which_[1] : which_[0];
    which_[1] = moves_up ? which_[2] : which_[1];
    which_[2] = credit;
    first_ = none ? -2 : first;
    second_ = none ? -1 : second;
    count_ = full ? count_ : count_ + 1;
    return none | (full & first_goes);
  }

 private:
  std::array<std::uint32_t, credit_slots> which_{};
  std::uint32_t count_ = 0;
  std::int32_t first_ = -2, second_ = -1;
};

}  // namespace txmon
