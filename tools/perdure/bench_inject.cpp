// tools/perdure/bench_inject.cpp - one host thread sends 38-byte messages to counting actors.
// Start of a run: before the first send_many. End: quiesce() has seen every message handled. The actors count,
// sum and check the order; the host reads their states and compares with what it sent.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"

namespace bench {
namespace {

/// The notes of one lap: note i goes to actor i.
struct lap_of_notes {
  std::vector<perdure::ref<counter>> to;
  std::vector<note> notes;
  explicit lap_of_notes(const perdure::range<counter>& actors)
      : to(actors.begin(), actors.end()), notes(to.size()) {
    for (std::uint32_t i = 0; i < notes.size(); ++i) {
      for (unsigned h = 2; h < full_halves; ++h) notes[i].halves[h] = cargo(mix(i), h);
    }
  }
  void number(std::uint32_t lap) {
    for (note& n : notes) put_word(n.halves, 0, lap);
  }
};

void check(perdure::system& system, const perdure::range<counter>& actors, lap_of_notes& sent,
           std::uint32_t laps) {
  std::vector<counter> states(actors.size());
  system.view(actors, std::span{states}).value();
  for (std::size_t i = 0; i < states.size(); ++i) {
    note n = sent.notes[i];
    put_word(n.halves, 0, 0);
    std::uint64_t sum = sum_of(n) * laps;
    for (std::uint32_t lap = 0; lap < laps; ++lap) sum += (lap & 0xffffU) + 3ULL * (lap >> 16U);
    const counter& c = states[i];
    if (c.handled != laps || c.sum != sum || c.errors != 0) {
      throw wrong_answer{
          fmt::format("inject: actor {} of {} handled {} of {}, sum {} not {}, {} out of order", i,
                      states.size(), c.handled, laps, c.sum, sum, c.errors)};
    }
  }
}

}  // namespace

nlohmann::json inject(const bench_options& options) {
  using namespace std::chrono_literals;
  nlohmann::json report = begin_report("inject", options);
  auto system = perdure::system::start(bench_actors::actors(), options.system()).value();
  add_system(report, system, bench_actors::actors(), 0);
  const bool cuda = system.layout().backend == "cuda";
  const std::uint64_t count = options.actors != 0 ? options.actors : cuda ? 65536 : 1024;
  auto actors = system.spawn<counter>(count).value();
  lap_of_notes lap{actors};
  std::uint32_t laps = 0;
  auto send_lap = [&] {
    lap.number(laps);
    for (std::size_t at = 0; at < count;) {
      const std::size_t some = std::min<std::size_t>(count - at, 4096);
      const std::size_t sent = system
                                   .send_many<counter, note>(std::span{lap.to}.subspan(at, some),
                                                             std::span{lap.notes}.subspan(at, some))
                                   .value();
      if (sent == 0)
        throw perdure::bad_result{perdure::error{perdure::errc::inbox_full,
                                                 "inject: no note was taken within send_timeout"}};
      at += sent;
    }
    ++laps;
  };
  send_lap();  // warm-up
  system.quiesce(30s).value();

  std::vector<double> rate, accepted_rate;
  nlohmann::json raw = nlohmann::json::array();
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const std::uint32_t before = laps;
    const auto from = steady::now();
    do send_lap();
    while (seconds_since(from) < options.seconds);
    const double accepted = seconds_since(from);
    system.quiesce(30s).value();
    const double handled = seconds_since(from);
    const double messages = static_cast<double>(laps - before) * static_cast<double>(count);
    rate.push_back(messages / handled);
    accepted_rate.push_back(messages / accepted);
    raw.push_back({{"messages", messages}, {"accepted_s", accepted}, {"handled_s", handled}});
    check(system, actors, lap, laps);
  }
  report["config"]["actors"] = count;
  report["config"]["payload_bytes"] = sizeof(note);
  report["results"] = {{"messages_per_s", summary(rate)},
                       {"accepted_per_s", summary(accepted_rate)}};
  report["runs"] = std::move(raw);
  report["answers"] = {
      {"handled", static_cast<std::uint64_t>(laps) * count}, {"lost", 0}, {"out_of_order", 0}};
  system.stop(5s).value();
  return report;
}

}  // namespace bench
