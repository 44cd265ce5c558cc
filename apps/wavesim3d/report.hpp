// apps/wavesim3d/report.hpp - what a run leaves behind beside its pictures: traces.csv and result.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene.hpp"

namespace wavesim3d {

struct run_report {
  std::string backend, device;
  int workers = 0, lanes = 0, cluster = 1, tiles = 0, links = 0, links_on_chip = 0;
  int registers = 0, stack_bytes = 0;  ///< of the dispatch loop; 0 on a CPU
  int steps_here = 0;                  ///< by this process
  double start_ms = 0, steps_ms = 0, total_ms = 0;
  double field_rms_pa = 0, field_peak_pa = 0;
  std::vector<std::string> files;  ///< beside result.json
};

/// Root mean square and peak of a field.
void measure(run_report& r, const std::vector<float>& field);
nlohmann::ordered_json to_json(const scene& s, const run_report& r);
std::string to_text(const scene& s, const run_report& r);
/// step, time_s, one column a receiver: Pa.
std::string to_csv(const scene& s, const std::vector<std::vector<float>>& traces);

}  // namespace wavesim3d
