// tools/perdure/bench_hop.cpp - one hop between two small actors, by where they live; and the whole
// of `perdure bench hop`.
// Start of a sample: the first player sends. End: the last one has the ball; both by the device's
// clock. The host waits for the letter that says so, and then knows that every hop was in its turn.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hop_actors.actors.hpp"
#include "hop_samples.hpp"
#include "report.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

struct court {
  perdure::system& system;
  perdure::mailbox<rally_end>& box;
  double host_us = 0;  ///< from the host's send to the letter in its hand, summed

  /// @return microseconds a hop.
  double rally(perdure::ref<player> a, perdure::ref<player> b) {
    const auto from = steady::now();
    system.send(a, serve{b.bits, hops_a_sample}).value();
    perdure::mailbox<rally_end>::letter_type got[1];
    if (box.receive(got, 10s).value() != 1)
      throw wrong_answer{"hop: a rally did not end within ten seconds"};
    host_us += seconds_since(from) * 1e6;
    const rally_end& end = got[0].body;
    if (end.hops != hops_a_sample || end.errors != 0) {
      throw wrong_answer{
          fmt::format("hop: a rally ended after {} hops with {} errors", end.hops, end.errors)};
    }
    return static_cast<double>(end.microseconds) / hops_a_sample;
  }
};

/// Up to 24 workers, evenly over all.
std::vector<std::uint32_t> sampled(std::uint32_t workers) {
  const std::uint32_t most = std::min(workers, 24U);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < most; ++i)
    chosen.push_back(static_cast<std::uint32_t>(std::uint64_t{i} * workers / most));
  return chosen;
}

}  // namespace

void hop_inbox(nlohmann::json& report, const bench_options& options) {
  perdure::options how = options.system();
  how.cluster = options.cluster;
  auto system = perdure::system::start(hop_actors::actors(), how).value();
  add_system(report, system, hop_actors::actors(), 0);
  const std::uint32_t workers = system.layout().workers, cluster = system.layout().cluster;
  auto box = system.make_mailbox<rally_end>(16).value();
  player fresh;
  fresh.to = box.ref().bits;
  // two a worker; whose worker an actor has follows from its index
  auto players = system.spawn<player>(std::size_t{2} * workers, fresh).value();
  if (static_cast<std::uint32_t>(players[0].bits) % workers != 0)
    throw std::logic_error{"hop: the first actor does not live on the first worker"};
  court c{system, box};
  const std::vector<std::uint32_t> chosen = sampled(workers);
  const auto kind = [&](std::uint32_t a, std::uint32_t b) {
    return a == b                       ? "inbox_same_worker"
           : a / cluster == b / cluster ? "inbox_cluster"
                                        : "inbox_any";
  };
  hop_samples samples;
  std::vector<std::vector<double>> sums(chosen.size(), std::vector<double>(chosen.size(), 0.0));
  std::uint32_t passes = 0;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const auto from = steady::now();
    do {
      ++passes;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t j = i; j < chosen.size(); ++j) {
          const std::uint32_t a = chosen[i], b = chosen[j];
          const double us = c.rally(players[a], players[workers + b]);
          samples.add(kind(a, b), us);
          sums[i][j] += us;
          if (i != j) sums[j][i] += us;
        }
        const std::uint32_t a = chosen[i], b = a ^ 1U;  // its neighbour of a cluster of two or more
        if (cluster > 1) samples.add(kind(a, b), c.rally(players[a], players[workers + b]));
      }
    } while (seconds_since(from) < options.seconds);
    samples.end_run();
  }
  note_load(report);
  for (auto& row : sums) {
    for (double& one : row) one /= passes;
  }
  report["matrices"]["inbox_hop"] = {
      {"unit", "us a hop"}, {"rows", chosen}, {"columns", chosen}, {"values", sums}};
  samples.into(report);
  report["config"]["hops_a_sample"] = hops_a_sample;
  report["config"]["cluster"] = cluster;
  report["config"]["inbox_payload_bytes"] = sizeof(ball);
  const std::uint64_t rallies = samples.count();
  report["results"]["inbox_host_seen_us"] =
      summary({c.host_us / static_cast<double>(rallies) / hops_a_sample});
  system.quiesce(10s).value();
  const auto stats = system.statistics();
  if (stats.handled != rallies * (hops_a_sample + 1) || stats.dead_total() != 0) {
    throw wrong_answer{fmt::format("hop: {} messages handled, not {}; {} dead letters",
                                   stats.handled, rallies * (hops_a_sample + 1),
                                   stats.dead_total())};
  }
  report["answers"]["inbox_hops"] = rallies * hops_a_sample;
  report["answers"]["inbox_errors"] = 0;
  system.stop(5s).value();
}

nlohmann::json hop(const bench_options& options) {
  nlohmann::json report = begin_report("hop", options);
  report["results"] = nlohmann::json::object();
  report["runs"] = nlohmann::json::array();
  hop_inbox(report, options);
  hop_links(report, options);
  hop_tear(report, options);
  report["baselines"] = hop_baselines(options);
  return report;
}

}  // namespace bench
