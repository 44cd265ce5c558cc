// tools/perdure/bench_hop_links.cpp - one hop between two wide actors over declared links, by where
// they live. Start and end of a sample as in bench_hop.cpp. Two actors of one worker are swapped at
// every hop: a worker holds one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hop_link_actors.actors.hpp"
#include "hop_samples.hpp"
#include "report.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

struct pair_of {
  const char* kind;
  std::uint32_t a, b;  ///< indices among the players
};

/// A few pairs of each class; an actor is in one of them only. `rows`: actors a worker that these
/// need.
std::vector<pair_of> choose_pairs(std::uint32_t workers, std::uint32_t cluster,
                                  std::uint32_t& rows) {
  std::vector<std::uint32_t> used(workers, 0);
  const auto take = [&](std::uint32_t worker) {
    rows = std::max(rows, used[worker] + 1);
    return worker + workers * used[worker]++;
  };
  std::vector<pair_of> pairs;
  const std::uint32_t each = std::min(4U, std::max(1U, workers / 4));
  std::uint32_t next = 0;  // workers in turn, so that few own two pairs
  const auto advance = [&] { return next++ % workers; };
  for (std::uint32_t k = 0; k < each; ++k) {
    const std::uint32_t w = advance();
    pairs.push_back({"link_same_worker", take(w), take(w)});
  }
  for (std::uint32_t k = 0; cluster > 1 && k < each; ++k) {
    const std::uint32_t w = k * cluster % workers;
    pairs.push_back({"link_cluster", take(w), take(w + 1)});
  }
  for (std::uint32_t k = 0; workers > cluster && k < each; ++k) {
    const std::uint32_t w = workers - 1 - k * cluster % workers;
    const std::uint32_t other = (w + workers / 2) % workers;
    if (w / cluster == other / cluster) continue;
    pairs.push_back({"link_any", take(w), take(other)});
  }
  return pairs;
}

perdure::system start_with_clusters(const bench_options& options) {
  perdure::options how = options.system();
  how.cluster = options.cluster != 0 ? options.cluster : 2;
  if (options.backend != perdure::backend::cpu) {
    auto made = perdure::system::start(hop_link_actors::actors(), how);
    if (made || options.cluster != 0) return std::move(made.value());
  }
  how.cluster = options.cluster;
  return perdure::system::start(hop_link_actors::actors(), how).value();
}

}  // namespace

void hop_links(nlohmann::json& report, const bench_options& options) {
  auto system = start_with_clusters(options);
  const std::uint32_t workers = system.layout().workers, cluster = system.layout().cluster;
  auto box = system.make_mailbox<link_rally_end>(16).value();
  wide_player fresh;
  fresh.to = box.ref().bits;
  std::uint32_t rows = 1;
  const std::vector<pair_of> pairs = choose_pairs(workers, cluster, rows);
  auto players = system.spawn<wide_player>(std::size_t{rows} * workers, fresh).value();
  std::vector<perdure::link> links;
  for (const pair_of& p : pairs) {
    constexpr auto court = wide_player::port::court;
    links.push_back(perdure::link{players[p.a], court, players[p.b], court});
    links.push_back(perdure::link{players[p.b], court, players[p.a], court});
  }
  system.link(links).value();

  hop_samples samples;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const auto from = steady::now();
    do {
      for (const pair_of& p : pairs) {
        system.send(players[p.a], link_serve{hops_a_sample}).value();
        perdure::mailbox<link_rally_end>::letter_type got[1];
        if (box.receive(got, 10s).value() != 1) {
          throw wrong_answer{
              fmt::format("hop: a rally of {} did not end within ten seconds", p.kind)};
        }
        const link_rally_end& end = got[0].body;
        if (end.hops != hops_a_sample || end.errors != 0) {
          throw wrong_answer{fmt::format("hop: a rally of {} ended after {} hops with {} errors",
                                         p.kind, end.hops, end.errors)};
        }
        samples.add(p.kind, static_cast<double>(end.microseconds) / hops_a_sample);
      }
    } while (seconds_since(from) < options.seconds / 4);
    samples.end_run();
  }
  samples.into(report);
  const auto layout = system.layout();
  report["links"] = {{"workers", layout.workers}, {"lanes", layout.lanes},
                     {"cluster", layout.cluster}, {"pairs", pairs.size()},
                     {"links", layout.links},     {"links_on_chip", layout.links_on_chip}};
  report["config"]["link_payload_bytes"] = sizeof(link_ball);
  system.quiesce(10s).value();
  const auto stats = system.statistics();
  const std::uint64_t hops = samples.count() * hops_a_sample;
  if (stats.fired != hops || stats.link_taken != hops || stats.dead_total() != 0) {
    throw wrong_answer{fmt::format("hop: {} firings, {} messages taken from links, not {}",
                                   stats.fired, stats.link_taken, hops)};
  }
  report["answers"]["link_hops"] = hops;
  report["answers"]["link_errors"] = 0;
  system.stop(5s).value();
}

}  // namespace bench
