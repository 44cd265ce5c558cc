// apps/wavesim3d/outputs.hpp - what a run leaves in its folder, while it goes on and at its end.
// Invariant: each file appears whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "energy.hpp"
#include "report.hpp"
#include "simulation.hpp"

namespace wavesim3d {

class outputs {
 public:
  struct wishes {
    bool vti = false;       ///< the last field, too
    bool animation = true;  ///< of each slice that is drawn several times
  };
  outputs(const scene& s, std::filesystem::path to, wishes w);

  /// Files of the folder that the run will end with, as far as they are known before it.
  std::vector<std::filesystem::path> names_at_the_end() const;
  /// Whether a file of this name is one of the folder's, at the end or on the way.
  bool writes(const std::string& name) const;
  /// Goes on behind a checkpoint: pictures that an earlier run left in the folder are of this run, too.
  void resume(const checkpoint& from);
  /// The next step at which something is due.
  int next_stop(int step) const;
  /// Writes what is due at the simulation's step. @throws apps::failure
  void take(simulation& sim);
  /// Writes traces, energies and films. @param say  takes lines for people, such as why there is no film.
  void finish(simulation& sim, const std::function<void(const std::string&)>& say);

  const std::vector<energy>& energies() const { return energies_; }
  /// Names of what was written.
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::string slice_name(const slice_spec& v) const;
  std::string vti_name(int step) const;
  bool due(int every, int step) const { return every > 0 && step % every == 0; }
  scene scene_;
  world world_;
  std::filesystem::path to_;
  wishes wishes_;
  std::optional<energy_meter> meter_;  ///< made when it is first needed
  std::vector<energy> energies_;
  std::map<std::string, std::vector<std::filesystem::path>> films_;  ///< pictures of each slice
  std::vector<std::string> files_;
};

}  // namespace wavesim3d
