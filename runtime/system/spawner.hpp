// runtime/system/spawner.hpp - places actors into the arena and gives out their references.
// Why: places are arithmetic of the index, so no table of actors is needed on either side, unless some were moved.
// Invariant: a slot is reused only with a higher generation; one whose generation is spent is retired.
// Threads: one caller at a time (the core's lock).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "perdure/system_core.hpp"
#include "runtime/system/segment.hpp"

namespace perdure::runtime {

class spawner {
 public:
  spawner(engine& e, segment& s, const program& actors);

  /// Where `n` new actors of a type would go.
  struct plan {
    std::uint32_t type, first;
    std::uint16_t generation;
    std::size_t n;
    bool reuses;  ///< slots that were in use before: no worker may run while they are written
  };
  /// @return the plan, or too_many_actors saying how many fit.
  result<plan> prepare(std::uint32_t type, std::size_t n);
  /// Writes headers and states. Nobody may use the references before the workers were told. What `make` throws comes out
  /// of it, and nothing was given out.
  result<detail::raw_range> carry_out(const plan& p, const detail::make_state& make);

  /// Zeroed memory of the workers out of the arena, aligned to 128 bytes. @return too_many_actors if it is spent.
  result<std::byte*> allocate(std::size_t bytes);
  std::size_t arena_left() const { return segment_.arena_size - arena_used_; }

  /// The workers say that an actor stopped: its slot may be used again.
  void stopped(std::uint64_t ref_bits);

  /// Whether the reference names an actor that was spawned (it may have stopped since).
  bool known(std::uint64_t ref_bits) const;
  /// Worker address of an actor's slot; the reference is known.
  const std::byte* slot(std::uint32_t type, std::uint32_t index) const;
  /// Indices of a type that were given out.
  std::uint32_t given(std::uint32_t type) const { return types_[type].next; }

  /// Slots of a chunk, the chunk that a place is in, where that begins, and where in it the place's slot does.
  std::size_t chunk_actors(std::uint32_t type) const {
    return std::size_t{segment_.workers.workers} << segment_.types[type].chunk_shift;
  }
  std::uint32_t chunk_of(std::uint32_t type, std::uint32_t place) const {
    return place / segment_.workers.workers >> segment_.types[type].chunk_shift;
  }
  std::byte* chunk(std::uint32_t type, std::uint32_t number) const {
    return types_[type].chunks[number];
  }
  std::size_t offset_in_chunk(std::uint32_t type, std::uint32_t place) const;

 private:
  struct type_state {
    std::uint32_t next = 0;                       ///< indices below were given out
    std::vector<std::byte*> chunks;               ///< worker addresses
    std::map<std::uint32_t, std::uint16_t> free;  ///< index -> last generation
  };
  result<void> add_chunks(std::uint32_t type, std::uint32_t upto_index);
  /// @param done  in and out: of the plan's actors so many are written.
  result<void> write_states(const plan& p, const detail::make_state& make, std::size_t& done);
  void take_back(const plan& p, std::size_t written);
  result<void> write_row(const plan& p, std::uint32_t index, std::size_t count,
                         const std::byte* images);

  engine& engine_;
  segment& segment_;
  const program& actors_;
  std::vector<type_state> types_;
  std::size_t arena_used_ = 0;
};

}  // namespace perdure::runtime
