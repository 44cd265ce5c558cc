// tools/perdure/bench_inject.cpp - host threads send 38-byte messages to counting actors, each
// thread to its own.
// Start of a run: all threads are there, before the first send. End: quiesce() has seen every
// message handled. The actors count, sum and check the order; the host reads their states and
// compares with what each thread sent.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "baseline_lanes.hpp"
#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "notes.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "threads.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

struct shape {
  std::uint32_t threads;
  bool many;
  std::size_t actors;  ///< of all threads together
};

/// Runs one number of threads and one way to send, and adds its rows. @return how many notes were
/// handled.
std::uint64_t measure(nlohmann::json& report, const bench_options& options, perdure::system& system,
                      const shape& s) {
  std::vector<notes_of_a_thread> lanes;
  for (std::uint32_t t = 0; t < s.threads; ++t)
    lanes.emplace_back(system, std::max<std::size_t>(1, s.actors / s.threads));
  const auto sent = [&] {
    std::uint64_t n = 0;
    for (const auto& one : lanes) n += one.sent();
    return n;
  };
  on_threads(s.threads, [&](std::uint32_t t) { lanes[t].lap(s.many); });  // warm-up
  system.quiesce(60s).value();

  std::vector<double> rate, accepted_rate;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const std::uint64_t before = sent(), batches = system.statistics().batches;
    const auto from = on_threads(s.threads, [&](std::uint32_t t) {
      const auto mine = steady::now();
      do lanes[t].lap(s.many);
      while (seconds_since(mine) < options.seconds);
    });
    const double accepted = seconds_since(from);
    system.quiesce(60s).value();
    const double handled = seconds_since(from);
    const auto messages = static_cast<double>(sent() - before);
    rate.push_back(messages / handled);
    accepted_rate.push_back(messages / accepted);
    report["runs"].push_back({{"threads", s.threads},
                              {"send_many", s.many},
                              {"messages", messages},
                              {"batches", system.statistics().batches - batches},
                              {"accepted_s", accepted},
                              {"handled_s", handled}});
    if (run + 1 == options.runs) note_load(report);
    for (const auto& one : lanes) one.check();
  }
  const std::string name = fmt::format("threads_{}_{}", s.threads, s.many ? "many" : "single");
  report["results"][name + "_messages_per_s"] = summary(rate);
  report["results"][name + "_accepted_per_s"] = summary(accepted_rate);
  return sent();
}

}  // namespace

nlohmann::json inject(const bench_options& options) {
  nlohmann::json report = begin_report("inject", options);
  const auto counts = thread_counts(options.threads);
  perdure::options how = options.system();
  how.host_lanes = std::max(8U, counts.back());  // one each
  std::uint64_t count = options.actors;
  {  // the loop must be gone before a kernel by hand can be loaded
    auto system = perdure::system::start(bench_actors::actors(), how).value();
    add_system(report, system, bench_actors::actors(), 0);
    const bool cuda = system.layout().backend == "cuda";
    if (count == 0) count = cuda ? 65536 : 1024;
    report["runs"] = nlohmann::json::array();
    std::uint64_t handled = 0;
    for (const std::uint32_t threads : counts) {
      for (const bool many : {true, false})
        handled += measure(report, options, system, {threads, many, count});
    }
    const auto stats = system.statistics();
    if (stats.dead_total() != 0 || stats.handled != handled) {
      throw wrong_answer{fmt::format("inject: {} sent, {} handled, {} dead letters", handled,
                                     stats.handled, stats.dead_total())};
    }
    report["config"]["actors"] = count;
    report["config"]["threads"] = counts;
    report["config"]["payload_bytes"] = sizeof(note);
    report["answers"] = {{"handled", handled}, {"lost", 0}, {"out_of_order", 0}};
    system.stop(5s).value();
  }
  report["baselines"] = inject_baselines(options, counts, static_cast<std::uint32_t>(count));
  return report;
}

}  // namespace bench
