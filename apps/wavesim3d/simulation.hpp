// apps/wavesim3d/simulation.hpp - a scene on an actor system: steps, fields, traces, orders while it runs.
// Why: the program, its bench and its tests run scenes alike, on any backend.
// Threads: one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint.hpp"
#include "lattice.hpp"
#include "plane.hpp"
#include "scene.hpp"

namespace wavesim3d {

class simulation {
 public:
  /// Starts the system, spawns and links the tiles.
  /// @param laboratory  tiles that take orders; they are slower where a scene has one medium only.
  /// @throws apps::failure with what the system said.
  simulation(const scene& s, const perdure::options& opts, bool laboratory = false,
             residence where = residence::as_they_fit);
  /// Goes on where save() was called. @throws apps::failure, also if the states are of another version of the program.
  simulation(const scene& s, const perdure::options& opts, const checkpoint& from,
             residence where = residence::as_they_fit);
  ~simulation();

  /// Takes steps and waits for them. @throws apps::failure if they do not end.
  void advance(int steps);
  std::int64_t step() const { return step_; }

  /// Pressure in Pa: [nz][ny][nx] float32, x fastest.
  std::vector<float> field() { return tiles_->field(false); }
  /// The same one step before; before the first step of no meaning.
  std::vector<float> past() { return tiles_->field(true); }
  /// Asks the tiles for it where they take orders, and cuts it out of the field where not.
  plane slice(int axis, int index);
  /// Forgets all but the last so many samples of the traces: a live view runs for as long as somebody looks.
  void forget(std::size_t all_but);
  /// All that the next steps depend on, and the traces so far.
  checkpoint save();
  /// [receiver][step], Pa; after step 1, 2, ..., or the last ones, see forget().
  const std::vector<std::vector<float>>& traces() const { return traces_; }

  // orders, which the next step sees; apps::failure where the tiles take none or have no room
  void inject(const source_spec& what);
  void move_receiver(std::size_t which, const std::array<int, 3>& to);
  void damp(double rate_per_s);

  const scene& what() const { return scene_; }
  /// p(-1) / p(0) of the initial mode.
  float past_ratio() const;
  int tiles() const { return static_cast<int>(grid().count()); }
  /// How the grid is cut into them.
  const cut& grid() const { return tiles_->grid(); }
  perdure::layout_report layout() const { return tiles_->layout(); }
  perdure::stats statistics() const { return tiles_->statistics(); }

 private:
  scene scene_;  ///< receivers as they stand now
  bool orders_;
  std::unique_ptr<lattice> tiles_;
  std::int64_t step_ = 0,
               traces_begin_ = 0;  ///< steps taken; those before the first one in the traces
  std::vector<std::vector<float>> traces_;
};

/// A plane out of a field.
plane cut_out(const scene& s, int axis, int index, const std::vector<float>& field);

}  // namespace wavesim3d
