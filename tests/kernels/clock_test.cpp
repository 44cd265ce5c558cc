// tests/kernels/clock_test.cpp - the hybrid logical clock follows cause and effect whatever the wall clock does.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "kernels/clock/hybrid.cuh"

namespace {

using perdure::abi::u64;
using perdure::loop::merge_clock;
using perdure::loop::merge_wire;
using perdure::loop::stamp_at;

TEST(HybridClock, IsNeverBehindTheWallTheOwnOrTheReceivedClock) {
  for (u64 own : {u64{0}, u64{70'000}, u64{1} << 40U}) {
    for (u64 received : {u64{0}, u64{65'536}, u64{1} << 41U}) {
      for (u64 wall : {u64{0}, stamp_at(1'000'000), u64{1} << 42U}) {
        const u64 merged = merge_clock(own, received, wall);
        EXPECT_GE(merged, own);
        EXPECT_GE(merged, received);
        EXPECT_GE(merged, wall);
        EXPECT_TRUE(merged == own || merged == received || merged == wall)
            << "runs ahead without a reason";
      }
    }
  }
}
TEST(HybridClock, NeverFallsWhenTheWallClockStandsStillOrJumpsBack) {
  std::mt19937_64 random{1};
  u64 clock = 0;
  u64 wall = 1'000'000'000;
  for (int i = 0; i < 10'000; ++i) {
    const u64 kind = random() % 4;
    wall = kind == 0   ? wall
           : kind == 1 ? wall - random() % (wall / 2)
                       : wall + random() % 1'000'000;
    const u64 before = clock;
    clock = merge_clock(clock, random() % 3 == 0 ? stamp_at(wall + random() % 1000) : 0,
                        stamp_at(wall)) +
            1;
    ASSERT_GT(clock, before) << "step " << i;
  }
}
TEST(HybridClock, ASpentLogicalPartCarriesIntoMicroseconds) {
  u64 clock = stamp_at(5'000);
  EXPECT_EQ(clock >> 16U, 5U);
  for (int i = 0; i < 65'536; ++i) {
    const u64 next = merge_clock(clock, 0, stamp_at(5'000)) + 1;
    ASSERT_GT(next, clock);
    clock = next;
  }
  EXPECT_EQ(clock >> 16U, 6U) << "65,536 events in one microsecond borrow from the next";
  EXPECT_EQ(clock & 0xffffU, 0U);
}
TEST(HybridClock, AStampOfTheWireIsMergedAsTheStampThatItStandsFor) {
  namespace abi = perdure::abi;
  std::mt19937_64 random{2};
  const u64 half = u64{1} << 55U;
  u64 moved = 0;
  for (int i = 0; i < 200'000; ++i) {
    const u64 own = random() >> (1 + random() % 62);
    u64 wire = random() & abi::data_mask;
    if (i % 3 == 1) wire = (own + (random() >> random() % 63)) & abi::data_mask;
    if (i % 3 == 2) wire = (own - (random() >> random() % 63)) & abi::data_mask;
    if (((wire - own) & abi::data_mask) == half) continue;  // as near behind it as before it
    const u64 merged = merge_wire(own, wire);
    ASSERT_EQ(merged, merge_clock(own, abi::stamp_from_wire(wire, own), 0)) << own << ' ' << wire;
    moved += merged != own ? 1 : 0;
  }
  EXPECT_GT(moved, 50'000U);
}
TEST(HybridClock, AMessageFromAFasterClockPullsTheReceiverForward) {
  u64 fast = stamp_at(9'000'000);
  u64 slow = stamp_at(1'000);
  const u64 sent = ++fast;
  slow = merge_clock(slow, sent, stamp_at(2'000)) + 1;
  EXPECT_GT(slow, sent);
}
TEST(HybridClock, TheSmallestStampOfAMicrosecondHasNoLogicalPart) {
  EXPECT_EQ(stamp_at(1'999), stamp_at(1'000));
  EXPECT_EQ(stamp_at(2'000), u64{2} << 16U);
}

}  // namespace
