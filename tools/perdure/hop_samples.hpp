// tools/perdure/hop_samples.hpp - hop times by class of pair, and what a report says of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench.hpp"
#include "samples.hpp"

namespace bench {

/// Hops of one sample: the device's clock counts microseconds, so a sample is good to 10 ns.
inline constexpr std::uint32_t hops_a_sample = 100;

/// Microseconds a hop; a sample is the mean of one rally.
class hop_samples {
 public:
  void add(const std::string& kind, double microseconds) {
    run_[kind].push_back(microseconds);
    all_[kind].push_back(microseconds);
  }
  void end_run() {
    for (auto& [kind, values] : run_) {
      p50_[kind].push_back(percentile(values, 50));
      p99_[kind].push_back(percentile(values, 99));
    }
    run_.clear();
  }
  /// Adds results `KIND_p50_us` and `KIND_p99_us`, and the distribution of all samples.
  void into(nlohmann::json& report) const {
    for (const auto& [kind, values] : p50_) {
      report["results"][kind + "_p50_us"] = summary(values);
      report["results"][kind + "_p99_us"] = summary(p99_.at(kind));
      const std::vector<double>& all = all_.at(kind);
      const std::size_t every = all.size() / 2000 + 1;  // as many as a plot can show
      nlohmann::json shown = nlohmann::json::array();
      for (std::size_t i = 0; i < all.size(); i += every) shown.push_back(all[i]);
      report["distributions"][kind] = std::move(shown);
    }
  }
  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const auto& [kind, values] : all_) n += values.size();
    return n;
  }

 private:
  std::map<std::string, std::vector<double>> run_, all_, p50_, p99_;
};

/// Parts of hop: each adds results, distributions and answers.
void hop_inbox(nlohmann::json& report, const bench_options& options);
void hop_links(nlohmann::json& report, const bench_options& options);
/// Counts torn words over `options.words` words; {skipped} without a device.
void hop_tear(nlohmann::json& report, const bench_options& options);
/// Words that carry their own number, between two blocks and between two warps of a block.
nlohmann::json hop_baselines(const bench_options& options);

}  // namespace bench
