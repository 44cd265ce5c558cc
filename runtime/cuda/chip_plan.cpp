// runtime/cuda/chip_plan.cpp - see chip_plan.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/chip_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/system/sizing.hpp"

namespace perdure::runtime {
namespace {

constexpr std::uint32_t least_lanes = 64;  // of one of several, unless it is said
constexpr std::uint32_t collectives_bytes = 1024;
/// Room that a program without wide actors leaves, so that its tables fit in any case.
constexpr std::uint32_t tables_bytes = 28672;
/// What a processor keeps for itself of the shared memory of each of its blocks.
constexpr std::size_t reserved_bytes = 1024;
/// Thread block clusters came with compute capability 9.0.
constexpr int first_with_clusters = 9;
/// Clusters of four leave twelve processors of an H200 empty, of two none.
constexpr std::uint32_t usual_cluster = 2;

const actor_info* widest_actor(const program& actors) {
  const actor_info* found = nullptr;
  for (const actor_info& a : actors.actors) {
    if (a.wide != nullptr && (found == nullptr || a.wide->lanes > found->wide->lanes)) found = &a;
  }
  return found;
}

bool has_links(const program& actors) {
  return std::any_of(actors.actors.begin(), actors.actors.end(),
                     [](const actor_info& a) { return a.wide != nullptr && a.wide->joined != 0; });
}

/// Of a processor's blocks together. perdure-gen embeds code for as many: check.cpp.
std::uint32_t usual_lanes_of(const program& actors) {
  return abi::usual_lanes(std::all_of(
      actors.actors.begin(), actors.actors.end(),
      [](const actor_info& a) { return a.wide == nullptr && !abi::is_staged(a.size, a.align); }));
}

}  // namespace

result<chip_plan> plan_chip(const driver::device_properties& device, const program& actors,
                            const options& opts) {
  const actor_info* widest = widest_actor(actors);
  chip_plan plan;
  // a small actor's message waits for those before it: several blocks of fewer lanes share a processor, if so many workers
  // are asked for (docs/adr/059)
  const auto processors = static_cast<std::uint32_t>(device.processors);
  if (widest == nullptr && opts.workers > processors)
    plan.blocks_each = (opts.workers + processors - 1) / processors;
  plan.lanes = opts.lanes != 0 ? opts.lanes
               : widest != nullptr
                   ? std::uint32_t{widest->wide->lanes}
                   : std::max(usual_lanes_of(actors) / plan.blocks_each / 32 * 32, least_lanes);
  if (plan.lanes % 32 != 0 || plan.lanes > 1024) {
    return error{
        errc::bad_option,
        fmt::format("lanes is {}; on a GPU it must be a multiple of 32 up to 1024", plan.lanes)};
  }
  if (widest != nullptr && plan.lanes < widest->wide->lanes) {
    return error{errc::bad_option, fmt::format("lanes is {}; {} is written for {}", plan.lanes,
                                               widest->name, widest->wide->lanes)};
  }
  std::size_t shared_bytes = device.shared_bytes_per_block;
  if (plan.blocks_each > 1) {
    const auto most = static_cast<std::uint32_t>(device.threads_per_processor);
    if (plan.lanes * plan.blocks_each > most) {
      return error{
          errc::bad_option,
          fmt::format("workers is {} and lanes {}: {} blocks of them would share a processor of "
                      "{}, which holds {} threads",
                      opts.workers, plan.lanes, plan.blocks_each, device.name, most)};
    }
    shared_bytes = (shared_bytes + reserved_bytes) / plan.blocks_each;
    if (shared_bytes < reserved_bytes + 2 * std::size_t{tables_bytes}) {
      return error{errc::bad_option,
                   fmt::format("workers is {}: {} would share a processor of {}, whose memory is "
                               "too little for that",
                               opts.workers, plan.blocks_each, device.name)};
    }
    shared_bytes -= reserved_bytes;
  }
  plan.bytes = static_cast<std::uint32_t>(shared_bytes) - collectives_bytes;
  const bool clusters = device.major >= first_with_clusters;
  plan.cluster = opts.cluster != 0               ? opts.cluster
                 : clusters && has_links(actors) ? usual_cluster
                                                 : 1;
  if (opts.cluster == 0) {
    while (opts.workers % plan.cluster != 0) plan.cluster /= 2;
  }
  if (plan.cluster > 1 && !clusters) {
    return error{errc::bad_option,
                 fmt::format("cluster is {}; {} has no block clusters", plan.cluster, device.name)};
  }
  plan.workers = static_cast<std::uint32_t>(device.processors) / plan.cluster * plan.cluster;
  loop::memory& m = plan.m;
  m.lanes = plan.lanes;
  m.lane_words_in = lane_words_in(plan.lanes, widest != nullptr);
  m.workers = opts.workers != 0 ? opts.workers : plan.workers;
  m.cluster = plan.cluster;
  m.claim_slots = 8192;
  m.chip_units = 2 * plan.lanes;
  m.state_pitch = state_pitch(actors);
  // a warp alone has nobody beside it, and no batch that large
  m.lands_ahead = widest == nullptr && plan.lanes > 32 && has_runs(actors) ? 1 : 0;
  m.overflow_rules = has_overflow_rules(actors) ? 1 : 0;
  m.counts_traffic = opts.placement == placement::counted ? 1 : 0;
  m.type_count = static_cast<std::uint32_t>(actors.actors.size());
  m.handler_count = static_cast<std::uint32_t>(actors.handlers.size());
  if (widest != nullptr) {
    auto room = plan_wide(m, actors, plan.bytes, opts.port_messages);
    if (!room) return room.error();
    plan.states_on_chip = std::all_of(
        actors.actors.begin(), actors.actors.end(),
        [&](const actor_info& a) { return a.wide == nullptr || abi::wide_up(a.size) <= *room; });
    plan.states_in_memory = *room == 0;
    if (!plan.states_in_memory) return plan;
    room = plan_wide(m, actors, plan.bytes, opts.port_messages, true);  // and so do their messages
    if (!room) return room.error();
    return plan;
  }
  // smaller devices: what does not fit goes to device memory
  const std::size_t places_bytes = m.counts_traffic * sizeof(abi::place_table) * (m.type_count + 1);
  m.type_count = m.handler_count = 0;
  loop::lay_out_chip(m);
  const auto too_much = [&] {
    loop::lay_out_chip(m);
    return m.chip_bytes + tables_bytes + places_bytes > shared_bytes;
  };
  if (too_much()) m.lands_ahead = 0;
  while (too_much() && m.claim_slots > 4 * m.lanes) m.claim_slots /= 2;
  while (too_much() && m.chip_units > m.lanes / 2) m.chip_units /= 2;
  if (too_much()) m.state_pitch = 0;
  while (too_much() && m.claim_slots > m.lanes) m.claim_slots /= 2;
  while (too_much() && m.chip_units > 16) m.chip_units /= 2;
  return plan;
}

engine_defaults chip_defaults(const chip_plan& plan) {
  engine_defaults d{};
  d.cluster = plan.cluster;
  d.workers = plan.workers;
  d.lanes = plan.lanes;
  d.chip_bytes = plan.bytes;
  d.claim_slots = plan.m.claim_slots;
  d.chip_units = plan.m.chip_units;
  d.brings_states = plan.m.state_pitch != 0;
  d.lands_ahead = plan.m.lands_ahead != 0;
  d.states_in_memory = plan.states_in_memory;
  return d;
}

}  // namespace perdure::runtime
