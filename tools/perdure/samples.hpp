// tools/perdure/samples.hpp - raw samples, and the few numbers that stand for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "statistics.hpp"

namespace bench {

using steady = std::chrono::steady_clock;

inline double seconds_since(steady::time_point from) {
  return std::chrono::duration<double>(steady::now() - from).count();
}

/// The p-th percentile (0..100) by nearest rank; 0 for no samples. Sorts its argument.
inline double percentile(std::vector<double>& samples, double p) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(samples.size())));
  return samples[std::min(samples.size() - 1, rank == 0 ? 0 : rank - 1)];
}

/// {median, min, max, spread, interval95, interval_method, samples}: spread is (max - min) /
/// median.
inline nlohmann::json summary(const std::vector<double>& samples) {
  std::vector<double> sorted = samples;
  const double median = percentile(sorted, 50);
  const double low = sorted.empty() ? 0 : sorted.front(), high = sorted.empty() ? 0 : sorted.back();
  const interval sure = median_interval(samples);
  return {{"median", median},
          {"min", low},
          {"max", high},
          {"spread", median > 0 ? (high - low) / median : 0.0},
          {"interval95", {sure.low, sure.high}},
          {"interval_method", interval_method},
          {"samples", samples}};
}

}  // namespace bench
