// tools/perdure/statistics.hpp - how sure a median is, and how far two sets of samples lie apart.
// Why: a ratio of two medians without its interval reads as a fact when it may be chance.
// Invariant: the same samples give the same numbers everywhere: the resampling has a seed of its
// own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

struct interval {
  double low = 0, high = 0;
};

/// What `median_interval` and `compare` do, for the reports that carry their numbers.
inline constexpr const char* interval_method = "percentile bootstrap of the median, 2,000 draws";

/// The 95 % interval of the median. With one sample it is that sample; with none, zeros.
/// @source  Efron: Bootstrap methods, another look at the jackknife, 1979.
interval median_interval(const std::vector<double>& samples);

/// {ratio, ratio_interval95, interval_method, cliffs_delta, verdict} of `mine` over `other`. The
/// verdict is "better", "worse", or "neither" where the interval holds 1. @param higher_is_better
/// rates; else times.
/// @source  Cliff: Dominance statistics, 1993.
nlohmann::json compare(const std::vector<double>& mine, const std::vector<double>& other,
                       bool higher_is_better);

/// Of a figure's name: rates end in "_per_s", all else are times.
bool higher_is_better(const std::string& figure);

/// Adds report["comparisons"]: each result beside each baseline whose name ends with the result's
/// name, or that report["beside"][result] names.
void add_comparisons(nlohmann::json& report);

}  // namespace bench
