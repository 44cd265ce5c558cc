// tools/perdure/bench_park.cpp - what the first message costs that finds the workers away.
// Start of a sample: before ask() is called, when statistics() has said that they are parked. End: ask() has returned the
// reply, in the calling thread. Two programs: one small actor, and a wide one on each worker that fills its chip.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <thread>

#include "baseline_rtt.hpp"
#include "bench.hpp"
#include "echo_actors.actors.hpp"
#include "park_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

perdure::options parking_system(const bench_options& options) {
  perdure::options o = options.system();
  o.execution = perdure::execution::graph;
  return o;
}

/// Until they have said that they leave, and then for long enough that they have.
void wait_until_parked(const perdure::system& system) {
  const auto from = steady::now();
  do {
    if (seconds_since(from) > 10) throw wrong_answer{"park: the workers do not leave"};
    std::this_thread::sleep_for(1ms);
    if (!system.statistics().parked) continue;
    std::this_thread::sleep_for(1ms);
  } while (!system.statistics().parked);
}

/// Microseconds of each first reply, and beside each of the one after it, which finds them there.
struct replies {
  std::vector<double> first, next;
};

/// @param ask  (number): asks and checks.
template <class Ask>
replies run(const bench_options& options, const perdure::system& system, std::uint32_t& number,
            Ask ask) {
  replies out;
  for (const auto from = steady::now();
       out.first.empty() || (seconds_since(from) < options.seconds && out.first.size() < 2000);) {
    wait_until_parked(system);
    const auto begun = steady::now();
    ask(number++);
    const auto there = steady::now();
    ask(number++);
    const auto again = steady::now();
    out.first.push_back(std::chrono::duration<double, std::micro>(there - begun).count());
    out.next.push_back(std::chrono::duration<double, std::micro>(again - there).count());
  }
  return out;
}

template <class Ask>
void measure(nlohmann::json& report, const char* name, const bench_options& options,
             const perdure::system& system, Ask ask) {
  std::vector<double> p50, p99, next;
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < options.runs; ++i) {
    replies got = run(options, system, number, ask);
    const std::vector<double> raw = got.first;
    if (i == 0) report["distributions"][fmt::format("{}: first reply", name)] = raw;
    p50.push_back(percentile(got.first, 50));
    p99.push_back(percentile(got.first, 99));
    next.push_back(percentile(got.next, 50));
    report["runs"].push_back({{"program", name},
                              {"parks", got.first.size()},
                              {"p50_us", p50.back()},
                              {"p99_us", p99.back()},
                              {"next_p50_us", next.back()},
                              {"first_us", raw}});
  }
  report["results"][fmt::format("{}_p50_us", name)] = summary(p50);
  report["results"][fmt::format("{}_p99_us", name)] = summary(p99);
  report["results"][fmt::format("{}_next_p50_us", name)] = summary(next);
  // what wakes a device that nobody keeps busy: a launch, a graph's launch
  for (const char* percent : {"p50_us", "p99_us"}) {
    for (const auto& [baseline, figure] : report["baselines"].items()) {
      if (baseline.ends_with(percent))
        report["beside"][fmt::format("{}_{}", name, percent)].push_back(baseline);
    }
  }
  const perdure::stats s = system.statistics();
  if (s.handled < number || 2 * s.parks < number)
    throw wrong_answer{
        fmt::format("park: {} asks, but {} handled and {} parks", number, s.handled, s.parks)};
  report["answers"][name] = {{"asks", number}, {"parks", s.parks}, {"wrong", 0}};
}

void check(const char* name, std::uint32_t number, std::uint32_t mixed, std::uint32_t count,
           std::uint32_t due) {
  if (mixed == mix(number) && count == due) return;
  throw wrong_answer{fmt::format("park: {}: ask {} was answered ({}, {}), not ({}, {})", name,
                                 number, mixed, count, mix(number), due)};
}

}  // namespace

nlohmann::json park(const bench_options& options) {
  nlohmann::json report = begin_report("park", options);
  report["baselines"] = rtt_baselines(options);  // before the loop: see rtt()
  report["runs"] = nlohmann::json::array();
  {
    auto system = perdure::system::start(echo_actors::actors(), parking_system(options)).value();
    auto echoes = system.spawn<echo>(1).value();
    measure(report, "small", options, system, [&](std::uint32_t number) {
      const answer a = system.ask<answer>(echoes[0], question{number}, 5s).value();
      check("small", number, a.mixed, a.handled, number + 1);
    });
    system.stop(5s).value();
  }
  perdure::options wide = parking_system(options);
  wide.lanes = 0;  // as many as a slab is written for, whatever small actors are to have
  auto system = perdure::system::start(park_actors::actors(), wide).value();
  add_system(report, system, park_actors::actors(), 0);
  const std::uint32_t workers = system.layout().workers;
  auto slabs = system.spawn<parking::slab>(workers).value();
  for (std::uint32_t i = 0; i < workers; ++i)  // each worker holds one
    system.ask<parking::touched>(slabs[i], parking::touch{0}, 5s).value();
  report["config"]["wide_state_bytes"] = sizeof(parking::slab);
  measure(report, "wide", options, system, [&](std::uint32_t number) {
    const std::uint32_t to = number / 2 % workers;
    const auto a = system.ask<parking::touched>(slabs[to], parking::touch{number}, 5s).value();
    check("wide", number, a.mixed, a.times, 1 + number / (2 * workers) * 2 + number % 2 + 1);
  });
  note_load(report);
  system.stop(5s).value();
  return report;
}

}  // namespace bench
