// tests/kernels/outbox_test.cpp - lanes that fill an outbox side by side, with short messages and long ones, until it is spent.
// Why: a short message that finds no unit gives its number back while others ask for theirs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "tests/kernels/world.hpp"

namespace {

using namespace kernel_test;

constexpr u32 lanes = 8, sends = 12, rounds = 200;
constexpr u32 short_of_three = 3, of_two_units = 7;

/// What a lane has put into the outbox, as it was told.
struct of_lane {
  u32 messages = 0, words = 0;
};

TEST(Outbox, LanesThatSpendItTogetherShareNoUnitAndLoseNone) {
  shape s;
  s.lanes = lanes;
  s.chip_units = 16;
  s.out_units = 41;
  world w{s, {{sizeof(u64)}}, {{1, 0, 8}}};
  w.begin_all<block_loops<false>>();
  on_chip& c = *w.chips[0];
  std::vector<of_lane> put(lanes);
  // between two rounds one thread looks at what all have done
  u32 round = 0;
  const auto look = [&]() noexcept {
    u32 messages = 0, words = 0;
    for (of_lane& one : put) {
      messages += one.messages;
      words += one.words;
      one = {};
    }
    ++round;
    ASSERT_GE(c.out_top, s.out_units) << "it is not spent, so nothing is shown";
    std::vector<bool> taken(s.out_units);
    u32 entries = 0, entered = 0;
    for (u32 u = 0; u < s.out_units; ++u) {
      const outbox_entry entry = entry_at(c, w.m, u);
      if (entry.words == 0) continue;
      ++entries;
      entered += entry.words;
      for (u32 k = 0; k < units_for(entry.words); ++k) {
        ASSERT_LT(u + k, s.out_units);
        ASSERT_FALSE(taken[u + k]) << "unit " << u + k << " is two messages'";
        taken[u + k] = true;
      }
      const outbox_place place = outbox_words(c, w.m, u, entry.words);
      for (u32 k = 0; k < entry.words; ++k) {
        ASSERT_EQ(place.get(k).lo, place.get(0).lo) << "torn, or written over";
        ASSERT_EQ(place.get(k).hi, k);
      }
      set_entry(c, w.m, u, {});
    }
    EXPECT_EQ(entries, messages);
    EXPECT_EQ(entered, words);
    EXPECT_EQ(c[w.m.out_count][0], words);
    c[w.m.out_count][0] = 0;
    clear_outbox(c);
  };
  std::barrier all{lanes, look};
  std::vector<std::thread> threads;
  for (u32 lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&, lane] {
      for (u32 r = 0; r < rounds; ++r) {
        for (u32 i = 0; i < sends; ++i) {
          const auto at = [&](u32 k) { return word{u64{r} << 32U | lane << 8U | i, k}; };
          const bool is_long = (lane + i + r) % 3 == 0;
          const u32 words = is_long ? of_two_units : short_of_three;
          const bool there = is_long ? put_into_outbox<1>(c, w.m, 0, words, at)
                                     : put_into_outbox<unit_words>(c, w.m, 0, words, at);
          if (!there) continue;
          ++put[lane].messages;
          put[lane].words += words;
        }
        all.arrive_and_wait();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(round, rounds);
}

}  // namespace
