// tools/perdure/bench_record.cpp - what a recording costs a run, and how fast it is gone through again.
// Start of a run: before the first token is sent. End: quiesce() has returned. Checked: each message by its receiver, all counts
// after each run, and by the replay that every call is in the recording and every state comes out the same. Beside it, by
// turns, the same walks of systems without a recording.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <perdure/replay.hpp>

#include "report.hpp"
#include "walkers.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

/// Of a run: what a GPU handles in some ten milliseconds, and a replay in some seconds.
constexpr double most_messages = 4e6;

/// Removed when the benchmark ends, however it does.
struct recording_file {
  std::filesystem::path at =
      std::filesystem::temp_directory_path() / fmt::format("perdure-bench-record-{}", getpid());
  ~recording_file() {
    std::error_code ignored;
    std::filesystem::remove(at, ignored);
  }
};

struct load {
  std::uint32_t actors, tokens, hops;
  double messages() const { return tokens * (hops + 1.0); }
};

/// The load of a run, by one that is not recorded.
load load_of_a_run(const bench_options& options) {
  auto system = perdure::system::start(bench_actors::actors(), options.system()).value();
  const bool cuda = system.layout().backend == "cuda";
  load l{static_cast<std::uint32_t>(options.actors != 0 ? options.actors
                                    : cuda              ? 100'000
                                                        : 10'000),
         system.layout().workers * 512, 8};
  walkers all{system, l.actors};
  const double took = all.walk(l.tokens, l.hops);
  all.check();
  const double fit = std::max(1.0, most_messages / l.tokens - 1);
  l.hops = static_cast<std::uint32_t>(std::clamp(l.hops * options.seconds / took, 1.0, fit));
  system.stop(60s).value();
  return l;
}

/// A system of its own that is not recorded, as each recorded one is. @return its messages a second.
double plain_run(const bench_options& options, const load& l) {
  auto system = perdure::system::start(bench_actors::actors(), options.system()).value();
  walkers all{system, l.actors};
  const double seconds = all.walk(l.tokens, l.hops);
  all.check();
  system.stop(60s).value();
  return l.messages() / seconds;
}

/// A recorded system of its own, its run, and its replay.
nlohmann::json recorded_run(const bench_options& options, const load& l, nlohmann::json& report) {
  const recording_file file;
  perdure::options how = options.system();
  how.record = file.at;
  auto system = perdure::system::start(bench_actors::actors(), how).value();
  if (!report.contains("device")) add_system(report, system, bench_actors::actors(), 0);
  walkers all{system, l.actors};
  const double seconds = all.walk(l.tokens, l.hops);
  note_load(report);
  const auto handled = all.check().at("handled").get<std::uint64_t>();
  const auto stopping = steady::now();
  system.stop(60s).value();
  const double stopped = seconds_since(stopping);
  const auto again = steady::now();
  const auto seen = perdure::replay(bench_actors::actors(), file.at).value();
  const double went = seconds_since(again);
  const std::uint64_t calls = handled + l.actors;  // each blue was greeted, too
  if (!seen.whole || seen.messages != calls || seen.compared != 2 * l.actors || seen.differ != 0) {
    throw wrong_answer{fmt::format(
        "record: {} of {} calls gone through again, {} of {} states compared, {} differ",
        seen.messages, calls, seen.compared, 2 * l.actors, seen.differ)};
  }
  return {{"messages", l.messages()},
          {"seconds", seconds},
          {"stop_seconds", stopped},
          {"calls", seen.messages},
          {"replay_seconds", went},
          {"states_compared", seen.compared},
          {"file_bytes", std::filesystem::file_size(file.at)}};
}

}  // namespace

nlohmann::json record(const bench_options& options) {
  nlohmann::json report = begin_report("record", options);
  const load l = load_of_a_run(options);
  std::vector<double> plain, rates, stops, replays, bytes;
  std::uint64_t calls = 0, compared = 0;
  for (std::uint32_t run = 0; run < options.runs; ++run) {  // in turns
    if (options.baselines) plain.push_back(plain_run(options, l));
    nlohmann::json one = recorded_run(options, l, report);
    const auto of = [&](const char* key) { return one.at(key).get<double>(); };
    rates.push_back(of("messages") / of("seconds"));
    stops.push_back(of("stop_seconds") * 1e3);
    replays.push_back(of("calls") / of("replay_seconds"));
    bytes.push_back(of("file_bytes") / of("calls"));
    calls += one.at("calls").get<std::uint64_t>();
    compared += one.at("states_compared").get<std::uint64_t>();
    report["runs"].push_back(std::move(one));
  }
  report["config"]["actors"] = 2 * l.actors;
  report["config"]["tokens"] = l.tokens;
  report["config"]["hops"] = l.hops;
  report["results"] = {{"recorded_messages_per_s", summary(rates)},
                       {"stop_ms", summary(stops)},
                       {"replayed_calls_per_s", summary(replays)},
                       {"file_bytes_a_call", summary(bytes)}};
  if (options.baselines) {
    report["baselines"]["not_recorded_messages_per_s"] = summary(plain);
    report["beside"]["recorded_messages_per_s"] = {"not_recorded_messages_per_s"};
  } else {
    report["baselines"]["not_recorded"] = {{"skipped", "--no-baselines was given"}};
  }
  report["answers"] = {
      {"calls_gone_through_again", calls}, {"states_compared", compared}, {"states_unlike", 0}};
  return report;
}

}  // namespace bench
