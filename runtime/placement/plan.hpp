// runtime/placement/plan.hpp - from samples of messages to new places for a system's actors.
// Why: workers, kinds and rooms are what a partition knows; types, indices and places are what a system knows.
// Invariant: each type's places stay a permutation of 0 .. actors - 1; an actor that keeps its worker keeps its place,
//            unless it has to make room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/abi/placement.cuh"

namespace perdure::runtime {

/// Index -> place of one type; beyond its end an index is its own place.
using place_list = std::vector<std::uint32_t>;
inline std::uint32_t place_in(const place_list& places, std::uint32_t index) {
  return index < places.size() ? places[index] : index;
}

struct placed_type {
  std::uint32_t actors = 0;  ///< indices given out
  bool stays = false;        ///< wide: links lie where it is
  const place_list* places = nullptr;
};
/// So many messages from one actor to another, by type and index; the rest of a reference does not matter.
struct seen_traffic {
  std::uint64_t sender, receiver, messages;
};
using by_distance = std::array<std::uint64_t, abi::distances>;

struct placement_plan {
  std::vector<place_list> places;    ///< [type]; empty: nobody of it is moved
  std::vector<std::uint64_t> moved;  ///< [type] actors
  /// [worker]: messages that its actors send and take, of those seen.
  std::vector<std::uint64_t> load_before, load_after;
  by_distance before{}, after{};  ///< of the messages seen
};

/// @param types  by number; 0 is nobody's.
/// @param kept   actors that must not be moved.
placement_plan plan_placement(std::uint32_t workers, std::uint32_t cluster,
                              std::span<const placed_type> types,
                              std::span<const seen_traffic> seen,
                              std::span<const std::uint64_t> kept);

}  // namespace perdure::runtime
