// tests/runtime/placement/plan_test.cpp - new places from samples: permutations, nobody moved in vain.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "kernels/abi/ref_bits.cuh"
#include "tests/support/random.hpp"

namespace {

using namespace perdure::runtime;
namespace abi = perdure::abi;

std::uint64_t actor(std::uint32_t type, std::uint32_t index, std::uint32_t generation = 1) {
  return abi::make_ref(index, generation, type, 0);
}

void expect_permutation(const place_list& places, std::uint32_t actors) {
  ASSERT_EQ(places.size(), actors);
  place_list sorted = places;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < actors; ++i) ASSERT_EQ(sorted[i], i);
}

TEST(PlacementPlan, PairsComeTogetherAndOnlyThoseInTheWayAreMovedBeside) {
  constexpr std::uint32_t workers = 4, actors = 403;
  const std::vector<placed_type> types{{}, {actors, false, nullptr}};
  std::vector<seen_traffic> seen;
  for (std::uint32_t i = 0; i < 40; i += 2) {
    seen.push_back({actor(1, i), actor(1, i + 1), 3});
    seen.push_back({actor(1, i + 1), actor(1, i), 2});
  }
  const placement_plan plan = plan_placement(workers, 1, types, seen, {});
  expect_permutation(plan.places[1], actors);
  for (std::uint32_t i = 0; i < 40; i += 2)
    EXPECT_EQ(plan.places[1][i] % workers, plan.places[1][i + 1] % workers);
  EXPECT_EQ(plan.before, (by_distance{0, 0, 100}));
  EXPECT_EQ(plan.after, (by_distance{100, 0, 0}));
  EXPECT_LE(plan.moved[1], 40U) << "one of each pair, and one who makes room";
  // and once more from there: all are well placed
  const std::vector<placed_type> moved{{}, {actors, false, &plan.places[1]}};
  const placement_plan again = plan_placement(workers, 1, moved, seen, {});
  EXPECT_TRUE(again.places[1].empty());
  EXPECT_EQ(again.moved[1], 0U);
  EXPECT_EQ(again.before, plan.after);
  EXPECT_EQ(again.load_before, plan.load_after);
}

TEST(PlacementPlan, WideActorsAndThoseWithTimersStayAndOthersComeToThem) {
  constexpr std::uint32_t workers = 3;
  const std::vector<placed_type> types{{}, {30, false, nullptr}, {3, true, nullptr}};
  std::vector<seen_traffic> seen;
  for (std::uint32_t i = 0; i < 3; ++i) seen.push_back({actor(2, i), actor(1, 3 + (i + 1) % 3), 8});
  const std::vector<std::uint64_t> kept{actor(1, 3), actor(1, 20)};
  const placement_plan plan = plan_placement(workers, 1, types, seen, kept);
  EXPECT_TRUE(plan.places[2].empty());
  expect_permutation(plan.places[1], 30);
  EXPECT_EQ(plan.places[1][3], 3U);
  EXPECT_EQ(plan.places[1][20], 20U);
  EXPECT_EQ(plan.places[1][4] % workers, 0U) << "at the wide actor that it hears";
  EXPECT_EQ(plan.places[1][5] % workers, 1U);
}

TEST(PlacementPlan, WhatIsNoActorOfTheSystemIsLeftOut) {
  const std::vector<placed_type> types{{}, {10, false, nullptr}};
  const std::vector<seen_traffic> seen{{0, actor(1, 1), 5},
                                       {actor(1, 1), actor(7, 1), 5},
                                       {actor(1, 10), actor(1, 2), 5},
                                       {actor(1, 3), actor(1, 3), 5}};
  const std::vector<std::uint64_t> kept{actor(1, 11), actor(9, 0)};
  const placement_plan plan = plan_placement(2, 1, types, seen, kept);
  EXPECT_TRUE(plan.places[1].empty());
  EXPECT_EQ(plan.before, (by_distance{5, 0, 0})) << "what an actor sends itself";
  EXPECT_EQ(plan.load_before, (std::vector<std::uint64_t>{0, 10}));
}

TEST(PlacementPlan, RandomTrafficAgainAndAgainLeavesPermutations) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    perdure::support::random_source r{seed};
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(r.below(n)); };
    const std::uint32_t workers = 1 + below(7);
    std::uint32_t actors[3] = {0, 1 + below(200), 1 + below(50)};
    place_list places[3];
    for (int round = 0; round < 5; ++round) {
      std::vector<placed_type> types;
      for (int t = 0; t < 3; ++t) types.push_back({actors[t], false, &places[t]});
      const auto anybody = [&] {
        const std::uint32_t t = 1 + below(2);
        return actor(t, below(actors[t]), below(5));
      };
      std::vector<seen_traffic> seen;
      for (std::uint32_t i = below(500); i > 0; --i)
        seen.push_back({anybody(), anybody(), 1 + below(9)});
      const std::vector<std::uint64_t> kept{anybody(), anybody()};
      const placement_plan plan = plan_placement(workers, 1, types, seen, kept);
      for (int t = 1; t < 3; ++t) {
        if (plan.places[t].empty()) continue;
        expect_permutation(plan.places[t], actors[t]);
        for (const std::uint64_t k : kept) {
          if (abi::ref_type(k) != static_cast<std::uint32_t>(t)) continue;
          EXPECT_EQ(plan.places[t][abi::ref_index(k)], place_in(places[t], abi::ref_index(k)));
        }
        places[t] = plan.places[t];
      }
      std::uint64_t before = 0, after = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        before += plan.before[d];
        after += plan.after[d];
      }
      EXPECT_EQ(before, after);
      actors[1] += below(100);  // more are spawned meanwhile
    }
  }
}

TEST(PlacementPlan, AMillionActorsAndHalfAMillionSamplesTakeSeconds) {
  constexpr std::uint32_t workers = 132, actors = 1'000'000;
  const std::vector<placed_type> types{{}, {actors, false, nullptr}};
  perdure::support::random_source r{3};
  std::vector<seen_traffic> seen;
  for (int i = 0; i < 540'000; ++i) {  // groups of eight, one message in ten to anybody
    const auto a = static_cast<std::uint32_t>(r.below(actors));
    const auto near = static_cast<std::uint32_t>(a / 8 * 8 + r.below(8));
    const auto any = static_cast<std::uint32_t>(r.below(actors));
    seen.push_back({actor(1, a), actor(1, r.below(10) == 0 ? any : near), 64});
  }
  const auto begun = std::chrono::steady_clock::now();
  const placement_plan plan = plan_placement(workers, 1, types, seen, {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  RecordProperty("seconds", std::to_string(took.count()));
  RecordProperty("predicted",
                 std::to_string(static_cast<double>(plan.after[0]) / (540'000 * 64.0)));
  expect_permutation(plan.places[1], actors);
  EXPECT_GT(plan.after[0], 540'000ULL * 64 * 8 / 10);
  const std::uint64_t busiest = *std::max_element(plan.load_after.begin(), plan.load_after.end());
  EXPECT_LE(busiest * workers, 2 * 540'000ULL * 64 * 112 / 100);
}

}  // namespace
