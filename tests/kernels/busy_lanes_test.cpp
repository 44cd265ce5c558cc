// tests/kernels/busy_lanes_test.cpp - host lanes that hold more than a batch, while idle warps bring the next one.
// Why: what one warp brings another takes a turn later, and a lane that always has more must not keep others waiting.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/small_loop.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// Host lanes hold several batches, of which the next one may be brought while one is handled.
class BusyLanes : public SmallLoop {
 protected:
  BusyLanes() : SmallLoop{roomy()} {}
  static shape roomy() {
    shape s = one_block();
    s.host_shift = 10;
    s.lands_ahead = true;
    return s;
  }
};
TEST_F(BusyLanes, TheNextBatchOfOneIsBroughtWhileOneIsHandled) {
  give(abi::command::run);
  for (u32 round = 0; round < 6; ++round) {
    give(abi::command::pause);
    for (u32 n = 0; n < 380; ++n) say(0);  // four batches of 96
    give(abi::command::run);
    wait_for_letters();
  }
  end();
  if (PERDURE_LANES > 32) {
    EXPECT_GT(w.chips[0]->ahead.used, 0U) << "all batches were read over the bus";
  } else {
    EXPECT_EQ(w.chips[0]->ahead.used, 0U) << "a warp has none beside it";
  }
}
/// Else the lane is empty when the batch is handled.
TEST_F(BusyLanes, TheHostIsToldOfABatchBeforeItIsHandled) {
  give(abi::command::run);
  give(abi::command::pause);
  for (u32 n = 0; n < 380; ++n) say(0);
  give(abi::command::run);
  wait_for_letters();
  end();
  EXPECT_GT(most_told, 0U);
}
TEST_F(BusyLanes, SeveralAreTakenFromInTurn) {
  give(abi::command::run);
  for (u32 round = 0; round < 4; ++round) {
    give(abi::command::pause);
    for (u32 n = 0; n < 330; ++n) {
      for (u32 lane = 0; lane < host_lanes; ++lane) say(lane);
      if (n % 3 == 0 && n < 90) say(host_lanes);
    }
    give(abi::command::run);
    wait_for_letters();
  }
  end();
}
/// A lane that always has more must not keep the one that has a single message waiting.
TEST_F(BusyLanes, AnotherOneIsHeardBesideOneThatIsNeverEmpty) {
  constexpr u64 most = 20'000;
  tells = false;  // the ring is empty, so that there is no turn for it
  give(abi::command::run);
  while (letters_of[0] < 2'000) say(0);
  const u64 begun = letters;
  say(1);
  while (letters_of[1] == 0 && sent < most) say(0);
  wait_for_letters();
  ASSERT_EQ(letters_of[1], 1U);
  EXPECT_LT(first_letter[1] - begun, 5'000U) << "of " << sent;
  end();
}
/// Two are never empty, and one between them has a message now and then: neither keeps the others waiting.
TEST_F(BusyLanes, NoneIsForgottenBesideOneThatHasFew) {
  constexpr u64 most = 30'000;
  tells = false;
  give(abi::command::run);
  for (u64 n = 0; letters_of[2] < 1'000 && sent < most; ++n) {
    say(0);
    say(2);
    if (n % 50 == 0) say(1);
  }
  const u64 heard_of_last = letters_of[2];
  wait_for_letters();
  EXPECT_GE(heard_of_last, 1'000U) << "of " << sent;
  end();
}
/// Against a search from the nearest on, with keys that few or many lanes have.
TEST(NearestAlike, IsTheNearestLaneBelowWithTheSameKey) {
  constexpr u32 rounds = 60;
  std::vector<std::vector<u32>> keys(rounds, std::vector<u32>(PERDURE_LANES));
  std::mt19937 random{5};
  for (u32 r = 0; r < rounds; ++r) {
    for (u32& key : keys[r]) key = random() % (1 + r * r);
  }
  std::vector<std::vector<u32>> found = keys;
  warps_of_threads::block block{PERDURE_LANES};
  collective_slots slots{};
  std::vector<std::thread> lanes;
  const auto count_of = [](u32 round) { return round % 2 == 0 ? PERDURE_LANES : 1 + round; };
  for (u32 lane = 0; lane < PERDURE_LANES; ++lane) {
    lanes.emplace_back([&, lane] {
      warps_of_threads::be_lane(block, lane);
      block_device b{&slots};
      for (u32 r = 0; r < rounds; ++r)
        found[r][lane] = b.nearest_alike(lane, count_of(r), [&](u32 i) { return keys[r][i]; });
    });
  }
  for (std::thread& t : lanes) t.join();
  for (u32 r = 0; r < rounds; ++r) {
    for (u32 lane = 0; lane < std::min<u32>(count_of(r), PERDURE_LANES); ++lane) {
      u32 nearest = ~0U;
      for (u32 i = 0; i < lane; ++i) nearest = keys[r][i] == keys[r][lane] ? i : nearest;
      ASSERT_EQ(found[r][lane], nearest) << "round " << r << ", lane " << lane;
    }
  }
}
}  // namespace
