// tools/perdure/notes.hpp - what one host thread sends to actors of its own, and the check that all
// of it came.
// Why: inject and sustain need the same traffic with the same checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "send_all.hpp"

namespace bench {

/// One thread's notes of one lap: note i goes to its actor i.
class notes_of_a_thread {
 public:
  notes_of_a_thread(perdure::system& system, std::size_t actors)
      : system_{system}, actors_{system.spawn<counter>(actors).value()} {
    to_.assign(actors_.begin(), actors_.end());
    notes_.resize(to_.size());
    for (std::uint32_t i = 0; i < notes_.size(); ++i) {
      for (unsigned h = 2; h < full_halves; ++h) notes_[i].halves[h] = cargo(mix(i), h);
    }
  }

  /// Sends one note to each actor, by send_many or one at a time.
  void lap(bool many) {
    for (note& n : notes_) put_word(n.halves, 0, laps_);
    constexpr std::size_t most = 4096;
    for (std::size_t at = 0; many && at < to_.size(); at += most) {
      const std::size_t some = std::min(most, to_.size() - at);
      send_all<counter, note>(system_, std::span{to_}.subspan(at, some),
                              std::span{notes_}.subspan(at, some), "inject");
    }
    for (std::size_t i = 0; !many && i < to_.size(); ++i) system_.send(to_[i], notes_[i]).value();
    numbers_ += (laps_ & 0xffffU) + 3ULL * (laps_ >> 16U);
    ++laps_;
  }
  std::uint64_t sent() const { return static_cast<std::uint64_t>(laps_) * to_.size(); }

  void check() const {
    std::vector<counter> states(to_.size());
    system_.view(actors_, std::span{states}).value();
    for (std::size_t i = 0; i < states.size(); ++i) {
      note n = notes_[i];
      put_word(n.halves, 0, 0);
      const std::uint64_t sum = sum_of(n) * laps_ + numbers_;
      const counter& c = states[i];
      if (c.handled != laps_ || c.sum != sum || c.errors != 0) {
        throw wrong_answer{
            fmt::format("inject: actor {} of {} handled {} of {}, sum {} not {}, {} out of order",
                        i, states.size(), c.handled, laps_, c.sum, sum, c.errors)};
      }
    }
  }

 private:
  perdure::system& system_;
  perdure::range<counter> actors_;
  std::vector<perdure::ref<counter>> to_;
  std::vector<note> notes_;
  std::uint32_t laps_ = 0;
  std::uint64_t numbers_ = 0;  ///< what the numbers of the laps add to an actor's sum
};

}  // namespace bench
