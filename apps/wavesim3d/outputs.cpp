// apps/wavesim3d/outputs.cpp - see outputs.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "animation.hpp"
#include "chart.hpp"
#include "common/output_file.hpp"
#include "picture.hpp"
#include "vti.hpp"

namespace wavesim3d {
namespace {

void write_text(const std::filesystem::path& to, const std::string& text) {
  apps::output_file file{to};
  file.write(text);
  file.commit();
}

chart chart_of(const scene& s, const std::vector<std::vector<float>>& traces) {
  chart c{s.name + ": pressure at the receivers", "t (ms)", "p (Pa)", {}};
  for (std::size_t r = 0; r < traces.size(); ++r) {
    series& line = c.lines.emplace_back();
    line.name = s.receivers[r].name;
    for (std::size_t n = 0; n < traces[r].size(); ++n) {
      line.x.push_back(static_cast<double>(n + 1) * s.time_step_s() * 1e3);
      line.y.push_back(traces[r][n]);
    }
  }
  return c;
}

chart chart_of(const scene& s, const std::vector<energy>& energies) {
  chart c{s.name + ": energy",
          "t (ms)",
          "E (Pa^2)",
          {{"total", {}, {}}, {"kinetic", {}, {}}, {"potential", {}, {}}}};
  for (const energy& e : energies) {
    const double values[] = {e.total(), e.kinetic, e.potential};
    for (std::size_t i = 0; i < 3; ++i) {
      c.lines[i].x.push_back(e.step * s.time_step_s() * 1e3);
      c.lines[i].y.push_back(values[i]);
    }
  }
  return c;
}

/// Whether a name is that of a picture or field at some step.
bool is_of_a_step(std::string_view name, const std::string& head, std::string_view end) {
  if (!name.starts_with(head + "-") || !name.ends_with(end)) return false;
  name.remove_prefix(head.size() + 1);
  name.remove_suffix(std::min(name.size(), end.size()));
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

outputs::outputs(const scene& s, std::filesystem::path to, wishes w)
    : scene_{s}, world_{scene_}, to_{std::move(to)}, wishes_{w} {}

std::vector<std::filesystem::path> outputs::names_at_the_end() const {
  std::vector<std::filesystem::path> out;
  const auto add = [&](const std::string& name) { out.push_back(to_ / name); };
  if (!scene_.receivers.empty()) add("traces.csv"), add("traces.png");
  if (scene_.energy_every > 0) add("energy.csv"), add("energy.png");
  for (const slice_spec& v : scene_.slices)
    add(fmt::format("{}-{:06}.png", slice_name(v), scene_.steps));
  if (wishes_.vti) add(fmt::format("{}-{:06}.vti", scene_.name, scene_.steps));
  return out;
}

bool outputs::writes(const std::string& name) const {
  for (const auto& one : names_at_the_end())
    if (one.filename() == name) return true;
  for (const slice_spec& v : scene_.slices) {
    const auto slice = slice_name(v);
    if (is_of_a_step(name, slice, ".png")) return true;
    if (wishes_.animation && v.every > 0 && name == slice + ".mp4") return true;
  }
  return scene_.vti_every > 0 && is_of_a_step(name, scene_.name, ".vti");
}

void outputs::resume(const checkpoint& from) {
  energies_ = from.energies;
  const auto is_there = [this](const std::string& name) {
    const bool there = std::filesystem::exists(to_ / name);
    if (there) files_.push_back(name);
    return there;
  };
  for (const slice_spec& v : scene_.slices) {
    for (int step = v.every; v.every > 0 && step <= from.step; step += v.every) {
      const auto name = fmt::format("{}-{:06}.png", slice_name(v), step);
      if (is_there(name)) films_[slice_name(v)].push_back(to_ / name);
    }
  }
  for (int step = scene_.vti_every; scene_.vti_every > 0 && step <= from.step;
       step += scene_.vti_every)
    is_there(vti_name(step));
}

std::string outputs::slice_name(const slice_spec& v) const {
  return fmt::format("{}-{}{}", scene_.name, "xyz"[v.axis], v.index);
}

std::string outputs::vti_name(int step) const {
  return fmt::format("{}-{:06}.vti", scene_.name, step);
}

int outputs::next_stop(int step) const {
  int next = scene_.steps;
  const auto at = [&](int every) {
    if (every > 0) next = std::min(next, (step / every + 1) * every);
  };
  for (const slice_spec& v : scene_.slices) at(v.every);
  at(scene_.energy_every);
  at(scene_.vti_every);
  return next;
}

void outputs::take(simulation& sim) {
  const auto step = static_cast<int>(sim.step());
  const bool last = step == scene_.steps;
  for (const slice_spec& v : scene_.slices) {
    if (!last && !due(v.every, step)) continue;
    const auto slice = slice_name(v);
    const auto name = fmt::format("{}-{:06}.png", slice, step);
    write_slice(to_ / name, scene_, world_, v, sim.slice(v.axis, v.index), step);
    files_.push_back(name);
    if (v.every > 0) films_[slice].push_back(to_ / name);
  }
  if (due(scene_.energy_every, step)) {
    if (!meter_) meter_.emplace(scene_, world_);
    energies_.push_back(meter_->measure(step, sim.field(), sim.past()));
  }
  if (due(scene_.vti_every, step) || (last && wishes_.vti)) {
    const auto name = vti_name(step);
    write_vti(to_ / name, scene_, world_, sim.field(), step);
    files_.push_back(name);
  }
}

void outputs::finish(simulation& sim, const std::function<void(const std::string&)>& say) {
  if (!scene_.receivers.empty()) {
    write_text(to_ / "traces.csv", to_csv(scene_, sim.traces()));
    draw_chart(to_ / "traces.png", chart_of(scene_, sim.traces()));
    files_.insert(files_.end(), {"traces.csv", "traces.png"});
  }
  if (!energies_.empty()) {
    std::string rows = "step,time_s,kinetic_pa2,potential_pa2,total_pa2\n";
    for (const energy& e : energies_) {
      rows += fmt::format("{},{:.9g},{:.17g},{:.17g},{:.17g}\n", e.step,
                          e.step * scene_.time_step_s(), e.kinetic, e.potential, e.total());
    }
    write_text(to_ / "energy.csv", rows);
    draw_chart(to_ / "energy.png", chart_of(scene_, energies_));
    files_.insert(files_.end(), {"energy.csv", "energy.png"});
  }
  if (!wishes_.animation) return;
  for (const auto& [slice, pictures] : films_) {
    if (pictures.size() < 2) continue;
    const std::string why = animate(to_ / (slice + ".mp4"), pictures);
    if (why.empty()) {
      files_.push_back(slice + ".mp4");
    } else {
      say(fmt::format("no film of {}: {}", slice, why));
    }
  }
}

}  // namespace wavesim3d
