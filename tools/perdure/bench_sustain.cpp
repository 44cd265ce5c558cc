// tools/perdure/bench_sustain.cpp - a minute of the same load: on the device alone, and fed by the
// host at 80 % of what it can. What is shown is every window, not the mean; what is checked is
// every message. Device only: tokens walk as in route, as many as make the largest rate. Host-fed:
// notes as in inject, whose largest rate is measured first, in the same run.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <future>

#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "notes.hpp"
#include "report.hpp"
#include "threads.hpp"
#include "walkers.hpp"
#include "windows.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr double fed_share = 0.8;
/// Seconds that a thread which was held up, be it by a full lane, makes good; what it is late beyond
/// that it leaves out, so that no window is fed at more than the rate for long. How much that was is
/// reported.
constexpr double most_behind = 0.01;

/// Nothing lost, nothing left. @throws wrong_answer
void check_books(perdure::system& system, const char* mode, nlohmann::json& report) {
  const auto s = system.statistics();
  if (s.sent != s.handled + s.dead_total() + s.queued || s.queued != 0 || s.dead_total() != 0) {
    throw wrong_answer{fmt::format("sustain, {}: {} sent, {} handled, {} dead letters, {} queued",
                                   mode, s.sent, s.handled, s.dead_total(), s.queued)};
  }
  report["answers"][mode] = {
      {"sent", s.sent}, {"handled", s.handled}, {"dead_letters", 0}, {"queued", 0}};
}

std::uint64_t quiesce_seconds(const bench_options& o) {
  return 60 + static_cast<std::uint64_t>(o.seconds);
}

void device_only(nlohmann::json& report, const bench_options& options, perdure::system& system,
                 windows& seen, bool cuda) {
  const std::uint64_t actors = options.actors != 0 ? options.actors : cuda ? 1'000'000 : 10'000;
  walkers all{system, static_cast<std::uint32_t>(std::max<std::uint64_t>(2, actors) / 2)};
  const std::uint32_t tokens = system.layout().workers * 1024;
  std::uint32_t hops = 20;
  double took = all.walk(tokens, hops);
  while (took < std::min(0.5, options.seconds) && hops < (1U << 24U))
    took = all.walk(tokens, hops *= 4);
  // a tenth longer than what is watched, so that no window sees the end
  hops = static_cast<std::uint32_t>(std::clamp(1.1 * hops * options.seconds / took, 20.0, 4e9));
  const double due = static_cast<double>(tokens) * hops;
  const auto before = static_cast<double>(system.statistics().handled);
  all.send_out(tokens, hops);
  seen.watch(options.seconds, [&](std::uint64_t handled) {
    return static_cast<double>(handled) - before >= 0.99 * due;
  });
  note_load(report);
  system.quiesce(std::chrono::seconds{quiesce_seconds(options)}).value();
  all.check();
  report["config"]["actors"] = actors;
  report["config"]["tokens"] = tokens;
  report["config"]["hops"] = hops;
}

void host_fed(nlohmann::json& report, const bench_options& options, perdure::system& system,
              windows& seen, bool cuda, std::uint32_t threads) {
  std::vector<notes_of_a_thread> lanes;
  const std::size_t actors = cuda ? 65536 : 1024;
  for (std::uint32_t t = 0; t < threads; ++t) lanes.emplace_back(system, actors / threads);
  const auto sent = [&] {
    std::uint64_t n = 0;
    for (const auto& one : lanes) n += one.sent();
    return static_cast<double>(n);
  };
  const double trial = std::min(2.0, options.seconds / 5);
  double most = 0;
  for (int i = 0; i < 2; ++i) {  // the first one warms up
    const double before = sent();
    const auto from = on_threads(threads, [&](std::uint32_t t) {
      for (const auto mine = steady::now(); seconds_since(mine) < trial;) lanes[t].lap(true);
    });
    system.quiesce(60s).value();
    most = (sent() - before) / seconds_since(from);
  }
  const double rate = fed_share * most / threads;  // of one thread
  std::vector<double> left_out(threads);           // seconds
  auto feeding = std::async(std::launch::async, [&] {
    on_threads(threads, [&](std::uint32_t t) {
      const auto mine = steady::now();
      double due = 0;
      for (double now = 0; now < options.seconds; now = seconds_since(mine)) {
        if (due <= now) {
          const auto before = static_cast<double>(lanes[t].sent());
          lanes[t].lap(true);
          left_out[t] += std::max(0.0, now - most_behind - due);
          due = std::max(due, now - most_behind) +
                (static_cast<double>(lanes[t].sent()) - before) / rate;
        } else {
          std::this_thread::yield();
        }
      }
    });
  });
  seen.watch(options.seconds,
             [&](std::uint64_t) { return feeding.wait_for(0s) == std::future_status::ready; });
  note_load(report);
  feeding.get();
  system.quiesce(60s).value();
  for (const auto& one : lanes) one.check();
  report["config"]["fed_threads"] = threads;
  report["config"]["fed_most_seconds_made_good"] = most_behind;
  report["results"]["host_fed_seconds_left_out"] = summary(left_out);  // one a thread
  report["results"]["host_most_messages_per_s"] = summary({most});
  report["config"]["fed_share_of_most"] = fed_share;
}

}  // namespace

nlohmann::json sustain(const bench_options& options) {
  nlohmann::json report = begin_report("sustain", options);
  report["runs"] = nlohmann::json::array();
  const double window = std::min(1.0, options.seconds / 10);
  report["config"]["window_seconds"] = window;
  const std::uint32_t threads = thread_counts(options.threads).back();
  perdure::options how = options.system();
  how.host_lanes = std::max(8U, threads);
  for (const char* mode : {"device_only", "host_fed"}) {  // a system each: books of their own
    auto system = perdure::system::start(bench_actors::actors(), how).value();
    if (!report.contains("layout")) add_system(report, system, bench_actors::actors(), 0);
    const bool cuda = system.layout().backend == "cuda";
    const std::string uuid =
        cuda && report["device"].is_object() ? report["device"].value("uuid", "") : "";
    windows seen{system, window, uuid};
    if (std::string{mode} == "device_only") {
      device_only(report, options, system, seen, cuda);
    } else {
      host_fed(report, options, system, seen, cuda, threads);
    }
    seen.into(report, mode);
    check_books(system, mode, report);
    system.stop(5s).value();
  }
  return report;
}

}  // namespace bench
