// tests/apps/wavesim3d/residence_test.cpp - which tiles a scene gets, on a device of 132 processors that nobody has to have.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/failure.hpp"
#include "lattice.hpp"
#include "residence.hpp"
#include "simulation.hpp"

namespace wavesim3d {
namespace {

perdure::options on_132() {
  perdure::options o;
  o.backend = perdure::backend::cuda;
  o.workers = 132;
  return o;
}
perdure::options on_two_cores() {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  o.workers = 2;
  return o;
}
scene cube_of(int n) {
  scene s;
  s.name = "test";
  s.cells = {n, n, n};
  return s;
}

TEST(Residence, WithoutAGpuTilesAreThoseOfCores) {
  ::setenv("PERDURE_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  std::vector<std::string> told;
  perdure::options o;
  o.on_warning = [&](const std::string& w) { told.push_back(w); };
  EXPECT_EQ(where_it_runs(o).backend, perdure::backend::cpu);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].rfind("running on the CPU: ", 0), 0U) << told[0];
  o.backend = perdure::backend::cuda;
  EXPECT_EQ(where_it_runs(o).backend, perdure::backend::cuda) << "asked for, so it is an error";
  EXPECT_EQ(told.size(), 1U);
  const scene room = cube_of(64);  // on a device with two workers it would be streamed
  o.backend = perdure::backend::automatic;
  o.workers = 2;
  const auto lattice = make_lattice(room, o, false, {}, {}, residence::as_they_fit);
  EXPECT_EQ(lattice->layout().backend, "cpu");
  EXPECT_FALSE(lattice->layout_name().starts_with("streamed")) << lattice->layout_name();
  EXPECT_EQ(told.size(), 2U) << "told once";
  ::unsetenv("PERDURE_CUDA_DRIVER");
}

TEST(Residence, TheLargestTilesThatStayElseSwappedOnes) {
  using enum residence;
  const auto chosen = [](int n) {
    return residence_of(cube_of(n), on_132(), false, "", as_they_fit);
  };
  EXPECT_EQ(chosen(64), small);
  EXPECT_EQ(chosen(96), stays);
  EXPECT_EQ(chosen(128), stays);
  EXPECT_EQ(chosen(129), cube);
  EXPECT_EQ(chosen(160), cube);
  EXPECT_EQ(chosen(161), swapped_cube);
  EXPECT_EQ(chosen(224), swapped_cube) << "343 cubes";
  EXPECT_EQ(chosen(256), streamed);
  EXPECT_EQ(chosen(512), streamed);
  scene flat = cube_of(512);
  flat.cells = {65, 1024, 512};
  EXPECT_EQ(residence_of(flat, on_132(), false, "", as_they_fit), swapped_cube)
      << "nearly half of the streamed tiles' cells would be none";
  scene several = cube_of(160);
  several.materials.push_back({"slower", substance::fluid, 250, 40});
  several.bodies.push_back({1, {}});
  EXPECT_EQ(residence_of(several, on_132(), false, "", as_they_fit), cube);
  several.cells = {256, 256, 256};
  EXPECT_EQ(residence_of(several, on_132(), false, "", as_they_fit), streamed);
  EXPECT_EQ(residence_of(several, on_132(), true, "", as_they_fit), streamed);
  several.cells = {192, 192, 192};
  EXPECT_EQ(residence_of(several, on_132(), false, "", as_they_fit), swapped);
  EXPECT_EQ(residence_of(cube_of(160), on_132(), true, "", as_they_fit), swapped) << "orders";
}

TEST(Residence, OnCoresStreamedTilesWhereEachHasFourElseLargeOnes) {
  using enum residence;
  const auto chosen = [](const scene& s, bool laboratory = false) {
    return residence_of(s, on_two_cores(), laboratory, "", as_they_fit);
  };
  EXPECT_EQ(chosen(cube_of(64)), swapped);
  for (const int n : {128, 256}) EXPECT_EQ(chosen(cube_of(n)), streamed);
  EXPECT_EQ(chosen(cube_of(128), true), streamed);
  scene several = cube_of(128);
  several.bodies.push_back({0, {}});
  EXPECT_EQ(chosen(several), streamed);
  several.cells = {128, 128, 65};
  EXPECT_EQ(chosen(several), swapped) << "nearly half of the streamed tiles' cells would be none";
  several.cells = {64, 64, 128};
  EXPECT_EQ(chosen(several), swapped) << "four tiles, two a worker";
  EXPECT_EQ(residence_of(cube_of(128), on_two_cores(), true, "large", as_they_fit), swapped);
  EXPECT_EQ(residence_of(cube_of(128), on_two_cores(), false, "cube", as_they_fit), cube);
}

TEST(Residence, ScenesThatAbsorbAreNoCubes) {
  using enum residence;
  for (const boundary wall : {boundary::sponge, boundary::mur}) {
    scene s = cube_of(160);
    s.faces[3] = wall;
    EXPECT_EQ(residence_of(s, on_132(), false, "", as_they_fit), swapped);
    EXPECT_THROW((void)residence_of(s, on_132(), false, "", cube), apps::failure);
    EXPECT_THROW((void)residence_of(s, on_132(), false, "", swapped_cube), apps::failure);
  }
}

TEST(Residence, StatesToGoOnFromKeepTheirTilesSize) {
  using enum residence;
  const auto from = [](const char* layout, residence where, int n = 160) {
    return residence_of(cube_of(n), on_132(), false, layout, where);
  };
  EXPECT_EQ(from("small plain", as_they_fit), small);
  EXPECT_EQ(from("cube medium", as_they_fit), cube);
  EXPECT_EQ(from("cube medium", as_they_fit, 256), swapped_cube);
  EXPECT_EQ(from("cube plain", swapped_cube, 64), swapped_cube);
  EXPECT_EQ(from("cube plain", cube), cube);
  EXPECT_EQ(from("plain", as_they_fit), swapped);
  EXPECT_EQ(from("medium", as_they_fit, 128), stays);
  EXPECT_EQ(from("medium", swapped, 128), swapped);
  EXPECT_EQ(from("streamed medium", as_they_fit, 32), streamed);
  for (const auto& [layout, where] :
       {std::pair{"plain", cube}, std::pair{"small plain", cube}, std::pair{"cube plain", swapped},
        std::pair{"medium", small}, std::pair{"plain", swapped_cube},
        std::pair{"streamed plain", cube}, std::pair{"medium", streamed}})
    EXPECT_THROW((void)from(layout, where), apps::failure) << layout;
}

/// A grid of two cubes and four large tiles, for two workers of a CPU, which `automatic` finds where there is no device.
scene of_two_cubes() {
  scene s = cube_of(32);
  s.cells = {64, 32, 32};
  s.mode = {2, 1, 1};
  return s;
}

TEST(Residence, MoreThanALargerTileHasRoomForIsSwapped) {
  const auto how = on_two_cores();
  scene s = cube_of(128);
  s.cells = {128, 64, 128};  // eight streamed tiles
  ASSERT_EQ(residence_of(s, how, false, "", residence::as_they_fit), residence::streamed);
  EXPECT_EQ((simulation{s, how}.save().layout), "streamed plain");
  for (int i = 0; i < 17; ++i)  // in one streamed tile, but spread over its eight swapped ones
    s.receivers.push_back({"r", {4 + i % 2 * 32, 3 + i / 8, 5 + i / 2 % 4 * 16}});
  simulation crowded{s, how};
  EXPECT_EQ(crowded.save().layout, "plain");
  crowded.advance(3);
  EXPECT_EQ(crowded.traces()[16].size(), 3U);
}

TEST(Residence, CubesThatTakeOrdersDoSoWhenTheyGoOnToo) {
  const auto how = on_two_cores();
  const scene s = of_two_cubes();
  simulation stays{s, how, true, residence::stays};
  simulation first{s, how, true, residence::cube};
  const auto none_yet = first.save();  // the lanes have not begun
  EXPECT_TRUE(none_yet.takes_orders());
  simulation cube{s, how, none_yet};
  for (simulation* one : {&stays, &cube}) {
    one->inject({wave::impulse, {20, 11, 12}, {}, 2, 0, 0});
    one->advance(9);
  }
  EXPECT_EQ(cube.field(), stays.field());
  EXPECT_EQ(cube.past(), stays.past());
  EXPECT_EQ(cube.slice(2, 30).p, stays.slice(2, 30).p);
}

TEST(Residence, PlainCubesSavedBeforeTheirFirstStepGoOnAsTheOthers) {
  const auto how = on_two_cores();
  const scene s = of_two_cubes();
  simulation stays{s, how, false, residence::stays};
  simulation first{s, how, false, residence::cube};
  simulation cube{s, how, first.save()};
  for (simulation* one : {&stays, &first, &cube}) one->advance(5);
  EXPECT_EQ(cube.field(), stays.field());
  EXPECT_EQ(first.field(), stays.field());
}

}  // namespace
}  // namespace wavesim3d
