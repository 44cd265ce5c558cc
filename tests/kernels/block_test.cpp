// tests/kernels/block_test.cpp - lanes as threads and lanes as a loop compute the same collectives.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "kernels/platform/block_loops.cuh"
#include "kernels/platform/block_threads.hpp"

namespace {

using namespace perdure::loop;

u32 value_of(u32 lane, u32 round) { return (lane * 2'654'435'761U + round * 40'503U) >> 7U; }

constexpr std::size_t entries = 8;  ///< of a round and lane

/// All collectives over the same inputs, as one list of numbers in the order of rounds and lanes.
template <class Block>
void script(Block& b, std::vector<u64>& shared_log, u32 round) {
  const u64 said = b.broadcast([&] { return round * 3; });
  const u32 sum = b.sum([&](u32 lane) { return value_of(lane, round); });
  const u32 least = b.least([&](u32 lane) { return value_of(lane, round); });
  const u64 most = b.most([&](u32 lane) { return u64{value_of(lane, round)} << 20U; });
  const u64 least64 = b.least64([&](u32 lane) { return u64{value_of(lane, round)} << 20U; });
  typename Block::template per_lane<u64> flags_before;
  const u64 flags =
      b.scan_flags(flags_before, [&](u32 lane) { return value_of(lane, round) & 15U; });
  typename Block::template per_lane<u32> below;
  const u32 all_below = b.sum_below(
      below, [&](u32 lane) { return value_of(lane, round) & 31U; },
      [&](u32 i) { return i * round; });
  const u32 bits = b.all_bits([&](u32 lane) { return 1U << value_of(lane, round) % 32; });
  b.region([&](u32 lane) {
    u64* at = &shared_log[(std::size_t{round} * b.lanes() + lane) * entries];
    at[7] = bits;
    at[6] = u64{all_below} << 32U | below[lane];
    at[0] = said + sum;
    at[1] = least;
    at[2] = most;
    at[3] = least64;
    at[4] = flags_before[lane];
    at[5] = flags;
  });
}

TEST(Block, ThreadsAndLoopsAgreeOnEveryCollective) {
  constexpr u32 rounds = 20;
  for (u32 lanes : {1U, 3U, 8U}) {
    std::vector<u64> by_loops(std::size_t{rounds} * lanes * entries);
    std::vector<u64> by_threads = by_loops;
    block_loops<false> loop_block{lanes};
    for (u32 r = 0; r < rounds; ++r) script(loop_block, by_loops, r);
    lane_team team{lanes};
    std::vector<std::thread> threads;
    for (u32 lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, lane] {
        block_threads b{team, lane};
        for (u32 r = 0; r < rounds; ++r) script(b, by_threads, r);
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(by_loops, by_threads) << lanes << " lanes";
  }
}

TEST(Block, BitsOfAnyLaneAreAllLanes) {
  block_loops<false> b{32};
  EXPECT_EQ(b.all_bits([](u32 lane) { return lane % 3 == 0 ? 1U << lane : 0U; }), 0x49249249U);
  EXPECT_EQ(b.all_bits([](u32) { return 0U; }), 0U);
}

TEST(Block, FlagsAreCountedInFieldsOfSixteenBits) {
  block_loops<false> b{256};
  block_loops<false>::per_lane<u64> before;
  const u64 totals = b.scan_flags(before, [](u32 lane) { return lane % 2 == 0 ? 15U : 1U; });
  EXPECT_EQ(totals, 256U | u64{128} << 16U | u64{128} << 32U | u64{128} << 48U);
  EXPECT_EQ(before[255], 255U | u64{128} << 16U | u64{128} << 32U | u64{128} << 48U);
}

}  // namespace
