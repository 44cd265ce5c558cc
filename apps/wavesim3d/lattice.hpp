// apps/wavesim3d/lattice.hpp - the tiles of a scene on an actor system, whichever actor they are.
// Why: what a scene needs decides the actor; nobody above has to know which it is.
// Invariant: between two calls all tiles rest at the same step.
// Threads: one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <perdure/options.hpp>
#include <perdure/stats.hpp>
#include <span>
#include <string>
#include <vector>

#include "cut.hpp"
#include "residence.hpp"
#include "scene.hpp"

namespace wavesim3d {

class lattice {
 public:
  lattice() = default;
  lattice(const lattice&) = delete;
  lattice& operator=(const lattice&) = delete;
  virtual ~lattice() = default;

  /// Takes steps and waits for them; what receivers saw is added to `traces`: [receiver][step].
  /// @param begin  number of steps taken before the first one in `traces`.
  virtual void advance(int steps, std::vector<std::vector<float>>& traces, std::int64_t begin) = 0;
  /// [nz][ny][nx], Pa: p(n), and p(n-1) if `past`.
  virtual std::vector<float> field(bool past) = 0;
  /// All states as they lie in memory, one after the other.
  virtual std::vector<std::byte> states() = 0;
  /// Bytes of one state, and a name for its layout.
  virtual std::size_t state_bytes() const = 0;
  virtual std::string layout_name() const = 0;
  virtual const cut& grid() const = 0;

  // by messages to tiles that can take them; apps::failure from others
  /// A plane of cells, the first of its axes fastest, Pa.
  virtual std::vector<float> look(int axis, int index) = 0;
  virtual void inject(const source_spec& what) = 0;
  virtual void move_receiver(std::size_t which, const std::array<int, 3>& from,
                             const std::array<int, 3>& to) = 0;
  virtual void damp(double rate_per_s) = 0;

  virtual perdure::layout_report layout() const = 0;
  virtual perdure::stats statistics() const = 0;
};

/// Starts the system, spawns and links the tiles.
/// @param laboratory  tiles that take messages, also where the scene needs none.
/// @param states  what states() gave, or empty: the scene's beginning.  @param layout  its layout_name()
/// @throws apps::failure with what the system said.
std::unique_ptr<lattice> make_lattice(const scene& s, const perdure::options& opts, bool laboratory,
                                      std::span<const std::byte> states = {},
                                      const std::string& layout = {},
                                      residence where = residence::as_they_fit);

}  // namespace wavesim3d
