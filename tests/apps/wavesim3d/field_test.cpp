// tests/apps/wavesim3d/field_test.cpp - the field that tiles compute, against loops and against mathematics.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <perdure/system.hpp>

#include "parked_steps.hpp"
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

scene with_mode(std::array<int, 3> cells, std::array<int, 3> mode) {
  scene s;
  s.name = "test";
  s.cells = cells;
  s.mode = mode;
  return s;
}

template <class Real>
double relative(const std::vector<float>& a, const std::vector<Real>& reference) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += std::pow(double{a[i]} - static_cast<double>(reference[i]), 2);
    all += std::pow(static_cast<double>(reference[i]), 2);
  }
  return std::sqrt(off / all);
}

TEST(Field, TilesGiveTheBitsOfAPlainLoopWhateverTheGridAndTheWorkers) {
  const std::array<int, 3> grids[] = {{32, 32, 16}, {33, 40, 17}, {64, 32, 48}, {5, 70, 3}};
  for (const auto& cells : grids) {
    scene s = with_mode(cells, {2, 1, 1});
    s.sources = {{wave::ricker, {cells[0] / 2, cells[1] - 1, 0}, {}, 0.5, 2000, 0.0008},
                 {wave::sine, {0, 0, cells[2] - 1}, {}, 0.1, 700, 0},
                 {wave::impulse, {cells[0] - 1, 0, 0}, {}, -1, 0, 0}};
    s.receivers = {{"a", {0, 0, 0}}, {"b", {cells[0] - 1, cells[1] - 1, cells[2] - 1}}};
    for (const std::uint32_t workers : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << cells[0] << " x " << cells[1] << " x " << cells[2]
                                      << " cells, " << workers << " workers");
      simulation sim{s, cpu(workers)};
      plain_loop<float> loop{s, sim.field(), sim.past_ratio()};
      std::vector<std::vector<float>> seen(2);
      for (const int steps : {1, 60, 39}) {
        sim.advance(steps);
        for (int i = 0; i < steps; ++i) {
          loop.step();
          for (std::size_t r = 0; r < 2; ++r) seen[r].push_back(loop.at(s.receivers[r].at));
        }
        ASSERT_EQ(sim.field(), loop.field());
      }
      EXPECT_EQ(sim.traces(), seen);
    }
  }
}

TEST(Field, SoManyWorkersAsProcessorsStepItUnlessToldOtherwise) {
  const simulation sim{with_mode({32, 32, 16}, {1, 1, 1}), cpu(0)};
  EXPECT_EQ(sim.layout().workers, perdure::system::processors(cpu(0)).value());
}

// Eight, two along each axis: faces are filled on the way, and what sources add in a tile's corners is in them, too.
TEST(Field, StreamedTilesBesideAndAboveOneAnotherAreThePlainLoop) {
  scene s = with_mode({128, 64, 128}, {2, 1, 3});
  s.sources = {{wave::ricker, {33, 30, 60}, {}, 0.5, 2000, 0.0008},
               {wave::sine, {63, 31, 63}, {}, 0.3, 900, 0},
               {wave::sine, {64, 32, 64}, {}, 0.2, 700, 0},
               {wave::impulse, {64, 5, 63}, {}, 0.7, 0, 0},
               {wave::impulse, {127, 31, 9}, {}, 0.6, 0, 0}};
  s.receivers = {{"a", {3, 3, 3}}};
  simulation streamed{s, cpu(3), false, residence::streamed};
  ASSERT_EQ(streamed.tiles(), 8U);
  plain_loop<float> loop{s, streamed.field(), streamed.past_ratio()};
  for (const int steps : {3, 1, 7}) {
    streamed.advance(steps);
    for (int i = 0; i < steps; ++i) loop.step();
    ASSERT_EQ(streamed.field(), loop.field());
  }
}

TEST(Field, TilesThatAreSwappedSmallOnesAndCubesGiveTheSameBits) {
  scene s = with_mode({70, 70, 42}, {2, 1, 1});
  s.sources = {{wave::ricker, {33, 30, 20}, {}, 0.5, 2000, 0.0008}};
  s.receivers = {{"a", {3, 3, 3}}};
  simulation stays{s, cpu(3)};
  simulation swaps{s, cpu(3), false, residence::swapped};
  simulation small{s, cpu(3), false, residence::small};
  simulation cube{s, cpu(3), false, residence::cube};
  simulation in_turns{s, cpu(3), false, residence::swapped_cube};
  simulation streamed{s, cpu(3), false, residence::streamed};
  EXPECT_EQ(small.tiles(), 3 * 5 * 11);
  EXPECT_EQ(cube.tiles(), 3 * 3 * 2);
  EXPECT_EQ(streamed.tiles(), 2 * 3 * 1);
  for (const int steps : {1, 40, 19}) {
    stays.advance(steps);
    for (simulation* one : {&swaps, &small, &cube, &in_turns, &streamed}) {
      one->advance(steps);
      ASSERT_EQ(one->field(), stays.field());
      ASSERT_EQ(one->past(), stays.past());
      ASSERT_EQ(one->traces(), stays.traces());
    }
  }
  stays.advance(7);
  for (simulation* one : {&small, &cube, &in_turns, &streamed}) {
    simulation again{s, cpu(2), one->save()};  // whatever size it would have chosen
    EXPECT_EQ(again.tiles(), one->tiles());
    again.advance(7);
    EXPECT_EQ(again.field(), stays.field());
    EXPECT_EQ(again.past(), stays.past());
  }
}

TEST(Field, ASeededScheduleGivesTheSameBits) {  // links are words there, as on a GPU
  scene s = with_mode({64, 40, 20}, {2, 1, 1});
  s.receivers = {{"a", {31, 20, 10}}};
  perdure::options how = cpu(3);
  how.schedule = perdure::schedule::seeded;
  how.seed = 7;
  simulation sim{s, how};
  plain_loop<float> loop{s, sim.field(), sim.past_ratio()};
  sim.advance(12);
  for (int i = 0; i < 12; ++i) loop.step();
  EXPECT_EQ(sim.field(), loop.field());
}

TEST(Field, WorkersThatLeaveBetweenStepsGiveTheSameBits) {
  const scene s = with_mode({64, 32, 48}, {2, 1, 1});
  for (const std::uint32_t workers : {1U, 3U}) {
    auto how = cpu(workers);
    how.execution = perdure::execution::graph;
    simulation sim{s, how};
    plain_loop<float> loop{s, sim.field(), sim.past_ratio()};
    advance_and_park(sim, 12, 3);
    for (int i = 0; i < 36; ++i) loop.step();
    EXPECT_EQ(sim.field(), loop.field()) << workers << " workers";
  }
}

TEST(Field, AThousandStepsStayWithinAHundredThousandthOfDoublePrecision) {
  scene s = with_mode({64, 64, 64}, {3, 2, 1});
  s.sources = {{wave::ricker, {20, 30, 40}, {}, 0.2, 1500, 0.001}};
  simulation sim{s, cpu()};
  plain_loop<double> loop{s, sim.field(), sim.past_ratio()};
  sim.advance(1'000);
  for (int i = 0; i < 1'000; ++i) loop.step();
  EXPECT_LE(relative(sim.field(), loop.field()), 1e-5);
}

/// The error against cos(omega t) times the mode, relative, after 1.3 periods: where its phase shows.
double error_at(int n) {
  scene s = with_mode({n, n, n}, {1, 1, 1});
  const double length = 1.0;
  s.spacing_m = length / (n + 1);
  simulation sim{s, cpu()};
  const std::vector<float> start = sim.field();
  const double omega = std::sqrt(3.0) * std::numbers::pi / length * s.fastest_m_s();
  const int steps = static_cast<int>(std::lround(2.6 * std::numbers::pi / omega / s.time_step_s()));
  sim.advance(steps);
  std::vector<double> exact;
  for (const float p : start) exact.push_back(p * std::cos(omega * steps * s.time_step_s()));
  return relative(sim.field(), exact);
}

TEST(Field, HalvingTheSpacingQuartersTheErrorAgainstTheBoxsOwnMode) {
  const double coarse = error_at(15);
  const double fine = error_at(31);
  const double order = std::log2(coarse / fine);
  EXPECT_NEAR(order, 2.0, 0.1) << coarse << " -> " << fine;
}

TEST(Field, TracesThatAreForgottenGoOnWithTheSameSamples) {
  scene s;
  s.cells = {20, 20, 10};
  s.sources = {{wave::ricker, {5, 5, 5}, {}, 1, 2000, 0.0005}};
  s.receivers = {{"a", {15, 15, 5}}, {"b", {2, 2, 2}}};
  simulation whole{s, cpu()}, last{s, cpu()};
  whole.advance(150);
  for (const int steps : {40, 1, 70, 39}) {
    last.advance(steps);
    last.forget(30);
    EXPECT_EQ(last.traces()[1].size(), std::min<std::size_t>(30, last.traces()[0].size()));
  }
  for (std::size_t r = 0; r < 2; ++r) {
    const auto& all = whole.traces()[r];
    EXPECT_EQ(last.traces()[r], (std::vector<float>{all.end() - 30, all.end()}));
  }
}

}  // namespace
}  // namespace wavesim3d
