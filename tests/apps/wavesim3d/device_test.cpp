// tests/apps/wavesim3d/device_test.cpp - on a GPU: the bits of the CPU backend, whatever the workers and clusters.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "common/failure.hpp"
#include "parked_steps.hpp"
#include "simulation.hpp"

namespace wavesim3d {
namespace {

perdure::options on(perdure::backend b, std::uint32_t workers, std::uint32_t cluster) {
  perdure::options o;
  o.backend = b;
  o.workers = workers;
  o.cluster = cluster;
  return o;
}

/// Why there is no device to test on, or empty.
std::string no_device() {
  scene least;
  least.cells = {1, 1, 1};
  try {
    simulation there{least, on(perdure::backend::cuda, 0, 0)};
  } catch (const apps::failure& e) {
    const std::string why = e.what();
    if (why.starts_with("no_d") || why.starts_with("no_nvrtc") || why.starts_with("driver_too_old"))
      return why;
    throw;
  }
  return "";
}

TEST(WaveDevice, FieldsAndTracesAreTheCpusWithOneAndManyTilesAWorkerWithAndWithoutClusters) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  scene s;
  s.name = "device test";
  s.cells = {100, 64, 40};
  s.mode = {2, 3, 1};
  s.sources = {{wave::ricker, {50, 30, 20}, {}, 0.5, 2000, 0.0008},
               {wave::sine, {3, 60, 38}, {}, 0.1, 700, 0}};
  s.receivers = {{"a", {10, 10, 10}}, {"b", {90, 60, 30}}};
  simulation cpu{s, on(perdure::backend::cpu, 2, 0)};
  cpu.advance(201);
  const auto want = cpu.field();
  const std::pair<std::uint32_t, std::uint32_t> grids[] = {{0, 0}, {0, 1}, {0, 2}, {0, 8},
                                                           {8, 4}, {5, 1}, {1, 1}};
  for (const auto& [workers, cluster] : grids) {
    SCOPED_TRACE(testing::Message() << workers << " workers, cluster " << cluster);
    for (const residence where :
         {residence::as_they_fit, residence::swapped, residence::streamed}) {
      simulation gpu{s, on(perdure::backend::cuda, workers, cluster), false, where};
      gpu.advance(1);
      gpu.advance(200);
      EXPECT_EQ(gpu.field(), want);
      EXPECT_EQ(gpu.traces(), cpu.traces());
      const bool stay = where != residence::streamed;  // messages of the others stay in their links
      EXPECT_EQ(gpu.layout().links_on_chip > 0, stay && gpu.layout().cluster > 1);
    }
  }
}

TEST(WaveDevice, FieldsTracesAndPlanesOfSmallTilesAreTheCpus) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  scene s;
  s.name = "device test";
  s.cells = {90, 45, 38};
  s.mode = {2, 3, 1};
  s.sources = {{wave::ricker, {50, 30, 20}, {}, 0.5, 2000, 0.0008}};
  s.receivers = {{"a", {10, 10, 10}}, {"b", {80, 40, 30}}};
  for (const bool laboratory : {false, true}) {
    simulation cpu{s, on(perdure::backend::cpu, 2, 0), laboratory};
    cpu.advance(201);
    for (const std::uint32_t cluster : {0U, 2U}) {
      SCOPED_TRACE(testing::Message() << "cluster " << cluster << " laboratory " << laboratory);
      simulation gpu{s, on(perdure::backend::cuda, 0, cluster), laboratory, residence::small};
      EXPECT_EQ(gpu.tiles(), 3 * 3 * 10);
      gpu.advance(1);
      gpu.advance(200);
      EXPECT_EQ(gpu.field(), cpu.field());
      EXPECT_EQ(gpu.traces(), cpu.traces());
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(gpu.slice(axis, 30).p, cpu.slice(axis, 30).p) << "axis " << axis;
    }
  }
}

/// @param swapped  where workers have several tiles.
void is_the_cpus_from_a_checkpoint(residence stays, residence swapped, std::size_t tiles) {
  scene s;
  s.name = "device test";
  s.cells = {70, 64, 42};
  s.mode = {2, 3, 1};
  s.sources = {{wave::ricker, {50, 30, 20}, {}, 0.5, 2000, 0.0008}};
  s.receivers = {{"a", {10, 10, 10}}, {"b", {60, 40, 40}}};
  for (const bool laboratory : {false, true}) {
    if (laboratory) {
      shape layer;
      layer.from = {0, 0, 11};
      layer.to = {69, 63, 22};
      s.materials.push_back({"slower", substance::fluid, 250, 40});
      s.bodies.push_back({1, layer});
    }
    simulation cpu{s, on(perdure::backend::cpu, 2, 0), laboratory};
    cpu.advance(120);
    for (const std::uint32_t cluster : {0U, 1U}) {
      SCOPED_TRACE(testing::Message() << "cluster " << cluster << " laboratory " << laboratory);
      auto how = on(perdure::backend::cuda, 0, cluster);
      if (cluster == 1) how.execution = perdure::execution::graph;
      checkpoint kept;
      {  // a device holds one system at a time
        how.workers = cluster == 1 ? static_cast<std::uint32_t>(tiles) / 2 - 1
                                   : 0;  // two or three of 12 cubes each, which are swapped
        simulation gpu{s, how, laboratory, cluster == 1 ? swapped : stays};
        EXPECT_EQ(gpu.tiles(), tiles);
        gpu.advance(1);
        if (cluster == 1) {
          advance_and_park(gpu, 20, 3);
        } else {
          gpu.advance(60);
        }
        kept = gpu.save();
        gpu.advance(59);
        EXPECT_EQ(gpu.field(), cpu.field());
        EXPECT_EQ(gpu.past(), cpu.past());
        EXPECT_EQ(gpu.traces(), cpu.traces());
      }
      simulation again{s, how, kept};
      EXPECT_EQ(again.tiles(), tiles);
      again.advance(59);
      EXPECT_EQ(again.field(), cpu.field());
      EXPECT_EQ(again.past(), cpu.past());
    }
  }
}
TEST(WaveDevice, BothFieldsAndTracesOfCubesAreTheCpusAlsoFromACheckpointAndIfWorkersLeave) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  is_the_cpus_from_a_checkpoint(residence::cube, residence::swapped_cube, 3 * 2 * 2);
}
TEST(WaveDevice, ThoseOfTilesThatAreNeverOnTheChipAreToo) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  is_the_cpus_from_a_checkpoint(residence::streamed, residence::streamed, 2 * 2 * 1);
}

// Eight tiles, two along each axis; sources in their corners, and over the corner where all meet.
TEST(WaveDevice, StreamedTilesBesideAndAboveOneAnotherHaveTheCpusFields) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  scene s;
  s.name = "device test";
  s.cells = {128, 64, 128};
  s.mode = {2, 1, 3};
  s.sources = {{wave::ricker, {33, 30, 60}, {}, 0.5, 2000, 0.0008},
               {wave::sine, {63, 31, 63}, {}, 0.3, 900, 0},
               {wave::sine, {64, 32, 64}, {}, 0.2, 700, 0},
               {wave::impulse, {64, 5, 63}, {}, 0.7, 0, 0}};
  s.receivers = {{"a", {3, 3, 3}}};
  for (const bool laboratory : {false, true}) {
    if (laboratory) {
      shape layer;
      layer.from = {0, 0, 11};
      layer.to = {127, 63, 90};
      s.materials.push_back({"slower", substance::fluid, 250, 40});
      s.bodies.push_back({1, layer});
      s.faces.fill(boundary::mur);
      shape corner;  // where all eight meet
      corner.from = {60, 29, 62};
      corner.to = {66, 33, 65};
      s.sources.push_back({wave::sine, {}, corner, 0.2, 900, 0});
    }
    simulation cpu{s, on(perdure::backend::cpu, 2, 0), laboratory};
    cpu.advance(61);
    for (const std::uint32_t workers : {0U, 3U}) {
      SCOPED_TRACE(testing::Message() << workers << " workers, laboratory " << laboratory);
      simulation gpu{s, on(perdure::backend::cuda, workers, 0), laboratory, residence::streamed};
      EXPECT_EQ(gpu.tiles(), 8U);
      gpu.advance(2);
      gpu.advance(59);
      EXPECT_EQ(gpu.field(), cpu.field());
      EXPECT_EQ(gpu.traces(), cpu.traces());
    }
  }
}

TEST(WaveDevice, FieldsAreTheCpusThoughTheWorkersLeaveBetweenSteps) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  scene s;
  s.name = "device test";
  s.cells = {100, 64, 40};
  s.mode = {2, 3, 1};
  simulation cpu{s, on(perdure::backend::cpu, 2, 0)};
  cpu.advance(100);
  const auto want = cpu.field();
  const std::pair<std::uint32_t, std::uint32_t> grids[] = {{0, 1}, {0, 8}, {8, 4}, {5, 1}};
  for (const auto& [workers, cluster] : grids) {
    SCOPED_TRACE(testing::Message() << workers << " workers, cluster " << cluster);
    auto how = on(perdure::backend::cuda, workers, cluster);
    how.execution = perdure::execution::graph;
    simulation gpu{s, how};
    advance_and_park(gpu, 20, 5);
    EXPECT_EQ(gpu.field(), want);
  }
}

TEST(WaveDevice, ShippedScenesGiveTheCpusFieldsPlanesAndTraces) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& file : std::filesystem::directory_iterator{WAVESIM3D_SCENES}) {
    SCOPED_TRACE(file.path());
    const scene s = read_scene(file.path());
    const source_spec clap{wave::ricker, {30, 30, 10}, {}, 1, 0.1 / s.time_step_s(), 0};
    const auto first_half = [&](simulation& sim) {
      for (const int steps : {1, 99}) sim.advance(steps);
      if (s.plain()) return;
      sim.inject(clap);
      sim.damp(20);
    };
    simulation cpu{s, on(perdure::backend::cpu, 0, 0)};
    first_half(cpu);
    const auto half = cpu.save();
    const auto plane = cpu.slice(1, 20).p;
    cpu.advance(100);
    const auto want = cpu.field();
    {  // a device holds one system at a time
      simulation gpu{s, on(perdure::backend::cuda, 0, 0)};
      first_half(gpu);
      EXPECT_EQ(gpu.slice(1, 20).p, plane);
      gpu.advance(100);
      EXPECT_EQ(gpu.field(), want);
      EXPECT_EQ(gpu.traces(), cpu.traces());
    }
    // through a checkpoint, too
    simulation again{s, on(perdure::backend::cuda, 0, 0), half};
    again.advance(100);
    EXPECT_EQ(again.field(), want);
  }
}

}  // namespace
}  // namespace wavesim3d
