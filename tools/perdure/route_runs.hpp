// tools/perdure/route_runs.hpp - what the kinds of `perdure bench route` share: how long a walk is,
// and what is reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "baseline_route.hpp"
#include "kernels/abi/actor_slot.cuh"
#include "report.hpp"
#include "samples.hpp"

namespace bench {

/// The options, with what suits the backend where they say 0.
inline route_shape shape_of(const bench_options& options, const perdure::layout_report& layout,
                            std::uint32_t payload) {
  route_shape s;
  s.cuda = layout.backend == "cuda";
  const std::uint64_t actors = options.actors != 0 ? options.actors : s.cuda ? 1'000'000 : 10'000;
  if (actors < 2) {
    throw perdure::bad_result{
        perdure::error{perdure::errc::bad_option, "--actors 1: route needs two or more"}};
  }
  s.actors = static_cast<std::uint32_t>(actors);
  s.tokens = options.tokens != 0 ? options.tokens : layout.workers * 1024;
  s.runs = options.runs;
  s.seconds = options.seconds;
  s.payload = payload;
  return s;
}

/// Bytes that an actor takes: its slot in the arena, and its part of a table with one pointer a
/// chunk.
template <class A>
void add_memory(nlohmann::json& report, const route_shape& shape, std::uint32_t workers) {
  report["config"]["actors"] = shape.actors;
  report["memory"] = {{"state_bytes", sizeof(A)},
                      {"slot_bytes", perdure::abi::slot_stride(sizeof(A), alignof(A))},
                      {"table_bytes_a_slot", 8.0 / perdure::abi::chunk_slots / workers}};
}

/// Warms up, finds how many hops make a run of the wanted length, runs, and checks all states after
/// each run. `Walkers`: walk(tokens, hops) gives seconds; check() gives the answers or throws
/// wrong_answer.
template <class Walkers>
void run_walks(nlohmann::json& report, const bench_options& options, perdure::system& system,
               Walkers& all, std::uint32_t tokens) {
  std::uint32_t hops = 20;
  double took = all.walk(tokens, hops);
  all.check();
  while (took < std::min(0.1, options.seconds) && hops < (1U << 22U))
    took = all.walk(tokens, hops *= 4);
  hops = static_cast<std::uint32_t>(std::clamp(hops * options.seconds / took, 1.0, 1e9));

  std::vector<double> rate;
  nlohmann::json raw = nlohmann::json::array(), answers;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const auto before = system.statistics();
    const double seconds = all.walk(tokens, hops);
    const auto after = system.statistics();
    const double messages = static_cast<double>(tokens) * (static_cast<double>(hops) + 1);
    rate.push_back(messages / seconds);
    raw.push_back({{"messages", messages},
                   {"seconds", seconds},
                   {"batches", after.batches - before.batches},
                   {"rounds", after.rounds - before.rounds},
                   {"spilled", after.spilled - before.spilled},
                   {"outbox_overflow", after.outbox_overflow - before.outbox_overflow},
                   {"wraps", after.wraps - before.wraps}});
    if (run + 1 == options.runs) note_load(report);
    answers = all.check();
  }
  const std::uint64_t dead = system.statistics().dead_total();
  if (dead != 0) throw wrong_answer{fmt::format("route: {} dead letters", dead)};
  answers["dead_letters"] = dead;
  report["config"]["tokens"] = tokens;
  report["config"]["hops"] = hops;
  report["results"] = {{"messages_per_s", summary(rate)}};
  report["runs"] = std::move(raw);
  report["answers"] = std::move(answers);
}

}  // namespace bench
