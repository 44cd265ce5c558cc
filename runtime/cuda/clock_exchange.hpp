// runtime/cuda/clock_exchange.hpp - how far two clocks are apart, and how wrong that can be, from
// questions and answers.
// Why: a one-way sample is late by a way nobody knows; one that was asked for lies between the
//      question and the answer, and that is a bound.
// Invariant: while the clocks' rates differ by at most `drift_ppm`, the true offset lies within
//            bound_ns(now) of offset_ns(now).
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
  static constexpr std::int64_t drift_ppm =
      50;  ///< of the one against the other; a crystal's is 20
  static constexpr std::int64_t never = INT64_MAX;

  /// @param reading_ns  by how much a reading of the other clock may be wrong: its resolution, and
  ///                    what is interpolated between two readings.
  explicit clock_exchange(std::int64_t reading_ns = 0) : reading_ns_{reading_ns} {}

  /// @return false for one that ends before it begins, which is left out, and for one that
  ///         contradicts what is known: a clock has jumped, and only this answer is kept.
  bool add(const answer& a) {
    if (a.answered_ns < a.asked_ns) return false;
    // own - theirs was in [asked - theirs, answered - theirs] at some time between
    const span seen{a.asked_ns - a.theirs_ns - reading_ns_,
                    a.answered_ns - a.theirs_ns + reading_ns_, a.answered_ns};
    const span known = intersection(a.answered_ns);
    const bool agrees = count_ == 0 || (seen.least <= known.most && known.least <= seen.most);
    if (!agrees) count_ = 0;
    recent_[count_++ % recent_.size()] = seen;
    newest_ns_ = a.answered_ns;
    return agrees;
  }
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
    return (s.most - s.least + 1) / 2;
  }
  /// Since the last answer; `never` before the first one.
  std::int64_t age_ns(std::int64_t now_ns) const {
    return count_ == 0 ? never : now_ns - newest_ns_;
  }

 private:
  struct span {
    std::int64_t least = INT64_MIN / 2, most = INT64_MAX / 2;
    std::int64_t at_ns = 0;
  };
  /// What all recent answers allow, each wider by what the clocks may have drifted since.
  span intersection(std::int64_t now_ns) const {
    span all;
    for (std::size_t i = 0; i < std::min(count_, recent_.size()); ++i) {
      const span& s = recent_[i];
      const std::int64_t drift =
          std::max<std::int64_t>(now_ns - s.at_ns, 0) / 1'000'000 * drift_ppm + drift_ppm;
      all.least = std::max(all.least, s.least - drift);
      all.most = std::min(all.most, s.most + drift);
    }
    return all;
  }

  std::int64_t reading_ns_;
  std::array<span, 64> recent_{};
  std::size_t count_ = 0;
  std::int64_t newest_ns_ = 0;
};

}  // namespace perdure::runtime
