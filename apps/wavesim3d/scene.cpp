// apps/wavesim3d/scene.cpp - see scene.hpp; the bounds of every key stand here.
// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "common/json_file.hpp"
#include "section.hpp"

namespace wavesim3d {
namespace {

constexpr int most_steps = 100'000'000;

void read_mode(section& top, scene& s) {
  s.mode = top.three("mode", 1, most_cells);
  for (std::size_t a = 0; a < 3; ++a) {
    if (s.mode[a] <= s.cells[a]) continue;
    top.refuse("mode", fmt::format("[{}] has more half waves than the grid of [{}] has cells",
                                   fmt::join(s.mode, ", "), fmt::join(s.cells, ", ")));
  }
}

bool is_fluid(const scene& s, const std::array<int, 3>& cell) {
  return s.materials[static_cast<std::size_t>(s.material_of(cell))].kind == substance::fluid;
}

/// Refuses a cell that lies in an obstacle, whose pressure is 0: a source there would sound through its walls.
void in_fluid(const section& in, const scene& s, const std::array<int, 3>& cell) {
  if (is_fluid(s, cell)) return;
  const material_spec& m = s.materials[static_cast<std::size_t>(s.material_of(cell))];
  in.refuse(
      "at",
      fmt::format("[{}] lies in a body of the {} material \"{}\"; choose a cell of a fluid",
                  fmt::join(cell, ", "), m.kind == substance::rigid ? "rigid" : "soft", m.name));
}

bool fills_fluid(const scene& s, const shape& over) {
  const auto [first, last] = over.bounds(s.cells);
  for (int z = first[2]; z <= last[2]; ++z) {
    for (int y = first[1]; y <= last[1]; ++y) {
      for (int x = first[0]; x <= last[0]; ++x) {
        if (over.holds({x, y, z}) && is_fluid(s, {x, y, z})) return true;
      }
    }
  }
  return false;
}

void read_source(section& in, const scene& s, source_spec& out) {
  out.kind = static_cast<wave>(in.choice("kind", {"impulse", "ricker", "sine"}));
  if (in.has("over")) {
    if (in.has("at")) in.refuse("over", "stands beside \"at\"; a source has one place");
    in.object("over", [&](section& one) { out.over = read_shape(one, s.cells); });
    if (!fills_fluid(s, *out.over))
      in.refuse("over", "fills no cell of a fluid; the pressure elsewhere stays 0");
  } else {
    out.at = in.cell("at", s.cells);
    in_fluid(in, s, out.at);
  }
  out.amplitude_pa = in.number("amplitude_pa", -1e6, 1e6, 1);
  if (out.kind == wave::impulse) return;
  const double highest = 0.5 / s.time_step_s();
  if (!in.has("frequency_hz")) in.refuse("frequency_hz", "is missing");
  out.frequency_hz = in.number("frequency_hz", highest * 1e-6, highest, 0);
  if (out.kind == wave::sine) out.phase_deg = in.number("phase_deg", -360, 360, 0);
  if (out.kind == wave::ricker) {
    const double usual = 1.5 / out.frequency_hz;
    out.delay_s = in.number("delay_s", 0, 4 * usual, usual);
  }
}

void read_faces(section& in, scene& s) {
  const std::vector<std::string> kinds = {"dirichlet", "reflecting", "sponge", "mur"};
  const auto all = in.choice("all", kinds, 0);
  for (std::size_t f = 0; f < face_names.size(); ++f)
    s.faces[f] = static_cast<boundary>(in.choice(face_names[f], kinds, all));
}

void read_material(section& in, scene& s) {
  material_spec m;
  m.name = in.text("name", "");
  if (m.name.empty()) in.refuse("name", "is missing");
  for (const material_spec& other : s.materials) {
    if (other.name == m.name) in.refuse("name", "there is a \"" + m.name + "\" already");
  }
  m.kind = static_cast<substance>(in.choice("kind", {"fluid", "rigid", "soft"}, 0));
  if (m.kind == substance::fluid) {
    m.speed_m_s = in.number("speed_m_s", 1e-9, 1e9, s.materials[0].speed_m_s);
    m.damping_per_s = in.number("damping_per_s", 0, 1e12, 0);
  }
  s.materials.push_back(m);
}

void read_body(section& in, scene& s) {
  std::vector<std::string> names;
  names.reserve(s.materials.size());
  for (const material_spec& m : s.materials) names.push_back(m.name);
  body_spec b;
  b.material = in.choice("material", names);
  b.where = read_shape(in, s.cells);
  s.bodies.push_back(b);
}

/// A sponge must end within the grid, or it begins with a step, which gives waves back.
void read_sponges(section& top, scene& s) {
  s.sponge_cells = top.whole("sponge_cells", 2, 256, s.sponge_cells);
  for (std::size_t f = 0; f < face_names.size(); ++f) {
    const int across = s.cells[f / 2];
    if (s.faces[f] != boundary::sponge || s.sponge_cells <= across) continue;
    top.refuse("sponge_cells",
               fmt::format("{}{}; the grid is {} cells thick behind the sponge at \"{}\". Choose "
                           "fewer, or another face",
                           s.sponge_cells, top.has("sponge_cells") ? "" : ", if nothing is said",
                           across, face_names[f]));
  }
}

/// Keys of what the waves run in; the time step is known behind it.
void read_medium(section& top, scene& s) {
  s.cells = top.three("cells", 1, most_cells);
  s.spacing_m = top.number("spacing_m", 1e-9, 1e9, s.spacing_m);
  s.materials = {{"medium", substance::fluid, top.number("speed_m_s", 1e-9, 1e9, 343), 0}};
  if (top.has("courant") && top.has("courant_squared"))
    top.refuse("courant_squared", "stands beside \"courant\"; give one of them");
  s.courant = top.number("courant", 1e-6, 1e6, s.courant);
  if (top.has("courant_squared"))
    s.courant = std::sqrt(top.number("courant_squared", 1e-12, 1e12, 0.25));
  const double limit = 1 / std::sqrt(3.0);
  if (s.courant > limit) {
    top.refuse(top.has("courant") ? "courant" : "courant_squared",
               fmt::format("{} is unstable; in three dimensions speed * time step / spacing is at "
                           "most 1/sqrt(3) = {:.6f}, its square at most 1/3",
                           top.has("courant") ? s.courant : s.courant * s.courant, limit));
  }
  s.damping_per_s = top.number("damping_per_s", 0, 1e12, 0);
  top.object("faces", [&](section& in) { read_faces(in, s); });
  read_sponges(top, s);
  top.list("materials", [&](section& in) { read_material(in, s); });
  if (s.materials.size() > 256) top.refuse("materials", "at most 255 are allowed");
  top.list("bodies", [&](section& in) { read_body(in, s); });
}

}  // namespace

double scene::fastest_m_s() const {
  double most = 0;
  for (const material_spec& m : materials) {
    if (m.kind == substance::fluid) most = std::max(most, m.speed_m_s);
  }
  return most;
}

int scene::material_of(const std::array<int, 3>& cell) const {
  const auto last = std::find_if(bodies.rbegin(), bodies.rend(),
                                 [&](const body_spec& b) { return b.where.holds(cell); });
  return last == bodies.rend() ? 0 : last->material;
}

bool scene::plain() const {
  const auto walls = [](boundary b) { return b != boundary::dirichlet; };
  const auto shaped = [](const source_spec& f) { return f.over.has_value(); };
  return damping_per_s == 0 && bodies.empty() && std::none_of(faces.begin(), faces.end(), walls) &&
         std::none_of(sources.begin(), sources.end(), shaped);
}

scene read_scene(const std::string& path) {
  const nlohmann::json file =
      apps::parse_json(apps::read_text(path), path, true);  // comments are welcome
  scene s;
  s.name = std::filesystem::path{path}.stem().string();
  s.path = path;
  section top{file, path, ""};
  read_medium(top, s);
  s.steps = top.whole("steps", 1, most_steps);
  if (top.has("mode")) read_mode(top, s);
  top.list("sources", [&](section& one) { read_source(one, s, s.sources.emplace_back()); });
  top.list("receivers", [&](section& one) {
    receiver_spec& r = s.receivers.emplace_back();
    r.at = one.cell("at", s.cells);
    in_fluid(one, s, r.at);
    r.name = one.text("name", fmt::format("p{}", s.receivers.size()));
    const auto namesake = [&r](const receiver_spec& other) { return other.name == r.name; };
    if (std::any_of(s.receivers.begin(), s.receivers.end() - 1, namesake))
      one.refuse(
          "name",
          fmt::format("there is a receiver \"{}\" already; its trace has the same column", r.name));
  });
  top.list("slices", [&](section& one) {
    slice_spec& v = s.slices.emplace_back();
    v.axis = one.choice("axis", {"x", "y", "z"});
    v.index = one.whole("index", 0, s.cells[static_cast<std::size_t>(v.axis)] - 1);
    const auto same = [&v](const slice_spec& other) {
      return other.axis == v.axis && other.index == v.index;
    };
    if (std::any_of(s.slices.begin(), s.slices.end() - 1, same))
      one.refuse("index",
                 fmt::format("there is a slice at {} {} already; its pictures have the same names",
                             "xyz"[v.axis], v.index));
    v.every = one.whole("every", 0, most_steps, 0);
    v.range_pa = one.number("range_pa", 0, 1e12, 0);
  });
  s.energy_every = top.whole("energy_every", 0, most_steps, 0);
  s.vti_every = top.whole("vti_every", 0, most_steps, 0);
  top.nothing_else();
  return s;
}

}  // namespace wavesim3d
