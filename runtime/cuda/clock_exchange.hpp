// runtime/cuda/clock_exchange.hpp - how far two clocks are apart, and how wrong that can be, from questions and answers.
// Why: a one-way sample is late by a way nobody knows; one that was asked for lies between the question and the answer,
//      and that is a bound. What was known a second ago bounds the rate at which they part, so an answer ages slowly.
// Invariant: while the clocks' rates differ by at most `drift_ppm`, and that by at most `wander_ppm` more or less a second
//            later, the true offset lies within bound_ns(now) of offset_ns(now).
// Source: Cristian: Probabilistic clock synchronization, 1989; the intersection is Marzullo's.
// Threads: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure::runtime {

class clock_exchange {
 public:
  /// A question and its answer: the other clock was read at some time between the two.
  struct answer {
    std::int64_t asked_ns = 0;     ///< own clock, before the question was written
    std::int64_t theirs_ns = 0;    ///< the other clock, read after it had seen the question
    std::int64_t answered_ns = 0;  ///< own clock, after the answer was seen
  };
  /// Of the one against the other. Two crystals differ by 40, and a processor's is measured at the start of its system,
  /// which may be wrong by as much again.
  static constexpr std::int64_t drift_ppm = 200;
  /// By which that changes in a second: a crystal's by its temperature, less than one a degree.
  static constexpr std::int64_t wander_ppm = 1;
  static constexpr std::int64_t never = INT64_MAX;

  /// @param reading_ns  by how much a reading of the other clock may be wrong: its resolution, and
  ///                    what is interpolated between two readings.
  explicit clock_exchange(std::int64_t reading_ns = 0) : reading_ns_{reading_ns} {}

  /// The own clock never falls. @return false for one that ends before it begins, which is left out, and for one that
  /// contradicts what is known: a clock has jumped, and only this answer is kept.
  bool add(const answer& a) {
    if (a.answered_ns < a.asked_ns) return false;
    // own - theirs was in [asked - theirs, answered - theirs] at some time between; since then it may have shrunk, and grown
    // by no more than the own clock went on
    const span seen{
        a.asked_ns - a.theirs_ns - reading_ns_ - grown(a.answered_ns - a.asked_ns, drift_ppb),
        a.answered_ns - a.theirs_ns + reading_ns_, a.answered_ns};
    const span known = intersection(a.answered_ns);
    const bool agrees = count_ == 0 || (known.least <= known.most && seen.least <= known.most &&
                                        known.least <= seen.most);
    if (!agrees) {
      count_ = marks_ = 0;
      rate_ = {};
    }
    recent_[count_++ % recent_.size()] = seen;
    newest_ns_ = a.answered_ns;
    learn_rate(intersection(a.answered_ns));
    return agrees;
  }
  /// Whether there was an answer.
  bool knows() const { return count_ != 0; }
  /// Own clock less the other one, at this time of the own clock; 0 before the first answer.
  std::int64_t offset_ns(std::int64_t now_ns) const {
    if (count_ == 0) return 0;
    const span s = intersection(now_ns);
    return s.least + (s.most - s.least) / 2;
  }
  /// How far from offset_ns() the truth may be, either way; `never` before the first answer.
  std::int64_t bound_ns(std::int64_t now_ns) const {
    if (count_ == 0) return never;
    const span s = intersection(now_ns);
    return std::max<std::int64_t>((s.most - s.least + 1) / 2, 0);
  }
  /// How far the truth may be from `offset_ns`, which somebody still uses; `never` before the first answer.
  std::int64_t error_ns(std::int64_t offset_ns, std::int64_t now_ns) const {
    if (count_ == 0) return never;
    const span s = intersection(now_ns);
    return std::max({s.most - offset_ns, offset_ns - s.least, std::int64_t{0}});
  }
  /// Since the last answer; `never` before the first one.
  std::int64_t age_ns(std::int64_t now_ns) const {
    return count_ == 0 ? never : now_ns - newest_ns_;
  }

 private:
  static constexpr std::int64_t drift_ppb = drift_ppm * 1000;
  static constexpr std::int64_t mark_every_ns = 100'000'000;

  /// At a time, the offset.
  struct span {
    std::int64_t least = INT64_MIN / 2, most = INT64_MAX / 2;
    std::int64_t at_ns = 0;
  };
  /// By how much the offset grows, at some time since `since_ns`, in 10^-9.
  struct rate {
    std::int64_t least = -drift_ppb, most = drift_ppb;
    std::int64_t since_ns = 0;
  };
  /// What `ppb` come to in this time, not less.
  static std::int64_t grown(std::int64_t ns, std::int64_t ppb) {
    const std::int64_t us = ppb > 0 ? (ns + 999) / 1000 : ns / 1000;
    return us * ppb / 1'000'000 + (ppb > 0 ? 1 : 0);
  }
  /// By how much a rate may have changed in this time, in 10^-9.
  static std::int64_t wandered(std::int64_t ns) { return ns / 1'000'000 * wander_ppm + wander_ppm; }
  /// What all recent answers allow, each wider by what the clocks may have drifted since.
  span intersection(std::int64_t now_ns) const {
    span all;
    all.at_ns = now_ns;
    for (std::size_t i = 0; i < std::min(count_, recent_.size()); ++i) {
      const span& s = recent_[i];
      const std::int64_t age = std::max<std::int64_t>(now_ns - s.at_ns, 0);
      const std::int64_t wander = wandered(std::max(now_ns - rate_.since_ns, age));
      all.least =
          std::max(all.least, s.least - grown(age, std::min(wander - rate_.least, drift_ppb)));
      all.most = std::min(all.most, s.most + grown(age, std::min(wander + rate_.most, drift_ppb)));
    }
    return all;
  }
  /// The mean since one of the marks, which the rate was at some time since: of that which says the most.
  void learn_rate(const span& now) {
    constexpr auto limit = static_cast<double>(drift_ppb);
    std::int64_t narrowest = 2 * drift_ppb;
    rate best;
    for (std::size_t i = 0; i < std::min(marks_, mark_.size()); ++i) {
      const span& then = mark_[i];
      if (now.at_ns <= then.at_ns) continue;
      const auto passed = static_cast<double>(now.at_ns - then.at_ns);
      const double least = static_cast<double>(now.least - then.most) / passed * 1e9 - 1;
      const double most = static_cast<double>(now.most - then.least) / passed * 1e9 + 1;
      const rate mean{static_cast<std::int64_t>(std::clamp(least, -limit, limit)),
                      static_cast<std::int64_t>(std::clamp(most, -limit, limit)), then.at_ns};
      const std::int64_t width = mean.most - mean.least + 2 * wandered(now.at_ns - then.at_ns);
      if (width >= narrowest) continue;
      narrowest = width;
      best = mean;
    }
    rate_ = best;
    if (marks_ == 0 || now.at_ns - mark_[(marks_ - 1) % mark_.size()].at_ns >= mark_every_ns)
      mark_[marks_++ % mark_.size()] = now;
  }

  std::int64_t reading_ns_;
  std::array<span, 64> recent_{};
  std::size_t count_ = 0;
  std::int64_t newest_ns_ = 0;
  std::array<span, 16> mark_{};  ///< what was known, one every 100 ms
  std::size_t marks_ = 0;
  rate rate_;
};

}  // namespace perdure::runtime
