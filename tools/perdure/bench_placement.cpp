// tools/perdure/bench_placement.cpp - what it brings to move actors to those that they talk to, and what counting costs.
// Start of a run: before the first token is sent. End: quiesce() has returned. Checked: each message by its receiver, all
// counts and sums after each run, through all moves. Beside it the same program where placement is fixed.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench.hpp"
#include "placement_actors.actors.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "send_all.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

class quarters {
 public:
  quarters(perdure::system& system, std::uint32_t count, std::uint32_t tokens)
      : system_{system}, tokens_{tokens}, states_(count) {
    // a group must not begin at another index than a multiple of its size
    actors_ = system
                  .spawn<neighbour>(count,
                                    [](std::size_t i) {
                                      neighbour n;
                                      n.index = static_cast<std::uint32_t>(i);
                                      return n;
                                    })
                  .value();
  }

  /// @return the seconds until all have come to rest.
  double walk(std::uint32_t hops) {
    std::vector<perdure::ref<neighbour>> to;
    std::vector<visit> first;
    const auto groups = static_cast<std::uint32_t>(states_.size()) / group_size;
    for (std::uint32_t t = 0; t < tokens_; ++t) {
      const visit v{mix(++tokens_made_), hops};
      to.push_back(actors_[t % groups * group_size + member_of(v)]);
      first.push_back(v);
      sent_by_host_ += worth_of(v);
    }
    const auto from = steady::now();
    send_all<neighbour, visit>(system_, to, first, "placement");
    system_.quiesce(120s).value();
    const double seconds = seconds_since(from);
    expected_ += std::uint64_t{tokens_} * (std::uint64_t{hops} + 1);
    check();
    return seconds;
  }
  /// Hops that make a run of the wanted length.
  std::uint32_t hops_for(double wanted) {
    std::uint32_t hops = 20;
    double took = walk(hops);
    while (took < std::min(0.1, wanted) && hops < (1U << 22U)) took = walk(hops *= 4);
    return static_cast<std::uint32_t>(std::clamp(hops * wanted / took, 1.0, 1e9));
  }
  nlohmann::json answers() const {
    return {{"handled", expected_}, {"errors", 0}, {"checksum", checksum_}};
  }

 private:
  void check() {
    system_.view(actors_, std::span{states_}).value();
    std::uint32_t handled = 0, errors = 0, received = 0, sent = sent_by_host_;
    for (const neighbour& n : states_) {
      handled += n.handled;
      errors += n.errors;
      received += n.received;
      sent += n.sent;
    }
    checksum_ = received;
    const std::uint64_t dead = system_.statistics().dead_total();
    if (handled == static_cast<std::uint32_t>(expected_) && errors == 0 && sent == received &&
        dead == 0)
      return;
    throw wrong_answer{fmt::format(
        "placement: {} of {} messages handled (modulo 2^32), {} astray or late, {} dead letters, "
        "{:#x} sent and {:#x} received",
        handled, expected_, errors, dead, sent, received)};
  }

  perdure::system& system_;
  std::uint32_t tokens_;
  perdure::range<neighbour> actors_;
  std::vector<neighbour> states_;
  std::uint32_t tokens_made_ = 0, sent_by_host_ = 0, checksum_ = 0;
  std::uint64_t expected_ = 0;
};

nlohmann::json runs_of(const bench_options& options, quarters& all, std::uint32_t tokens,
                       std::uint32_t hops, const char* when, nlohmann::json& raw) {
  std::vector<double> rate;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const double seconds = all.walk(hops);
    const double messages = static_cast<double>(tokens) * (static_cast<double>(hops) + 1);
    rate.push_back(messages / seconds);
    raw.push_back({{"when", when}, {"messages", messages}, {"seconds", seconds}});
  }
  return summary(rate);
}

struct crowd_size {
  std::uint32_t actors, tokens;
};
crowd_size size_of(const bench_options& options, std::uint32_t workers) {
  const std::uint64_t actors = options.actors != 0 ? options.actors : std::uint64_t{workers} * 1024;
  if (actors % group_size != 0 || actors > 0xffff'0000U) {
    throw perdure::bad_result{perdure::error{
        perdure::errc::bad_option,
        fmt::format("--actors {}: placement needs a multiple of {}", actors, group_size)}};
  }
  return {static_cast<std::uint32_t>(actors), workers * 512};
}

nlohmann::json fixed_runs(const bench_options& options, nlohmann::json& raw) {
  if (!options.baselines) return {{"skipped", "--no-baselines was given"}};
  auto system = perdure::system::start(placement_actors::actors(), options.system()).value();
  const crowd_size size = size_of(options, system.layout().workers);
  quarters all{system, size.actors, size.tokens};
  const std::uint32_t hops = all.hops_for(options.seconds);
  nlohmann::json rates = runs_of(options, all, size.tokens, hops, "fixed", raw);
  system.stop(5s).value();
  return rates;
}

}  // namespace

nlohmann::json placement(const bench_options& options) {
  nlohmann::json report = begin_report("placement", options);
  report["runs"] = nlohmann::json::array();
  const nlohmann::json fixed = fixed_runs(options, report["runs"]);
  report["baselines"][fixed.contains("skipped") ? "fixed" : "fixed_messages_per_s"] = fixed;
  perdure::options counted = options.system();
  counted.placement = perdure::placement::counted;
  auto system = perdure::system::start(placement_actors::actors(), counted).value();
  add_system(report, system, placement_actors::actors(), 0);
  const crowd_size size = size_of(options, system.layout().workers);
  quarters all{system, size.actors, size.tokens};
  const std::uint32_t hops = all.hops_for(options.seconds);
  report["config"]["actors"] = size.actors;
  report["config"]["tokens"] = size.tokens;
  report["config"]["hops"] = hops;
  report["results"]["counted_messages_per_s"] =
      runs_of(options, all, size.tokens, hops, "counted", report["runs"]);
  for (const char* figure : {"counted_messages_per_s", "rebalanced_messages_per_s"})
    report["beside"][figure] = {"fixed_messages_per_s"};
  const auto from = steady::now();
  const perdure::placement_report moved = system.rebalance(60s).value();
  const double seconds = seconds_since(from);
  report["results"]["rebalanced_messages_per_s"] =
      runs_of(options, all, size.tokens, hops, "rebalanced", report["runs"]);
  note_load(report);
  const perdure::tiers after = system.placement().value().sent;
  nlohmann::json told = nlohmann::json::parse(moved.json());
  told.erase("workers");
  for (auto& type : told.at("types")) type.erase("at");
  report["placement"] = {{"rebalance_seconds", seconds},
                         {"report", told},
                         {"share_of_own_worker",
                          {{"counted_before", moved.sent.share_of_own_worker()},
                           {"predicted", moved.predicted.share_of_own_worker()},
                           {"counted_after", after.share_of_own_worker()}}}};
  report["answers"] = all.answers();
  report["answers"]["moved"] = moved.types.at(0).moved;
  report["answers"]["share_of_own_worker"] = report["placement"]["share_of_own_worker"];
  if (system.layout().workers > 1 &&
      after.share_of_own_worker() <= moved.sent.share_of_own_worker())
    throw wrong_answer{"placement: messages go as far as before"};
  system.stop(5s).value();
  return report;
}

}  // namespace bench
