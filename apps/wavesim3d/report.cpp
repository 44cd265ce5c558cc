// apps/wavesim3d/report.cpp - see report.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wavesim3d {
namespace {

double cells_per_s(const scene& s, const run_report& r) {
  return r.steps_ms == 0 ? 0
                         : static_cast<double>(s.cell_count()) * r.steps_here / r.steps_ms * 1e3;
}
/// A name as a field of CSV (RFC 4180).
std::string field_of(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string out(1, '"');
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  out.push_back('"');
  return out;
}

}  // namespace

void measure(run_report& r, const std::vector<float>& field) {
  double sum = 0;
  for (const float p : field) {
    sum += double{p} * p;
    r.field_peak_pa = std::max(r.field_peak_pa, std::abs(double{p}));
  }
  r.field_rms_pa = field.empty() ? 0 : std::sqrt(sum / static_cast<double>(field.size()));
}

nlohmann::ordered_json to_json(const scene& s, const run_report& r) {
  return {{"scene", s.name},
          {"cells", s.cells},
          {"spacing_m", s.spacing_m},
          {"speed_m_s", s.materials[0].speed_m_s},
          {"courant", s.courant},
          {"time_step_s", s.time_step_s()},
          {"steps", s.steps},
          {"steps_here", r.steps_here},
          {"backend", r.backend},
          {"device", r.device},
          {"workers", r.workers},
          {"lanes", r.lanes},
          {"cluster", r.cluster},
          {"tiles", r.tiles},
          {"links", r.links},
          {"links_on_chip", r.links_on_chip},
          {"registers", r.registers},
          {"stack_bytes", r.stack_bytes},
          {"start_ms", r.start_ms},
          {"steps_ms", r.steps_ms},
          {"total_ms", r.total_ms},
          {"cells_per_s", cells_per_s(s, r)},
          {"field_rms_pa", r.field_rms_pa},
          {"field_peak_pa", r.field_peak_pa},
          {"files", r.files}};
}

std::string to_text(const scene& s, const run_report& r) {
  return fmt::format(
      "{}: {} x {} x {} cells, {} steps of {:.3g} s on {} ({})\n"
      "  {} tiles on {} workers, {} links ({} on chip)\n"
      "  {:.1f} ms for the steps: {:.3g} cells/s; start {:.0f} ms\n"
      "  field: rms {:.4g} Pa, peak {:.4g} Pa\n",
      s.name, s.cells[0], s.cells[1], s.cells[2], s.steps, s.time_step_s(), r.backend, r.device,
      r.tiles, r.workers, r.links, r.links_on_chip, r.steps_ms, cells_per_s(s, r), r.start_ms,
      r.field_rms_pa, r.field_peak_pa);
}

std::string to_csv(const scene& s, const std::vector<std::vector<float>>& traces) {
  std::string out = "step,time_s";
  for (const receiver_spec& r : s.receivers) out += "," + field_of(r.name);
  out += '\n';
  std::size_t steps = 0;
  for (const auto& t : traces) steps = std::max(steps, t.size());
  for (std::size_t n = 0; n < steps; ++n) {
    out += fmt::format("{},{:.9g}", n + 1, static_cast<double>(n + 1) * s.time_step_s());
    for (const auto& t : traces) out += n < t.size() ? fmt::format(",{:.9g}", t[n]) : ",";
    out += '\n';
  }
  return out;
}

}  // namespace wavesim3d
