// runtime/system/mover.hpp - moves actors' slots to other places, and tells the workers.
// Why: states are moved a chunk at a time: a driver call a slot would take minutes for a million of them.
// Invariant: all memory is had before anything is changed.
// Threads: one caller at a time (the core's lock), while no worker runs and nothing is queued.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/placement/plan.hpp"
#include "runtime/system/spawner.hpp"

namespace perdure::runtime {

class mover {
 public:
  mover(engine& e, segment& s, spawner& slots)
      : engine_{e}, segment_{s}, spawner_{slots}, tables_(s.types.size()) {}

  /// Gives the actors of each type their new places: states, the workers' tables and the host's.
  /// @param places  [type]; empty: as they are.
  /// @return nothing; too_many_actors (no room for a table in the arena) or out_of_memory, and nothing is changed; or
  ///         device_failed.
  result<void> move(std::vector<place_list> places);

 private:
  struct table {
    std::byte* at = nullptr;
    std::size_t room = 0;  ///< indices
  };
  struct slot_move {
    std::uint32_t from, to;  ///< places
    std::size_t image;
  };
  result<void> make_room(const std::vector<place_list>& places);
  result<void> move_states(std::uint32_t type, const place_list& to);
  /// Visits the chunks that hold the places of `moves`, which stand in order. @param place  of a move.
  template <class Place, class F>
  result<void> each_chunk(std::uint32_t type, const std::vector<slot_move>& moves, bool write,
                          Place place, F f);
  result<void> write_table(std::uint32_t type, const place_list& places);

  engine& engine_;
  segment& segment_;
  spawner& spawner_;
  std::vector<table> tables_;  ///< [type]
  std::vector<std::byte> chunk_, images_;
  std::vector<slot_move> moves_;
};

}  // namespace perdure::runtime
