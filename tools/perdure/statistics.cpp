// tools/perdure/statistics.cpp - bootstrap intervals and Cliff's delta.
// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cstdint>

namespace bench {
namespace {

constexpr std::size_t draws = 2'000;

/// @source  Vigna: SplitMix64, 2015.
class numbers {
 public:
  std::size_t below(std::size_t n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ z >> 31U) % n);
  }

 private:
  std::uint64_t state_ = 2026;
};

double median_of(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

void draw(numbers& from, const std::vector<double>& samples, std::vector<double>& into) {
  into.resize(samples.size());
  for (double& one : into) one = samples[from.below(samples.size())];
}

interval middle_95(std::vector<double>& all) {
  std::sort(all.begin(), all.end());
  return {all[all.size() / 40], all[all.size() - 1 - all.size() / 40]};
}

bool ends_with_figure(const std::string& baseline, const std::string& result) {
  return baseline == result || baseline.ends_with("_" + result);
}

}  // namespace

interval median_interval(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  numbers random;
  std::vector<double> medians, drawn;
  for (std::size_t i = 0; i < draws; ++i) {
    draw(random, samples, drawn);
    medians.push_back(median_of(drawn));
  }
  return middle_95(medians);
}

nlohmann::json compare(const std::vector<double>& mine, const std::vector<double>& other,
                       bool higher_is_better) {
  std::vector<double> a = mine, b = other;
  if (a.empty() || b.empty() || median_of(b) == 0) return {{"skipped", "no samples to compare"}};
  const double ratio = median_of(a) / median_of(b);
  numbers random;
  std::vector<double> ratios, x, y;
  for (std::size_t i = 0; i < draws; ++i) {
    draw(random, mine, x);
    draw(random, other, y);
    const double below = median_of(y);
    ratios.push_back(below != 0 ? median_of(x) / below : 0);
  }
  const interval sure = middle_95(ratios);
  std::int64_t over = 0;
  for (const double m : mine) {
    for (const double o : other) over += m > o ? 1 : m < o ? -1 : 0;
  }
  const bool above = sure.low > 1, below = sure.high < 1;
  return {{"ratio", ratio},
          {"ratio_interval95", {sure.low, sure.high}},
          {"interval_method", interval_method},
          {"cliffs_delta", static_cast<double>(over) / (static_cast<double>(mine.size()) *
                                                        static_cast<double>(other.size()))},
          {"verdict", !above && !below            ? "neither"
                      : above == higher_is_better ? "better"
                                                  : "worse"}};
}

bool higher_is_better(const std::string& figure) { return figure.ends_with("_per_s"); }

void add_comparisons(nlohmann::json& report) {
  nlohmann::json list = nlohmann::json::array();
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& baselines = report.contains("baselines") ? report["baselines"] : none;
  const nlohmann::json& named = report.contains("beside") ? report["beside"] : none;
  for (const auto& [result, mine] : report.at("results").items()) {
    if (!mine.is_object() || !mine.contains("samples")) continue;
    const nlohmann::json also = named.value(result, nlohmann::json::array());
    for (const auto& [baseline, other] : baselines.items()) {
      if (!other.is_object() || !other.contains("samples")) continue;
      if (!ends_with_figure(baseline, result) &&
          std::find(also.begin(), also.end(), baseline) == also.end())
        continue;
      nlohmann::json one =
          compare(mine.at("samples").get<std::vector<double>>(),
                  other.at("samples").get<std::vector<double>>(), higher_is_better(result));
      one["result"] = result;
      one["baseline"] = baseline;
      list.push_back(std::move(one));
    }
  }
  report["comparisons"] = std::move(list);
}

}  // namespace bench
