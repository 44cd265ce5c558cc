// tools/perdure/bench_rtt_open.cpp - see rtt_open.hpp.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>

#include "echo_actors.actors.hpp"
#include "report.hpp"
#include "rtt_open.hpp"
#include "samples.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// Asks under way, looked at in turn: replies come from many workers, in no order.
class asks_in_flight {
 public:
  asks_in_flight(perdure::system& system, perdure::range<echo> echoes)
      : system_{system}, echoes_{echoes} {}

  std::size_t size() const { return open_.size(); }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t answered() const { return asked_ - open_.size(); }

  void ask(steady::time_point due) {
    const auto number = static_cast<std::uint32_t>(asked_++);
    open_.push_back(
        {due, number,
         system_.ask_async<answer>(echoes_[number % echoes_.size()], question{number}, 5s)});
  }
  /// Takes those that are there. @param us  of each, from when it was due.
  void collect(std::vector<double>* us) {
    for (std::size_t i = 0; i < open_.size();) {
      if (open_[i].reply.wait_for(0s) != std::future_status::ready) {
        ++i;
        continue;
      }
      const auto now = steady::now();
      if (us != nullptr)
        us->push_back(std::chrono::duration<double, std::micro>(now - open_[i].due).count());
      check(open_[i].number, open_[i].reply.get().value());
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  struct one {
    steady::time_point due;
    std::uint32_t number;
    std::future<perdure::result<answer>> reply;
  };
  void check(std::uint32_t number, const answer& a) {
    const auto due = static_cast<std::uint32_t>(number / echoes_.size() + 1);
    if (a.mixed == mix(number) && a.handled == due) return;
    throw wrong_answer{
        fmt::format("rtt, many in flight: ask {} was answered ({}, {}), not ({}, {})", number,
                    a.mixed, a.handled, mix(number), due)};
  }

  perdure::system& system_;
  perdure::range<echo> echoes_;
  std::deque<one> open_;
  std::uint64_t asked_ = 0;
};

/// How often a thread that does nothing but read the clock is kept from it, by whatever else the host does: timer ticks
/// of a virtual machine keep it from running for some ten microseconds each.
/// Start and end of a pause: two readings of the clock, one behind the other.
nlohmann::json host_pauses(double seconds) {
  constexpr double least_us = 5;
  std::vector<double> us;
  const auto begun = steady::now();
  for (auto last = begun; seconds_since(begun) < seconds;) {
    const auto now = steady::now();
    const double gap = std::chrono::duration<double, std::micro>(now - last).count();
    if (gap >= least_us) us.push_back(gap);
    last = now;
  }
  const double lasted = seconds_since(begun);
  nlohmann::json out{{"least_us", least_us},
                     {"seconds", lasted},
                     {"pauses_per_s", static_cast<double>(us.size()) / lasted}};
  if (!us.empty()) {
    out["p50_us"] = percentile(us, 50);
    out["p90_us"] = percentile(us, 90);
    out["max_us"] = *std::max_element(us.begin(), us.end());
  }
  return out;
}

}  // namespace

void rtt_open(nlohmann::json& report, const bench_options& options, perdure::system& system) {
  auto echoes = system.spawn<echo>(system.layout().workers).value();
  asks_in_flight all{system, echoes};
  constexpr std::size_t window = 64;
  std::vector<double> rates, p50, p99;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const std::uint64_t before = all.answered();
    const auto begun = steady::now();
    // a thread that was kept from running for as long has seen no reply, and no rate is half of none
    while (seconds_since(begun) < options.seconds / 2 || all.answered() == before) {
      while (all.size() < window) all.ask(steady::now());
      all.collect(nullptr);
    }
    rates.push_back(static_cast<double>(all.answered() - before) / seconds_since(begun));
    report["most_asks"].push_back(
        {{"asks", all.answered() - before}, {"asks_per_s", rates.back()}});
    while (all.size() != 0) all.collect(nullptr);
  }
  std::vector<double> sorted = rates;
  const double half = percentile(sorted, 50) / 2;
  const auto gap = std::chrono::nanoseconds{static_cast<std::int64_t>(1e9 / half)};
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    // all of its pages are there before the first ask: who moves a vector meanwhile asks late
    std::vector<double> us(static_cast<std::size_t>(half * options.seconds * 1.1) + window);
    us.clear();
    const auto begun = steady::now();
    for (auto due = begun; due - begun < std::chrono::duration<double>{options.seconds};
         due += gap) {
      do {
        all.collect(&us);
      } while (steady::now() < due);
      all.ask(due);
    }
    while (all.size() != 0) all.collect(&us);
    const std::vector<double> first(
        us.begin(),
        us.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(us.size(), 2000)));
    p50.push_back(percentile(us, 50));
    p99.push_back(percentile(us, 99));
    if (run == 0) report["distributions"]["ask at half the rate"] = first;
    report["open_loop"].push_back({{"asks", us.size()},
                                   {"asks_per_s", half},
                                   {"p50_us", p50.back()},
                                   {"p99_us", p99.back()},
                                   {"max_us", us.back()},
                                   {"first_us", first}});
    if (run + 1 == options.runs) note_load(report);
  }
  report["host_pauses"] = host_pauses(options.seconds);
  report["config"]["asks_in_flight"] = window;
  report["results"]["max_asks_per_s"] = summary(rates);
  report["results"]["half_rate_p50_us"] = summary(p50);
  report["results"]["half_rate_p99_us"] = summary(p99);
  report["answers"]["open_loop"] = {{"asks", all.asked()}, {"wrong", 0}};
}

}  // namespace bench
