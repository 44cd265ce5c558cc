// tests/apps/wavesim3d/medium_test.cpp - materials, walls, sponges, damping and shapes: tiles against the plain loop.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/failure.hpp"
#include "level_kinds.hpp"
#include "reference.hpp"
#include "simulation.hpp"

namespace wavesim3d {
namespace {

perdure::options cpu(std::uint32_t workers = 2) {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  o.workers = workers;
  return o;
}

shape box(std::array<int, 3> from, std::array<int, 3> to) {
  shape s;
  s.from = from;
  s.to = to;
  return s;
}
shape ball(std::array<double, 3> center, double radius) {
  shape s;
  s.what = shape::kind::sphere;
  s.center = center;
  s.radius = radius;
  return s;
}

/// One of everything; what does not fit into the grid is cut off.
scene of_everything(std::array<int, 3> cells) {
  scene s;
  s.name = "everything";
  s.cells = cells;
  s.materials = {{"air", substance::fluid, 343, 0},
                 {"sand", substance::fluid, 200, 300},
                 {"wall", substance::rigid, 0, 0},
                 {"foam", substance::soft, 0, 0}};
  const int x = cells[0], y = cells[1], z = cells[2];
  s.bodies = {{1, box({0, 0, 0}, {x / 3, y - 1, z / 2})},
              {2, box({x / 2, 0, 0}, {x / 2 + 1, y / 2, z - 1})},
              {3, ball({x * 0.7, y * 0.7, z * 0.5}, z * 0.3)}};
  s.damping_per_s = 50;
  s.sponge_cells = 5;
  s.sources = {{wave::ricker, {x / 4, y - 1, 0}, {}, 0.5, 2000, 0.0008},
               {wave::sine, {}, box({0, y / 3, z / 3}, {x - 1, y / 3, z / 3 + 1}), 0.1, 700, 0},
               {wave::impulse, {}, ball({x * 0.4, y * 0.8, z * 0.5}, 3), -1, 0, 0}};
  s.receivers = {{"a", {0, 0, 0}}, {"b", {x - 1, y - 1, z - 1}}};
  return s;
}

void is_the_plain_loop(const scene& s, std::uint32_t workers, bool laboratory, int steps) {
  simulation sim{s, cpu(workers), laboratory};
  plain_loop<float> loop{s, sim.field(), sim.past_ratio()};
  sim.advance(1);
  sim.advance(steps - 1);
  for (int i = 0; i < steps; ++i) loop.step();
  const auto got = sim.field();
  ASSERT_EQ(got, loop.field());
  float most = 0;
  for (const float p : got) most = std::max(most, std::abs(p));
  EXPECT_GT(most, 1e-4F) << "nothing moved";
  EXPECT_LT(most, 100.0F) << "unstable";
  for (int axis = 0; axis < 3; ++axis) {
    const auto mid = s.cells[static_cast<std::size_t>(axis)] / 2;
    EXPECT_EQ(sim.slice(axis, mid).p, cut_out(s, axis, mid, got).p) << "axis " << axis;
  }
}

TEST(Medium, EveryKindOfFaceGivesTheBitsOfAPlainLoopInWholeAndCutTiles) {
  using enum boundary;
  const std::array<std::array<boundary, 6>, 5> faces = {{
      {mur, mur, mur, mur, mur, mur},
      {reflecting, mur, dirichlet, reflecting, mur, sponge},
      {sponge, sponge, sponge, sponge, sponge, sponge},
      {reflecting, reflecting, reflecting, reflecting, reflecting, reflecting},
      {dirichlet, dirichlet, mur, dirichlet, reflecting, mur},
  }};
  for (const auto& cells : {std::array{64, 32, 32}, std::array{33, 40, 17}, std::array{7, 70, 5}}) {
    for (const auto& f : faces) {
      scene s = of_everything(cells);
      s.faces = f;
      SCOPED_TRACE(testing::Message() << cells[0] << " x " << cells[1] << " x " << cells[2]
                                      << " cells, first face " << static_cast<int>(f[0]));
      is_the_plain_loop(s, 3, false, 60);
    }
  }
}

/// Tiles that are swapped beside those that stay and the plain loop; and what each of them goes on with, from its own
/// checkpoint and from the other's, after orders.
void swapped_is_the_same(const scene& s) {
  simulation stays{s, cpu(3), true, residence::stays};
  simulation swaps{s, cpu(1), true, residence::swapped};
  simulation small{s, cpu(2), true, residence::small};
  simulation streamed{s, cpu(2), true, residence::streamed};
  std::vector<simulation*> others{&swaps, &small, &streamed};
  std::optional<simulation> cube, from_cube;  // which know no absorbing walls
  if (std::ranges::all_of(s.faces, [](boundary b) { return !absorbs(b); }))
    others.push_back(&cube.emplace(s, cpu(2), true, residence::cube));
  plain_loop<float> loop{s, swaps.field(), swaps.past_ratio()};
  for (const int steps : {1, 2, 20}) {
    stays.advance(steps);
    for (int i = 0; i < steps; ++i) loop.step();
    for (simulation* one : others) {
      one->advance(steps);
      ASSERT_EQ(one->field(), loop.field());
      ASSERT_EQ(one->past(), stays.past());
      ASSERT_EQ(one->traces(), stays.traces());
      for (int axis = 0; axis < 3; ++axis) {
        for (const int at : {0, s.cells[static_cast<std::size_t>(axis)] - 1})
          ASSERT_EQ(one->slice(axis, at).p, stays.slice(axis, at).p) << "axis " << axis;
      }
    }
  }
  others.push_back(&stays);
  for (simulation* one : others) {
    one->inject({wave::impulse, {s.cells[0] / 3, s.cells[1] / 2, s.cells[2] / 2}, {}, 2, 0, 0});
    one->damp(77);
    one->move_receiver(0, {s.cells[0] - 1, 0, s.cells[2] - 1});
  }
  simulation from_swaps{s, cpu(3), swaps.save(), residence::stays};
  simulation from_stays{s, cpu(1), stays.save(), residence::swapped};
  simulation from_small{s, cpu(3), small.save()};
  simulation from_streamed{s, cpu(3), streamed.save()};
  if (cube) others.push_back(&from_cube.emplace(s, cpu(1), cube->save(), residence::swapped_cube));
  others.insert(others.end(), {&from_swaps, &from_stays, &from_small, &from_streamed});
  for (simulation* one : others) one->advance(21);
  for (simulation* one : others) {
    ASSERT_EQ(one->field(), stays.field());
    ASSERT_EQ(one->traces(), stays.traces());
  }
}

TEST(Medium, ALanesLevelIsOfOneKindOrOfSeveral) {
  using kinds = level_kinds<stream_shape>;
  constexpr std::size_t nx = stream_shape::nx, ny = stream_shape::ny, nz = stream_shape::nz;
  std::vector<std::uint8_t> of_cells(nx * ny * nz);
  for (std::size_t z = 0; z < nz; ++z)
    std::fill_n(of_cells.begin() + static_cast<std::ptrdiff_t>(z * nx * ny), nx * ny, z);
  const auto found = std::make_unique<kinds>();
  const auto level = [&](std::size_t x, std::size_t y, std::size_t z) {
    return found->of[kinds::at(x, y, z)] >> (z % 4 * 8) & 255U;
  };
  found->find(of_cells);
  for (std::size_t z = 0; z < nz; ++z) ASSERT_EQ(level(60, 30, z), z);
  for (const std::uint8_t kind : {254, 255}) {
    auto other = of_cells;
    std::fill_n(other.begin() + std::ptrdiff_t{40 * nx * ny}, nx * ny, kind);
    found->find(other);
    EXPECT_EQ(level(60, 30, 40), kind) << "255 is taken for several, and looked up";
    EXPECT_EQ(level(60, 30, 41), 41);
  }
  for (const std::size_t x : {8UL, 11UL}) {
    for (const std::size_t y : {6UL, 7UL}) {
      auto other = of_cells;
      other[(21 * ny + y) * nx + x] = 3;
      found->find(other);
      EXPECT_EQ(level(x, y, 21), of_several);
      EXPECT_EQ(level(x, y, 20), 20);
      EXPECT_EQ(level(x, y, 22), 22);
      for (const auto& [to_x, to_y] : {std::pair{4UL, y}, {12UL, y}, {x, 4UL}, {x, 8UL}})
        EXPECT_EQ(level(to_x, to_y, 21), 21) << "a lane beside it";
    }
  }
}

// Eight streamed tiles, two along each axis, whose faces are filled on the way, with what sources over shapes add to them. One
// takes whole levels, of which a row ends where the next one begins, and one the corner where all tiles meet.
TEST(Medium, StreamedTilesAboveOneAnotherAreThePlainLoopThoughASourceTakesWholeLevels) {
  using enum boundary;
  for (const auto& f : {std::array{mur, mur, mur, mur, mur, mur},
                        std::array{reflecting, mur, dirichlet, mur, mur, sponge}}) {
    scene s = of_everything({128, 64, 128});
    s.faces = f;
    s.mode = {2, 1, 3};
    s.sources = {{wave::ricker, {}, box({0, 0, 3}, {127, 63, 4}), 0.5, 2000, 0.0008},
                 {wave::sine, {}, box({3, 7, 9}, {70, 12, 9}), 0.1, 700, 0},
                 {wave::sine, {}, box({60, 29, 62}, {66, 33, 65}), 0.2, 900, 0}};
    s.receivers = {{"a", {0, 0, 0}}};
    simulation streamed{s, cpu(2), true, residence::streamed};
    ASSERT_EQ(streamed.tiles(), 8U);
    plain_loop<float> loop{s, streamed.field(), streamed.past_ratio()};
    for (const int steps : {1, 2, 7}) {
      streamed.advance(steps);
      for (int i = 0; i < steps; ++i) loop.step();
      ASSERT_EQ(streamed.field(), loop.field());
    }
  }
}

TEST(Medium, TilesThatAreSwappedGiveTheSameBitsTakeOrdersAndGoOnFromEitherKind) {
  using enum boundary;
  const std::array<std::array<boundary, 6>, 4> faces = {{
      {mur, mur, mur, mur, mur, mur},
      {reflecting, mur, dirichlet, reflecting, mur, sponge},
      {sponge, sponge, reflecting, dirichlet, reflecting, mur},
      {reflecting, dirichlet, reflecting, dirichlet, reflecting, dirichlet},
  }};
  for (const auto& cells : {std::array{64, 64, 32}, std::array{33, 40, 17}}) {
    for (const auto& f : faces) {
      scene s = of_everything(cells);
      s.faces = f;
      SCOPED_TRACE(testing::Message() << cells[0] << " x " << cells[1] << " x " << cells[2]
                                      << " cells, first face " << static_cast<int>(f[0]));
      swapped_is_the_same(s);
      s.bodies.clear();
      swapped_is_the_same(s);
    }
  }
}

TEST(Medium, TilesThatTakeOrdersGiveThePlainTilesBits) {
  scene s;
  s.name = "plain";
  s.cells = {64, 40, 20};
  s.mode = {2, 1, 1};
  s.sources = {{wave::ricker, {60, 3, 4}, {}, 0.5, 2000, 0.0008}};
  ASSERT_TRUE(s.plain());
  is_the_plain_loop(s, 2, true, 60);
  is_the_plain_loop(s, 2, false, 60);
}

TEST(Medium, OrdersBetweenStepsAreSeenByTheNextOne) {
  scene s = of_everything({40, 40, 20});
  s.faces.fill(boundary::mur);
  simulation sim{s, cpu()};
  plain_loop<float> loop{s, sim.field(), sim.past_ratio()};
  const std::array<int, 3> other{35, 35, 18};
  std::vector<float> seen;
  for (int i = 0; i < 90; ++i) {
    if (i == 30) {
      const source_spec more{wave::ricker, {20, 5, 10}, {}, 2, 1500, 0.0005};
      sim.inject(more);
      loop.inject(more);
    }
    if (i == 50) sim.move_receiver(0, other);
    if (i == 60) {
      sim.damp(4'000);
      loop.damp(4'000);
    }
    sim.advance(1);
    loop.step();
    seen.push_back(loop.at(i < 50 ? s.receivers[0].at : other));
  }
  EXPECT_EQ(sim.field(), loop.field());
  EXPECT_EQ(sim.traces()[0], seen);
}

TEST(Medium, ATileHasRoomForFourSourcesAndASpentOneMakesRoom) {
  scene s;
  s.cells = {20, 20, 10};
  simulation sim{s, cpu(), true};
  const source_spec hum{wave::sine, {5, 5, 5}, {}, 1, 500, 0};
  const source_spec clap{wave::impulse, {9, 9, 5}, {}, 1, 0, 0};
  for (int i = 0; i < 3; ++i) sim.inject(hum);
  sim.inject(clap);
  EXPECT_THROW(sim.inject(clap), apps::failure);
  sim.advance(2);
  sim.inject(clap);
  EXPECT_THROW(sim.inject(clap), apps::failure);
}

TEST(Medium, SpongesSoakEverythingUpAtTheLargestCourantNumber) {
  scene s = of_everything({44, 40, 36});
  s.courant = 1 / std::sqrt(3.0) * (1 - 1e-7);
  s.damping_per_s = 0;
  s.materials[1].damping_per_s = 0;
  s.sponge_cells = 20;  // they overlap in the middle
  s.faces.fill(boundary::sponge);
  s.sources = {{wave::impulse, {20, 35, 30}, {}, 1, 0, 0}, {wave::impulse, {3, 3, 3}, {}, 1, 0, 0}};
  simulation sim{s, cpu()};
  double before = 1;
  for (int i = 0; i < 4; ++i) {
    sim.advance(400);
    double sum = 0;
    for (const float p : sim.field()) sum += double{p} * p;
    EXPECT_LT(sum, before / 10) << "after step " << sim.step();
    before = sum;
  }
  EXPECT_GT(before, 0) << "nothing moved";
}

TEST(Medium, PlainTilesRefuseOrders) {
  scene s;
  s.cells = {20, 20, 10};
  simulation sim{s, cpu()};
  EXPECT_THROW(sim.damp(1), apps::failure);
}

}  // namespace
}  // namespace wavesim3d
