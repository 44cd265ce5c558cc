// tools/perdure/windows.cpp - see windows.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "windows.hpp"

#include <unistd.h>

#include <fstream>
#include <thread>

#include "runtime/driver/context.hpp"
#include "tools/evidence/nvml.hpp"

namespace bench {

std::uint64_t resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  std::uint64_t size = 0, resident = 0;
  if (!(in >> size >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t device_free_bytes() {
  namespace cu = perdure::driver;
  // kept until the process ends: giving a context back may wait for a kernel that runs
  static const cu::context* const device = []() -> const cu::context* {
    auto cuda = cu::api::load();
    if (!cuda) return nullptr;
    auto made = cu::context::retain(**cuda, 0);
    return made ? new cu::context{std::move(*made)} : nullptr;  // NOLINT: never freed, on purpose
  }();
  if (device == nullptr) return 0;
  auto memory = device->memory();
  return memory ? memory->free_bytes : 0;
}

windows::windows(perdure::system& system, double window_seconds, std::string uuid)
    : system_{system},
      window_seconds_{window_seconds},
      uuid_{std::move(uuid)},
      began_{steady::now()} {}

windows::look windows::take() {
  const double before = seconds_since(began_);
  const auto stats = system_.statistics();
  look l{(before + seconds_since(began_)) / 2,
         stats.handled,
         stats.queued,
         stats.batches,
         stats.spilled,
         stats.clock_bound_ns,
         resident_bytes(),
         0,
         {}};
  if (!uuid_.empty()) {
    l.device_free_bytes = device_free_bytes();
    l.device = evidence::device_state(uuid_);
  }
  return l;
}

void windows::watch(double most_seconds, const std::function<bool(std::uint64_t)>& over) {
  looks_.push_back(take());
  const double first = looks_.front().at;
  for (std::uint32_t i = 1; window_seconds_ * i <= most_seconds * 1.0001; ++i) {
    const double due = first + window_seconds_ * i;
    for (double now = seconds_since(began_); now < due; now = seconds_since(began_)) {
      if (over(looks_.back().handled)) return at_least_one();
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(due - now, 0.01)));
    }
    look l = take();
    if (over(l.handled)) return at_least_one();
    looks_.push_back(std::move(l));
  }
}

void windows::at_least_one() {
  if (looks_.size() > 1) return;
  partial_ = true;
  looks_.push_back(take());
}

void windows::into(nlohmann::json& report, const std::string& mode) const {
  std::vector<double> rates;
  nlohmann::json series;
  for (std::size_t i = 1; i < looks_.size(); ++i) {
    const look &a = looks_[i - 1], &b = looks_[i];
    rates.push_back(static_cast<double>(b.handled - a.handled) / (b.at - a.at));
    series["seconds"].push_back(b.at - looks_.front().at);
    series["host_bytes"].push_back(b.host_bytes);
    series["queued"].push_back(b.queued);
    series["batches"].push_back(b.batches - a.batches);
    series["spilled"].push_back(b.spilled - a.spilled);
    if (uuid_.empty()) continue;
    series["device_free_bytes"].push_back(b.device_free_bytes);
    series["clock_bound_ns"].push_back(b.clock_bound_ns);
    for (const char* key : {"power_watts", "celsius", "sm_mhz"}) {
      if (b.device.contains(key)) series[key].push_back(b.device[key]);
    }
  }
  series["messages_per_s"] = rates;
  report["windows"][mode] = std::move(series);
  if (partial_) report["config"]["partial_window"] = mode + " was over before one window";
  report["results"][mode + "_messages_per_s"] = summary(rates);
  nlohmann::json& p = report["percentiles"][mode];
  std::vector<double> sorted = rates;
  for (const int percent : {1, 5, 50, 95, 99})
    p["p" + std::to_string(percent)] = percentile(sorted, percent);
  const double median = percentile(sorted, 50);
  p["least_of_median"] = sorted.front() / median;
  p["most_of_median"] = sorted.back() / median;
  // how far the window that is farthest off is from the median
  report["results"][mode + "_window_off_percent"] =
      summary({100 * std::max(1 - sorted.front() / median, sorted.back() / median - 1)});
  const look &first = looks_[1], &last = looks_.back();
  report["growth"][mode] = {
      {"host_bytes", static_cast<std::int64_t>(last.host_bytes - first.host_bytes)},
      {"device_bytes",
       static_cast<std::int64_t>(first.device_free_bytes - last.device_free_bytes)}};
}

}  // namespace bench
