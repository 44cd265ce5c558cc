// apps/wavesim3d/tile_states.cpp - see tile_states.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tile_states.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "common/failure.hpp"
#include "waveform.hpp"

namespace wavesim3d {

standing_mode::standing_mode(const scene& s) : there_{s.mode[0] != 0} {
  double k2 = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (int i = 0; i < s.cells[a]; ++i) {
      factor_[a].push_back(std::sin(std::numbers::pi * s.mode[a] * (i + 1) / (s.cells[a] + 1)));
    }
    const double k = std::numbers::pi * s.mode[a] / ((s.cells[a] + 1) * s.spacing_m);
    k2 += k * k;
  }
  past_ratio_ =
      static_cast<float>(std::cos(std::sqrt(k2) * s.materials[0].speed_m_s * s.time_step_s()));
}

tile_states::tile_states(const scene& s, const cut::cell& size)
    : scene_{s}, grid_{s.cells, size}, world_{s}, mode_{s}, of_(grid_.count()) {
  for (std::size_t f = 0; f < s.sources.size(); ++f) place_source(f);
  for (std::size_t r = 0; r < s.receivers.size(); ++r) {
    const auto& at = s.receivers[r].at;
    contents& to = of_[grid_.tile_of(at)];
    to.receivers.push_back({static_cast<std::int32_t>(r), 0});
    to.receivers_at.push_back(at);
    has_room(to, fmt::format("receivers[{}].at", r));
  }
}

void tile_states::has_room(const contents& to, const std::string& key) const {
  const cut::cell& size = grid_.size;
  const bool streamed = size == cut::size_of<stream_shape>;
  const std::size_t most = streamed ? streamed_tile::most : tile::most;
  const std::size_t runs = streamed ? streamed_medium_tile::most_runs : medium_tile::most_runs;
  if (std::max(to.sources.size(), to.receivers.size()) <= most && to.runs.size() <= runs) return;
  throw apps::failure{
      fmt::format(
          "{}: {}: one more than the tile there has room for: {} x {} x {} cells take at most {} "
          "sources, {} receivers and {} rows of sources over shapes",
          scene_.origin(), key, size[0], size[1], size[2], most, most, runs),
      apps::exit_code::usage};
}

void tile_states::place_source(std::size_t which) {
  const source_spec& one = scene_.sources[which];
  source made = waveform_of(one, scene_.time_step_s());
  if (!one.over) {
    contents& to = of_[grid_.tile_of(one.at)];
    to.sources.push_back(made);
    to.sources_at.push_back(one.at);
    has_room(to, fmt::format("sources[{}].at", which));
    return;
  }
  made.cell = source::over_a_shape;
  for (std::size_t t = 0; t < grid_.count(); ++t) {
    contents& to = of_[t];
    const std::size_t runs = to.runs.size();
    std::size_t last = 0;
    cut::cell before{};
    const auto add = [&](const cut::cell& c, std::size_t place) {
      // an obstacle stays at 0
      if (!one.over->holds(c) || world_.at(c).courant2 == 0) return;
      const bool in_row = c[1] == before[1] && c[2] == before[2];  // rows may lie side by side, too
      if (to.runs.size() > runs && in_row && place == last + 1) {
        to.runs.back().length = to.runs.back().length + 1U;
      } else {
        run& made = to.runs.emplace_back();
        made.first = static_cast<std::uint32_t>(place) & 0xfffffU;
        made.length = 1;
        made.source = static_cast<std::uint32_t>(to.sources.size()) & 15U;
      }
      last = place;
      before = c;
    };
    if (grid_.size == cut::size_of<small_shape>) {
      grid_.each_cell<small_medium_tile>(t, add);
    } else if (grid_.size == cut::size_of<cube_shape>) {
      grid_.each_cell<cube_medium_tile>(t, add);
    } else if (grid_.size == cut::size_of<stream_shape>) {
      grid_.each_cell<streamed_medium_tile>(t, add);
    } else {
      grid_.each_cell<medium_tile>(t, add);
    }
    if (to.runs.size() > runs) {
      to.sources.push_back(made);
      to.sources_at.push_back({});
      has_room(to, fmt::format("sources[{}].over", which));
    }
  }
}

template <class Tile>
void tile_states::begin(Tile& made, std::size_t t) const {
  const contents& in = of_[t];
  made.used_x = grid_.used(t, 0);
  made.used_y = grid_.used(t, 1);
  made.used_z = grid_.used(t, 2);
  if (mode_.there()) {
    made.past_ratio = mode_.past_ratio();
    grid_.each_cell<Tile>(t, [&](const cut::cell& c, std::size_t place) {
      if (world_.at(c).courant2 != 0) made.pressure[0][place] = mode_.at(c);
    });
  }
  made.sources = static_cast<std::uint32_t>(in.sources.size());
  made.receivers = static_cast<std::uint32_t>(in.receivers.size());
  std::copy(in.sources.begin(), in.sources.end(), made.source_at.begin());
  std::copy(in.receivers.begin(), in.receivers.end(), made.receiver_at.begin());
  for (std::size_t s = 0; s < in.sources.size(); ++s) {
    if (in.sources[s].cell != source::over_a_shape)
      made.source_at[s].cell = cut::within<Tile>(in.sources_at[s]);
  }
  for (std::size_t r = 0; r < in.receivers.size(); ++r)
    made.receiver_at[r].cell = cut::within<Tile>(in.receivers_at[r]);
}

template <class Tile>
Tile tile_states::plain(std::size_t t) const {
  Tile made{};
  begin(made, t);
  made.courant2 = world_.at(grid_.first(t)).courant2;
  for (std::size_t a = 0; a < 3; ++a)
    made.trimmed = made.trimmed || grid_.used(t, a) < grid_.size[a];
  return made;
}

template tile tile_states::plain<tile>(std::size_t) const;
template swapped_tile tile_states::plain<swapped_tile>(std::size_t) const;
template small_tile tile_states::plain<small_tile>(std::size_t) const;
template cube_tile tile_states::plain<cube_tile>(std::size_t) const;
template streamed_tile tile_states::plain<streamed_tile>(std::size_t) const;

template <class Tile>
std::vector<cell_law> tile_states::kinds_of(std::size_t t, cell_kinds& of_cells) const {
  std::vector<cell_law> kinds;
  of_cells.resize(std::size_t{Tile::nx} * Tile::ny * Tile::nz);
  const cut::cell from = grid_.first(t);
  std::size_t last = 0;
  for (std::size_t i = 0; i < of_cells.size(); ++i) {
    const auto n = static_cast<int>(i);
    const cell_law one = world_.at({from[0] + n % Tile::nx, from[1] + n / Tile::nx % Tile::ny,
                                    from[2] + n / (Tile::nx * Tile::ny)});
    if (kinds.empty() || kinds[last] != one) {
      last = static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), one) - kinds.begin());
      if (last == kinds.size()) kinds.push_back(one);
    }
    if (last >= Tile::kinds) {
      throw apps::failure{
          fmt::format(
              "{}: bodies: the tile of {} x {} x {} cells at [{}, {}, {}] has more than {} kinds of "
              "cells (material, depth in a sponge, walls beside it); thinner sponges or "
              "fewer materials have fewer",
              scene_.origin(), Tile::nx, Tile::ny, Tile::nz, from[0], from[1], from[2],
              Tile::kinds),
          apps::exit_code::usage};
    }
    of_cells[i] = static_cast<std::uint8_t>(last);
  }
  return kinds;
}

namespace {

/// The rows of a tile's kinds as messages, those alike in levels that follow each other as one.
template <class Tile>
void lay(const std::vector<std::uint8_t>& of_cells, std::vector<ground>& grounds) {
  constexpr std::int32_t bands = Tile::ny / ground::rows;
  for (std::int32_t band = 0; band < bands; ++band) {
    ground now{band, 0, 0, {}};
    for (std::int32_t z = 0; z < Tile::nz; ++z) {
      ground next{band, z, 1, {}};
      const auto first =
          of_cells.begin() + (z * bands + band) * std::int32_t{ground::rows * ground::width};
      std::copy_n(first, next.kind.size(), next.kind.begin());
      if (now.levels != 0 && next.kind == now.kind) {
        ++now.levels;
        continue;
      }
      if (now.levels != 0) grounds.push_back(now);
      now = next;
    }
    grounds.push_back(now);
  }
}

}  // namespace

template <class Tile>
Tile tile_states::medium(std::size_t t, std::vector<ground>& grounds) const {
  Tile made{};
  begin(made, t);
  made.runs = static_cast<std::uint32_t>(of_[t].runs.size());
  std::copy(of_[t].runs.begin(), of_[t].runs.end(), made.run_at.begin());
  cell_kinds of_cells;
  const std::vector<cell_law> kinds = kinds_of<Tile>(t, of_cells);
  for (std::size_t i = 0; !Tile::one_field && i < of_cells.size(); ++i) {
    const std::size_t x = i % Tile::nx, y = i / Tile::nx % Tile::ny, z = i / (Tile::nx * Tile::ny);
    const auto at_wall = [&](std::size_t at, std::size_t a, int edge, std::size_t wall) {
      if constexpr (!Tile::one_field) {
        if (at == static_cast<std::size_t>(edge)) made.wall_kind[wall + a] = of_cells[i];
      }
    };
    at_wall(x, z * Tile::ny + y, 0, Tile::behind_west);
    at_wall(x, z * Tile::ny + y, made.used_x - 1, Tile::behind_east);
    at_wall(y, z * Tile::nx + x, 0, Tile::behind_south);
    at_wall(y, z * Tile::nx + x, made.used_y - 1, Tile::behind_north);
    at_wall(z, y * Tile::nx + x, 0, Tile::below);
    at_wall(z, y * Tile::nx + x, made.used_z - 1, Tile::overhead);
  }
  if constexpr (Tile::streamed) {
    for (std::size_t i = 0; i < of_cells.size(); ++i)
      made.cell_kind[i / 4] |= std::uint32_t{of_cells[i]} << (i % 4 * 8);
    made.level_kind.find(of_cells);
  } else if (kinds.size() > 1) {
    lay<Tile>(of_cells, grounds);
  }
  made.uniform = kinds.size() == 1;
  made.damping = world_.damping();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    made.material_of[k] = {kinds[k].courant2, kinds[k].damping};
    made.law_of[k] = Tile::law_for(made.material_of[k], kinds[k].neighbours, made.damping);
  }
  const cut::cell at = grid_.place(t);
  for (std::size_t face = 0; face < 6; ++face) {
    const int edge = face % 2 == 0 ? 0 : grid_.tiles[face / 2] - 1;
    if (at[face / 2] == edge && world_.absorbs(face)) made.walls |= 1U << face;
  }
  return made;
}

template streamed_medium_tile tile_states::medium<streamed_medium_tile>(std::size_t,
                                                                        std::vector<ground>&) const;
template medium_tile tile_states::medium<medium_tile>(std::size_t, std::vector<ground>&) const;
template small_medium_tile tile_states::medium<small_medium_tile>(std::size_t,
                                                                  std::vector<ground>&) const;
template swapped_medium_tile tile_states::medium<swapped_medium_tile>(std::size_t,
                                                                      std::vector<ground>&) const;
template cube_medium_tile tile_states::medium<cube_medium_tile>(std::size_t,
                                                                std::vector<ground>&) const;

}  // namespace wavesim3d
