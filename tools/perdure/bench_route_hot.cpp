// tools/perdure/bench_route_hot.cpp - one counter that all other actors send to.
// Start of a run: before the pumps are told to begin. End: quiesce() has seen every message
// handled. The counter's count and sum must be those of what the pumps say that they sent, which
// the host works out, too.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "baseline_hot.hpp"
#include "bench.hpp"
#include "hot_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "send_all.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

class hot_spot {
 public:
  hot_spot(perdure::system& system, std::uint32_t pumps) : system_{system} {
    hub_ = system.spawn<hub>().value()[0];
    pumps_ = system
                 .spawn<pump>(pumps,
                              [&](std::size_t i) {
                                pump p;
                                p.to = hub_.bits;
                                p.place = static_cast<std::uint32_t>(i);
                                return p;
                              })
                 .value();
    to_.assign(pumps_.begin(), pumps_.end());
    system.send(hub_, meet{pumps_[0].bits}).value();
    system.quiesce(30s).value();
  }

  double run(std::uint32_t bursts) {
    const std::vector<begin> starts(to_.size(), begin{bursts});
    const auto from = steady::now();
    send_all<pump, begin>(system_, to_, starts, "route --hot");
    system_.quiesce(120s).value();
    const double seconds = seconds_since(from);
    bursts_ += bursts;
    return seconds;
  }
  double messages(std::uint32_t bursts) const {
    return static_cast<double>(bursts) * burst * static_cast<double>(to_.size());
  }

  nlohmann::json check() const {
    const hub h = system_.view(hub_).value();
    std::vector<pump> states(to_.size());
    system_.view(pumps_, std::span{states}).value();
    std::uint64_t sent = 0, errors = h.errors;
    std::uint32_t sum = 0;
    for (const pump& p : states) {
      errors += p.errors + (p.number != static_cast<std::uint32_t>(bursts_ * burst) ? 1U : 0U);
      sent += bursts_ * burst;
      sum += p.sum;
    }
    const std::uint64_t dead = system_.statistics().dead_total();
    if (h.handled != sent || h.sum != sum || errors != 0 || dead != 0) {
      throw wrong_answer{fmt::format(
          "route --hot: {} of {} handled, sum {:#x} not {:#x}, {} errors, {} dead "
          "letters{}",
          h.handled, sent, h.sum, sum, errors, dead, dead != 0 ? ": give fewer --actors" : "")};
    }
    return {{"handled", h.handled}, {"errors", errors}, {"checksum", sum}, {"dead_letters", dead}};
  }

 private:
  perdure::system& system_;
  perdure::ref<hub> hub_;
  perdure::range<pump> pumps_;
  std::vector<perdure::ref<pump>> to_;
  std::uint64_t bursts_ = 0;
};

}  // namespace

nlohmann::json route_hot(const bench_options& options) {
  nlohmann::json report = begin_report("route", options);
  {  // the loop must be gone before a kernel by hand can be loaded
    auto system = perdure::system::start(hot_actors::actors(), options.system()).value();
    add_system(report, system, hot_actors::actors(), 0);
    const bool cuda = system.layout().backend == "cuda";
    const std::uint64_t pumps = options.actors != 0 ? options.actors : cuda ? 2048 : 64;
    hot_spot all{system, static_cast<std::uint32_t>(pumps)};

    std::uint32_t bursts = 4;
    double took = all.run(bursts);
    while (took < std::min(0.1, options.seconds) && bursts < (1U << 24U))
      took = all.run(bursts *= 4);
    bursts = static_cast<std::uint32_t>(std::clamp(bursts * options.seconds / took, 1.0, 1e8));
    std::vector<double> rate;
    nlohmann::json raw = nlohmann::json::array(), answers;
    for (std::uint32_t run = 0; run < options.runs; ++run) {
      const auto before = system.statistics();
      const double seconds = all.run(bursts);
      const auto after = system.statistics();
      rate.push_back(all.messages(bursts) / seconds);
      raw.push_back({{"messages", all.messages(bursts)},
                     {"seconds", seconds},
                     {"batches", after.batches - before.batches},
                     {"rounds", after.rounds - before.rounds},
                     {"spilled", after.spilled - before.spilled}});
      if (run + 1 == options.runs) note_load(report);
      answers = all.check();
    }
    report["config"]["actors"] = pumps + 1;
    report["config"]["burst"] = burst;
    report["config"]["bursts"] = bursts;
    report["config"]["payload_bytes"] = sizeof(bump);
    report["results"] = {{"hot_messages_per_s", summary(rate)}};
    report["runs"] = std::move(raw);
    report["answers"] = std::move(answers);
    system.stop(5s).value();
  }
  report["baselines"] = hot_baselines(options);
  return report;
}

}  // namespace bench
