// apps/txmon/lane_share.hpp - which lane feeds an account.
// Why: an account has one lane, so that its postings keep their order. A lane that feeds a few workers only has longer runs
//      of messages for each of them, and the rings that it writes stay in its processor's cache.
// Invariant: depends on the account, the number of lanes and of workers alone; neighbours in number are spread over lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace txmon {

class lane_share {
 public:
  /// @param workers  that actors are dealt to by their index, one after another; 0: not known. Where there are few for a
  ///                 lane, so that some lanes would have much more to do than others, accounts are spread evenly instead.
  constexpr lane_share(std::uint32_t lanes, std::uint32_t workers = 0)
      : lanes_{lanes}, whole_turns_{(1U << whole_bits) / lanes + 1} {
    constexpr std::uint32_t least_workers_a_lane = 8;
    if (lanes == 1 || workers < least_workers_a_lane * lanes ||
        std::uint64_t{workers} * lanes >= 1U << whole_bits)
      return;
    workers_ = workers;
    step_ = ~std::uint64_t{0} / workers + 1;
  }

  constexpr std::uint32_t lanes() const { return lanes_; }
  /// The lane of an account.
  constexpr std::uint32_t of(std::uint32_t account) const {
    // what is left of account / workers, as a part of 2^32: rounded up, so that a worker's own number comes out below
    const std::uint64_t part = (account * step_ + 0xffff'ffffU) >> 32U;
    if (workers_ == 0) return static_cast<std::uint32_t>(part * lanes_ >> 32U);
    const auto worker = static_cast<std::uint32_t>(part * workers_ >> 32U);
    return worker - (worker * whole_turns_ >> whole_bits) * lanes_;  // modulo lanes
  }

 private:
  static constexpr unsigned whole_bits = 16;
  std::uint32_t lanes_;
  std::uint32_t whole_turns_;  ///< 2^16 / lanes, rounded up: divides numbers below 2^16 / lanes
  std::uint32_t workers_ = 0;
  std::uint64_t step_ = 0x9e37'79b9'7f4a'7c15U;  ///< of no pattern: the golden ratio's
};

}  // namespace txmon
