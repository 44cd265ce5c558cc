// apps/wavesim3d/simulation.cpp - see simulation.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include "tile_states.hpp"

namespace wavesim3d {

simulation::simulation(const scene& s, const perdure::options& opts, bool laboratory,
                       residence where)
    : scene_{s},
      orders_{laboratory || !s.plain()},
      tiles_{make_lattice(s, opts, laboratory, {}, {}, where)},
      traces_(s.receivers.size()) {}

simulation::simulation(const scene& s, const perdure::options& opts, const checkpoint& from,
                       residence where)
    : scene_{s},
      orders_{from.takes_orders()},
      tiles_{make_lattice(s, opts, orders_, from.states, from.layout, where)},
      step_{from.step},
      traces_{from.traces} {}
simulation::~simulation() = default;

checkpoint simulation::save() {
  return {static_cast<int>(step_),
          tiles_->layout_name(),
          tiles_->state_bytes(),
          tiles_->states(),
          traces_,
          {}};
}

void simulation::advance(int steps) {
  tiles_->advance(steps, traces_, traces_begin_);
  step_ += steps;
}

void simulation::forget(std::size_t all_but) {
  const std::int64_t more = step_ - traces_begin_ - static_cast<std::int64_t>(all_but);
  if (more <= 0) return;
  for (auto& t : traces_) t.erase(t.begin(), t.begin() + more);
  traces_begin_ += more;
}

plane simulation::slice(int axis, int index) {
  if (!orders_) return cut_out(scene_, axis, index, field());
  const auto [u, v] = axes_across(axis);
  return {scene_.cells[u], scene_.cells[v], tiles_->look(axis, index)};
}

void simulation::inject(const source_spec& what) { tiles_->inject(what); }
void simulation::move_receiver(std::size_t which, const std::array<int, 3>& to) {
  tiles_->move_receiver(which, scene_.receivers.at(which).at, to);
  scene_.receivers[which].at = to;
}
void simulation::damp(double rate_per_s) {
  tiles_->damp(rate_per_s);
  scene_.damping_per_s = rate_per_s;
}

float simulation::past_ratio() const { return standing_mode{scene_}.past_ratio(); }
plane cut_out(const scene& s, int axis, int index, const std::vector<float>& field) {
  const auto [u, v] = axes_across(axis);
  const cut grid{s.cells};
  plane out{s.cells[u], s.cells[v], {}};
  for (int b = 0; b < out.height; ++b) {
    for (int a = 0; a < out.width; ++a) {
      cut::cell at{};
      at[static_cast<std::size_t>(axis)] = index;
      at[u] = a;
      at[v] = b;
      out.p.push_back(field[grid.flat(at)]);
    }
  }
  return out;
}

}  // namespace wavesim3d
