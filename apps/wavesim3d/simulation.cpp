// apps/wavesim3d/simulation.cpp - see simulation.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "common/failure.hpp"
#include "tile.actors.hpp"
#include "waveform.hpp"

namespace wavesim3d {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t letters = 1U << 14U;  // pieces of traces that the host keeps
constexpr std::array<int, 3> tile_cells{tile::nx, tile::ny, tile::nz};

template <class T>
T checked(perdure::result<T> r) {
  if (!r) throw apps::failure{r.error().message()};
  return std::move(*r);
}
void checked(perdure::result<void> r) {
  if (!r) throw apps::failure{r.error().message()};
}

std::size_t place_in_tile(int x, int y, int z) {
  return tile::at(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                  static_cast<std::size_t>(z));
}

/// How the grid is cut into tiles.
struct cut {
  std::array<int, 3> cells, tiles;

  explicit cut(const std::array<int, 3>& of) : cells{of}, tiles{} {
    for (std::size_t a = 0; a < 3; ++a) tiles[a] = (cells[a] + tile_cells[a] - 1) / tile_cells[a];
  }
  std::size_t count() const {
    return static_cast<std::size_t>(tiles[0]) * static_cast<std::size_t>(tiles[1]) *
           static_cast<std::size_t>(tiles[2]);
  }
  std::array<int, 3> place(std::size_t t) const {
    const auto i = static_cast<int>(t);
    return {i % tiles[0], i / tiles[0] % tiles[1], i / (tiles[0] * tiles[1])};
  }
  std::size_t number(const std::array<int, 3>& p) const {
    const auto as = [](int n) { return static_cast<std::size_t>(n); };
    return (as(p[2]) * as(tiles[1]) + as(p[1])) * as(tiles[0]) + as(p[0]);
  }
  std::size_t tile_of(const std::array<int, 3>& cell) const {
    return number({cell[0] / tile::nx, cell[1] / tile::ny, cell[2] / tile::nz});
  }
  static std::uint32_t within(const std::array<int, 3>& cell) {
    return static_cast<std::uint32_t>(
        place_in_tile(cell[0] % tile::nx, cell[1] % tile::ny, cell[2] % tile::nz));
  }
};

/// The initial field: a product of sines that is 0 one cell outside the grid.
class standing_mode {
 public:
  explicit standing_mode(const scene& s) : scene_{s} {
    for (std::size_t a = 0; a < 3; ++a) {
      for (int i = 0; i < s.cells[a]; ++i) {
        factor_[a].push_back(std::sin(std::numbers::pi * s.mode[a] * (i + 1) / (s.cells[a] + 1)));
      }
    }
  }
  bool there() const { return scene_.mode[0] != 0; }
  float at(int x, int y, int z) const {
    return static_cast<float>(factor_[0][static_cast<std::size_t>(x)] *
                              factor_[1][static_cast<std::size_t>(y)] *
                              factor_[2][static_cast<std::size_t>(z)]);
  }
  /// p(-1) / p(0) of the wave that this field belongs to: cos(omega * time step).
  float past_ratio() const {
    double k2 = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double k =
          std::numbers::pi * scene_.mode[a] / ((scene_.cells[a] + 1) * scene_.spacing_m);
      k2 += k * k;
    }
    return static_cast<float>(std::cos(std::sqrt(k2) * scene_.speed_m_s * scene_.time_step_s()));
  }

 private:
  const scene& scene_;
  std::vector<double> factor_[3];
};

}  // namespace

struct simulation::parts {
  scene what;
  cut grid;
  perdure::system sys;
  perdure::range<tile> tiles;
  perdure::mailbox<trace> mailbox;
  int step = 0;
  std::vector<std::vector<float>> traces;

  parts(const scene& s, const perdure::options& opts)
      : what{s},
        grid{s.cells},
        sys{checked(perdure::system::start(::tile::actors(), opts))},
        mailbox{checked(sys.make_mailbox<trace>(letters))},
        traces(s.receivers.size()) {
    spawn();
    link();
  }

  void spawn() {
    const standing_mode mode{what};
    std::vector<std::vector<source>> sources(grid.count());
    std::vector<std::vector<receiver>> receivers(grid.count());
    for (const source_spec& one : what.sources) {
      source made = waveform_of(one, what.time_step_s());
      made.cell = cut::within(one.at);
      sources[grid.tile_of(one.at)].push_back(made);
    }
    for (std::size_t r = 0; r < what.receivers.size(); ++r) {
      const auto& at = what.receivers[r].at;
      receivers[grid.tile_of(at)].push_back({static_cast<std::int32_t>(r), cut::within(at)});
    }
    for (std::size_t t = 0; t < grid.count(); ++t) {
      if (std::max(sources[t].size(), receivers[t].size()) <= tile::most) continue;
      throw apps::failure{
          fmt::format("{}: more than {} sources or receivers in one tile of {} x {} x {} cells",
                      what.name, tile::most, tile::nx, tile::ny, tile::nz),
          apps::exit_code::usage};
    }
    tiles = checked(sys.spawn<tile>(grid.count(), [&](std::size_t t) {
      tile made{};
      const auto first = first_cell(t);
      made.courant2 = static_cast<float>(what.courant * what.courant);
      made.used_x = std::min(tile::nx, what.cells[0] - first[0]);
      made.used_y = std::min(tile::ny, what.cells[1] - first[1]);
      made.used_z = std::min(tile::nz, what.cells[2] - first[2]);
      if (mode.there()) {
        made.past_ratio = mode.past_ratio();
        each_cell(made, [&](int x, int y, int z) {
          made.present()[place_in_tile(x, y, z)] =
              mode.at(first[0] + x, first[1] + y, first[2] + z);
        });
      }
      made.sources = static_cast<std::uint32_t>(sources[t].size());
      made.receivers = static_cast<std::uint32_t>(receivers[t].size());
      std::copy(sources[t].begin(), sources[t].end(), made.source_at.begin());
      std::copy(receivers[t].begin(), receivers[t].end(), made.receiver_at.begin());
      made.listener = mailbox.ref();
      return made;
    }));
  }

  void link() {
    using enum tile::port;
    std::vector<perdure::link> links;
    const auto both = [&]<class M>(M, std::size_t a, tile::port out, std::size_t b, tile::port in) {
      links.push_back(perdure::link::of<M>(tiles[a], out, tiles[b], in));
      links.push_back(perdure::link::of<M>(tiles[b], in, tiles[a], out));
    };
    for (std::size_t t = 0; t < grid.count(); ++t) {
      const auto p = grid.place(t);
      links.push_back(perdure::link::of<go>(tiles[t], self, tiles[t], self));
      if (p[0] + 1 < grid.tiles[0])
        both(tile::side{}, t, east, grid.number({p[0] + 1, p[1], p[2]}), west);
      if (p[1] + 1 < grid.tiles[1])
        both(tile::side{}, t, north, grid.number({p[0], p[1] + 1, p[2]}), south);
      if (p[2] + 1 < grid.tiles[2])
        both(tile::level{}, t, up, grid.number({p[0], p[1], p[2] + 1}), down);
    }
    checked(sys.link(links));
  }

  std::array<int, 3> first_cell(std::size_t t) const {
    const auto p = grid.place(t);
    return {p[0] * tile::nx, p[1] * tile::ny, p[2] * tile::nz};
  }
  template <class F>
  static void each_cell(const tile& t, F f) {
    for (int z = 0; z < t.used_z; ++z) {
      for (int y = 0; y < t.used_y; ++y) {
        for (int x = 0; x < t.used_x; ++x) f(x, y, z);
      }
    }
  }

  void take_letters() {
    std::vector<perdure::mailbox<trace>::letter_type> some(256);
    while (const std::size_t n = checked(mailbox.receive(some, 0ns))) {
      for (std::size_t l = 0; l < n; ++l) {
        const trace& t = some[l].body;
        auto& to = traces[static_cast<std::size_t>(t.receiver)];
        const auto first = static_cast<std::size_t>(t.first_step - 1);
        to.resize(std::max(to.size(), first + t.count));
        for (std::size_t i = 0; i < t.count; ++i) to[first + i] = t.pressure[i];
      }
    }
  }
};

simulation::simulation(const scene& s, const perdure::options& opts)
    : parts_{std::make_unique<parts>(s, opts)} {}
simulation::~simulation() = default;

void simulation::advance(int steps) {
  // no more at a time than the mailbox holds of what the receivers say
  const auto receivers = std::max<std::size_t>(parts_->traces.size(), 1);
  const int most = static_cast<int>(
      std::min<std::size_t>(trace::length * (letters / receivers - 1), 1'000'000'000));
  while (steps > 0) {
    const int now = std::min(steps, std::max(most, 1));
    for (auto t : parts_->tiles) checked(parts_->sys.send(t, wavesim3d::advance{now}));
    checked(parts_->sys.quiesce(24h));
    parts_->take_letters();
    parts_->step += now;
    steps -= now;
  }
}
int simulation::step() const { return parts_->step; }

std::vector<float> simulation::field() {
  const auto& cells = parts_->what.cells;
  std::vector<tile> all(parts_->grid.count());
  checked(parts_->sys.view(parts_->tiles, std::span{all}));
  std::vector<float> out(static_cast<std::size_t>(parts_->what.cell_count()));
  for (std::size_t t = 0; t < all.size(); ++t) {
    const auto first = parts_->first_cell(t);
    parts::each_cell(all[t], [&](int x, int y, int z) {
      const auto row = static_cast<std::size_t>(first[2] + z) * static_cast<std::size_t>(cells[1]) +
                       static_cast<std::size_t>(first[1] + y);
      out[row * static_cast<std::size_t>(cells[0]) + static_cast<std::size_t>(first[0] + x)] =
          all[t].present()[place_in_tile(x, y, z)];
    });
  }
  return out;
}

const std::vector<std::vector<float>>& simulation::traces() const { return parts_->traces; }
float simulation::past_ratio() const { return standing_mode{parts_->what}.past_ratio(); }
int simulation::tiles() const { return static_cast<int>(parts_->grid.count()); }
perdure::layout_report simulation::layout() const { return parts_->sys.layout(); }
perdure::stats simulation::statistics() const { return parts_->sys.statistics(); }

}  // namespace wavesim3d
