// runtime/system/segment.hpp - everything that host and workers share, allocated once before the loop starts.
// Why: while a resident loop runs, freeing or allocating would block; and both ends must agree on every place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/bridge/large_payloads.hpp"
#include "runtime/placement/plan.hpp"
#include "runtime/system/engine.hpp"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

/// The host's addresses of what it shares with the workers.
struct host_view {
  abi::control_page* control = nullptr;  ///< [workers]
  loop::word* rings = nullptr;           ///< [workers][ring_pitch(host_shift)], from the workers
  loop::line_counter* ring_heads = nullptr;  ///< [workers], the host's progress in them
  /// [host_lanes][workers][ring_pitch(lane_shift)], to the workers
  loop::word* lane_words = nullptr;
  loop::line_counter* lane_heads = nullptr;    ///< [host_lanes][workers], the workers' progress
  host_buffers large;                          ///< each lane has an equal part
  const abi::record_entry* records = nullptr;  ///< [workers][record_slots] of a recording
};

struct segment {
  loop::memory workers{};  ///< addresses as the workers see them
  host_view host;
  std::byte* arena = nullptr;
  std::size_t arena_size = 0;
  std::vector<abi::type_row> types;  ///< host's copy; chunk tables lie in the workers' memory
  std::vector<place_list> places;    ///< [type] host's copy; empty: nobody of it was moved
  layout_report report;

  std::uint32_t place_of(std::uint32_t type, std::uint32_t index) const {
    return workers.counts_traffic == 0 ? index : place_in(places[type], index);
  }
  /// Of an actor of the program.
  std::uint32_t worker_of(std::uint64_t bits) const {
    return loop::worker_of(workers, place_of(abi::ref_type(bits), abi::ref_index(bits)));
  }
};

/// Allocates all of it. `sized` has been through choose_sizes(). @param parks  the workers may leave and come back.
result<segment> make_segment(engine& e, const loop::memory& sized, const program& actors,
                             std::size_t arena_size, bool parks);

}  // namespace perdure::runtime
