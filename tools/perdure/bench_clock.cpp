// tools/perdure/bench_clock.cpp - how nearly host and workers agree on the wall clock, as said and as seen, over minutes.
// Said: the bound of statistics(). Seen: actors send letters unasked, and a letter that comes before its own stamp, by
// more than the bound, refutes it. Start of a sample: the stamp. End: receive() has given the letter to the calling thread.
// Stamps are cut to whole microseconds, so a letter less than one microsecond too early is not found.
// A letter's way is part of what is seen on the other side, so the least of it, and not the most, is what the clocks owe.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench.hpp"
#include "clock_actors.actors.hpp"
#include "report.hpp"
#include "runtime/system/host_time.hpp"
#include "samples.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t period_ns = 1'000'000;

/// A part of the run; all in microseconds.
struct window {
  std::vector<double> bounds;  ///< as said
  std::vector<double> late;    ///< letters, behind their stamps
  double ahead = -1e9;         ///< the letter that was the most ahead of the host's clock
};

}  // namespace

nlohmann::json clock(const bench_options& options) {
  nlohmann::json report = begin_report("clock", options);
  auto system = perdure::system::start(clock_actors::actors(), options.system()).value();
  add_system(report, system, clock_actors::actors(), 0);
  const std::uint32_t workers = system.layout().workers;
  auto tickers = system.spawn<clocks::ticker>(workers).value();
  auto box = system.make_mailbox<clocks::tick>(1U << 16U).value();
  const std::uint32_t listened = std::min(workers, 8U);  // spread over the workers
  std::vector<perdure::ref<clocks::ticker>> heard;
  for (std::uint32_t i = 0; i < listened; ++i) {
    const std::size_t at = std::size_t{i} * (workers - 1) / std::max(1U, listened - 1);
    heard.push_back(tickers[at]);
    system.send(heard.back(), clocks::wind{period_ns, box.ref()}).value();
  }
  const std::size_t parts = std::max<std::size_t>(5, static_cast<std::size_t>(options.seconds));
  std::vector<window> windows(parts);
  std::vector<perdure::letter<clocks::tick>> letters(1024);
  const auto from = steady::now();
  std::uint64_t came = 0;
  std::map<perdure::any_ref, std::uint64_t> next;  // number of each actor's next letter
  // a period is what a tick takes at the least, so the time ends the run, and not a number of ticks
  for (double asked = -1, at = 0; at < options.seconds || next.size() < listened;
       at = seconds_since(from)) {
    if (at > options.seconds + 30)
      throw wrong_answer{
          fmt::format("clock: letters of {} of {} actors came", next.size(), listened)};
    window& now = windows[std::min(
        parts - 1, static_cast<std::size_t>(at / options.seconds * static_cast<double>(parts)))];
    if (at - asked >= 0.05) {  // as often as the clocks are aligned
      asked = at;
      now.bounds.push_back(static_cast<double>(system.statistics().clock_bound_ns) / 1e3);
    }
    const std::size_t n = box.receive(letters, 20ms).value();
    const double host_us = static_cast<double>(perdure::runtime::wall_clock_ns()) / 1e3;
    for (std::size_t i = 0; i < n; ++i) {
      if (letters[i].body.number != next[letters[i].sender]++)
        throw wrong_answer{"clock: a letter is missing, or came twice"};
      const double late = host_us - static_cast<double>(letters[i].at.microseconds());
      now.late.push_back(late);
      now.ahead = std::max(now.ahead, -late);
    }
    came += n;
  }
  std::vector<double> said, least, p50;
  double worst = 0, ahead = -1e9;
  for (window& w : windows) {
    if (w.bounds.empty() || w.late.empty()) continue;
    const double bound = *std::max_element(w.bounds.begin(), w.bounds.end());
    said.push_back(bound);
    least.push_back(*std::min_element(w.late.begin(), w.late.end()));
    p50.push_back(percentile(w.late, 50));
    worst = std::max(worst, bound);
    ahead = std::max(ahead, w.ahead);
    report["runs"].push_back({{"bounds_us", w.bounds},
                              {"letters", w.late.size()},
                              {"least_us", least.back()},
                              {"p50_us", p50.back()}});
  }
  if (system.layout().backend == "cuda" && ahead > worst) {  // a CPU's workers read the host's own
    throw wrong_answer{fmt::format(
        "clock: a letter came {:.2f} us before its stamp, but the clocks were said to agree to {:.2f} us",
        ahead, worst)};
  }
  for (const auto& one : heard) system.send(one, clocks::halt{}).value();
  report["config"]["windows"] = said.size();
  report["config"]["listened_to"] = listened;
  report["results"] = {{"bound_us", summary(said)},
                       {"letter_least_us", summary(least)},
                       {"letter_p50_us", summary(p50)}};
  report["answers"] = {{"letters", came},
                       {"actors", next.size()},
                       {"worst_bound_us", worst},
                       {"most_ahead_us", ahead}};
  note_load(report);
  system.quiesce(5s).value();
  system.stop(5s).value();
  return report;
}

}  // namespace bench
