// apps/wavesim3d/checkpoint.hpp - a run at one step as a file, from which it goes on to the same bits.
// Why: a long run survives what ends its process.
// Invariant: the file appears whole or not at all; it is taken only for the scene that it was written for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "energy.hpp"
#include "scene.hpp"

namespace wavesim3d {

struct checkpoint {
  int step = 0;
  std::string layout;           ///< of the states: the tiles' actor
  std::size_t state_bytes = 0;  ///< of one tile
  std::vector<std::byte> states;
  std::vector<std::vector<float>> traces;  ///< [receiver][step], Pa
  std::vector<energy> energies;

  /// Whether the simulation that goes on from here can be given orders: its tiles are those of a laboratory.
  bool takes_orders() const { return layout.ends_with("medium"); }
};

/// A line of text, the length of a JSON header in 8 bytes, the header (scene, step, sizes), the states as they lie in
/// memory, traces, energies, and the CRC-32 of all that. @throws apps::failure; an older file then stays.
void write_checkpoint(const std::filesystem::path& to, const scene& s, const checkpoint& c);

/// Whether a file begins as checkpoints do, of whatever version.
bool looks_like_checkpoint(const std::filesystem::path& file);

/// @throws apps::failure if the file is no checkpoint, ends early, is damaged, or is of another scene: then with the key
/// that differs. Keys that only say what is written (steps, slices, vti_every) may differ.
checkpoint read_checkpoint(const std::filesystem::path& from, const scene& s);

}  // namespace wavesim3d
