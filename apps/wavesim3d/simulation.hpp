// apps/wavesim3d/simulation.hpp - a scene on an actor system: tiles, their links, steps, and what comes out.
// Why: the program, its bench and its tests run scenes alike, on any backend.
// Threads: one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <perdure/options.hpp>
#include <perdure/stats.hpp>
#include <vector>

#include "scene.hpp"

namespace wavesim3d {

class simulation {
 public:
  /// Starts the system, spawns and links the tiles. @throws apps::failure with what the system said.
  simulation(const scene& s, const perdure::options& opts);
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  ~simulation();

  /// Takes steps and waits for them. @throws apps::failure if they do not end.
  void advance(int steps);
  int step() const;

  /// Pressure in Pa: [nz][ny][nx] float32, x fastest.
  std::vector<float> field();
  /// [receiver][step], Pa; after step 1, 2, ...
  const std::vector<std::vector<float>>& traces() const;

  /// p(-1) / p(0) of the initial mode.
  float past_ratio() const;
  int tiles() const;
  perdure::layout_report layout() const;
  perdure::stats statistics() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace wavesim3d
