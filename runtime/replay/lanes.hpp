// runtime/replay/lanes.hpp - what stands behind a handler's context in a replay.
// Why: the same function tables as on a CPU's workers (runtime/cpu/host_handle.cpp), over one call at a time.
// Invariant: each event of a call has the stamp that it has there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "perdure/block_context.hpp"
#include "perdure/context.hpp"
#include "runtime/replay/machine.hpp"

namespace perdure::runtime::replaying {

struct small_lane : detail::lane {
  loop::lane_state* call;
  machine* in;
};
struct wide_lane : detail::block_lane {
  loop::lane_state* call;
  machine* in;
  actor_place who;
  std::uint32_t open;      ///< bits: out-ports where a message may be committed
  std::uint32_t done = 0;  ///< bits: where one was, or was lost
};

template <class Lane>
loop::lane_state& event(detail::lane& l) {
  loop::lane_state& call = *static_cast<Lane&>(l).call;
  ++call.stamp;
  return call;
}
template <class Lane>
machine& machine_of(detail::lane& l) {
  return *static_cast<Lane&>(l).in;
}

/// Whether a message that can reach nobody is an event: in a region it is none.
template <class Lane>
bool is_event(detail::lane& l, bool reaches) {
  if constexpr (requires(Lane& lane) { lane.inside; })
    return reaches || !static_cast<Lane&>(l).inside;
  return true;
}

template <class Lane>
inline constexpr detail::lane_ops ops{
    [](detail::lane& l, std::uint64_t to, std::uint64_t key, const void* m, std::uint32_t bytes) {
      machine& in = machine_of<Lane>(l);
      if (!is_event<Lane>(l, static_cast<Lane&>(l).call->may_reach(to))) return;
      in.post(event<Lane>(l), to, in.index().handlers.find(key), m, bytes);
    },
    [](detail::lane& l, std::uint64_t to, std::uint64_t, const void*, std::uint32_t) {
      const bool reaches = static_cast<Lane&>(l).call->may_reach_host(to);
      if (is_event<Lane>(l, reaches)) event<Lane>(l);
      machine_of<Lane>(l).count_to_host();
    },
    [](detail::lane& l, std::uint64_t, const void*, std::uint32_t) {
      const loop::lane_state& call = event<Lane>(l);
      if (call.asker != 0 && abi::ref_type(call.asker) == abi::ask_type)
        machine_of<Lane>(l).count_to_host();
    },
    [](detail::lane& l, std::uint64_t, std::uint64_t to, std::uint64_t key, const void* m,
       std::uint32_t bytes) {
      machine& in = machine_of<Lane>(l);
      in.set_timer(event<Lane>(l), to, in.index().handlers.find(key), m, bytes);
    },
    [](detail::lane& l) { return std::uint64_t{event<Lane>(l).stamp}; },
    [](detail::lane& l) { return std::uint64_t{static_cast<Lane&>(l).call->random()}; },
    [](detail::lane& l, std::uint64_t key, std::uint32_t count, std::uint64_t kinds,
       const std::uint64_t* values) {
      machine_of<Lane>(l).log(event<Lane>(l), key, count, kinds, values);
    },
    [](detail::lane& l) { static_cast<Lane&>(l).call->stop(); },
    [](detail::lane& l, std::uint32_t reason) { static_cast<Lane&>(l).call->fail(reason); },
};

inline constexpr detail::block_ops wide_ops{
    [](detail::block_lane& l, unsigned port, std::uint64_t message_key, bool& linked) -> void* {
      auto& lane = static_cast<wide_lane&>(l);
      const std::uint32_t message = lane.in->index().messages.find(message_key);
      linked = lane.in->takes(lane.who, lane.open, port % abi::max_ports, message);
      return lane.in->stage(port % abi::max_ports);
    },
    [](detail::block_lane& l, unsigned port, std::uint64_t message_key) {
      auto& lane = static_cast<wide_lane&>(l);
      const std::uint32_t bit = 1U << port % abi::max_ports;
      if ((lane.done & bit) != 0) return;
      lane.done |= bit;
      event<wide_lane>(l);
      const std::uint32_t message = lane.in->index().messages.find(message_key);
      if (lane.in->takes(lane.who, lane.open, port % abi::max_ports, message))
        lane.in->commit(lane.who, port % abi::max_ports, message);
    },
    [](detail::block_lane& l, std::uint32_t region, std::uint32_t index, std::uint32_t draw) {
      return std::uint64_t{static_cast<wide_lane&>(l).call->random_at(region, index, draw)};
    }};

}  // namespace perdure::runtime::replaying
