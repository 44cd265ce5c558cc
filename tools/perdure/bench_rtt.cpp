// tools/perdure/bench_rtt.cpp - host -> actor -> host: one ask after the other, each reply checked.
// Start of a sample: before ask() is called. End: ask() has returned the reply, in the calling
// thread. Then many asks in flight: see rtt_open.hpp.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "baseline_rtt.hpp"
#include "bench.hpp"
#include "echo_actors.actors.hpp"
#include "report.hpp"
#include "rtt_open.hpp"
#include "samples.hpp"

namespace bench {

nlohmann::json rtt(const bench_options& options) {
  using namespace std::chrono_literals;
  nlohmann::json report = begin_report("rtt", options);
  report["baselines"] =
      rtt_baselines(options);  // before the loop: the first launch beside it would wait for its end
  auto system = perdure::system::start(echo_actors::actors(), options.system()).value();
  add_system(report, system, echo_actors::actors(), 0);
  const std::uint64_t count = options.actors != 0 ? options.actors : 1;
  auto echoes = system.spawn<echo>(count).value();
  report["config"]["actors"] = count;

  std::vector<std::uint32_t> handled(count, 0);
  std::uint32_t number = 0;
  auto ask = [&](std::vector<double>* us) {
    const std::size_t to = number % count;
    const auto from = steady::now();
    auto got = system.ask<answer>(echoes[to], question{number}, 5s);
    if (us != nullptr) us->push_back(seconds_since(from) * 1e6);
    const answer a = got.value();
    ++handled[to];
    if (a.mixed != mix(number) || a.handled != handled[to]) {
      throw wrong_answer{fmt::format("rtt: ask {} of actor {} was answered ({}, {}), not ({}, {})",
                                     number, to, a.mixed, a.handled, mix(number), handled[to])};
    }
    ++number;
  };
  for (int i = 0; i < 100; ++i) ask(nullptr);  // warm-up

  std::vector<double> p50, p90, p99, low;
  nlohmann::json raw = nlohmann::json::array();
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    std::vector<double> us(1U << 20U);  // its pages are there before the first ask
    us.clear();
    for (const auto from = steady::now();
         seconds_since(from) < options.seconds && us.size() < us.capacity();)
      ask(&us);
    nlohmann::json first(std::vector<double>(
        us.begin(),
        us.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(us.size(), 2000))));
    p50.push_back(percentile(us, 50));
    p90.push_back(percentile(us, 90));
    p99.push_back(percentile(us, 99));
    low.push_back(us.front());
    if (run == 0) report["distributions"]["ask"] = first;
    raw.push_back({{"asks", us.size()},
                   {"p50_us", p50.back()},
                   {"p90_us", p90.back()},
                   {"p99_us", p99.back()},
                   {"max_us", us.back()},
                   {"first_us", std::move(first)}});
  }
  // each worker polls its own part of the host lanes, so that every actor is in a polling worker
  report["results"] = {{"p50_us", summary(p50)},
                       {"polling_worker_p50_us", summary(p50)},
                       {"p90_us", summary(p90)},
                       {"p99_us", summary(p99)},
                       {"min_us", summary(low)}};
  report["runs"] = std::move(raw);
  system.quiesce(5s).value();
  const auto stats = system.statistics();
  if (stats.handled != number || stats.replies != number) {
    throw wrong_answer{fmt::format("rtt: {} asks, but {} handled and {} replies", number,
                                   stats.handled, stats.replies)};
  }
  report["answers"] = {{"asks", number}, {"wrong", 0}};
  rtt_open(report, options, system);
  system.stop(5s).value();
  return report;
}

}  // namespace bench
