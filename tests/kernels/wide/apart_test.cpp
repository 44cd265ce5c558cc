// tests/kernels/wide/apart_test.cpp - groups of lanes that met apart meet again where somebody reads what others wrote.
// Why: a barrier too few is a race that loops cannot show; here a group is late, and what needs it must wait.
// Invariant: blocks have two groups of 32 lanes, and lane 40 is behind all others whenever its group meets by itself.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/wide/team.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 tile_type = 1, lanes = 64, half = 32, steps = 12, on_joined = 0, on_start = 1;
struct start {
  u32 what;
};
struct edge {
  static constexpr u32 id = 2;
  u32 value[lanes];  ///< fewer words than a group has lanes: one group writes what both have filled
};
struct tile {
  static constexpr int lanes = 64;
  u32 cell[lanes];
  u32 other[lanes];
  u32 step, sum;
};

void be_late(int i) {
  if (i == 40) std::this_thread::sleep_for(std::chrono::milliseconds{1});
}
/// Keeps to groups, of which the second one is late.
void raise_cells(thread_lane& lane, tile& me) {
  auto raise = [](tile& t, int i, int) {
    be_late(i);
    t.cell[i] += static_cast<u32>(i) + 1;
  };
  lane.keeps_to_groups();
  lane.then_each<tile::lanes, 0, 0>(me, raise);
}

/// One block, and no messages: `body(lane, actor, round)` on all lanes, `steps` times. Groups begin each round together.
template <class Body>
tile rounds(Body body) {
  shape s;
  s.lanes = lanes;
  wide_world w{s, {{sizeof(tile), lanes, 0, 16, false, 0}}, {{tile_type, 0, 4}}};
  const u64 self = w.spawn(tile_type, 0);
  tile actor{};
  const lane_state call{w.chips[0], &w.m, self, 0, 1000, 0, 5, 0, abi::slot_alive, 0};
  on_all_lanes(lanes, [&](block_threads b) {
    begin(b, *w.chips[0], w.m, 0);
    alignas(16) char mine[16] = {};
    thread_lane lane{&b, w.chips[0], &w.m, call, reinterpret_cast<char*>(&actor), mine, 0};
    for (u32 round = 1; round <= steps; ++round) {
      body(lane, actor, round);
      b.region([](u32) {});
    }
  });
  return actor;
}

TEST(GroupsApart, ARegionThatOthersWroteForBeginsWhenAllHave) {
  const tile after = rounds([](thread_lane& lane, tile& me, u32 round) {
    raise_cells(lane, me);
    auto turn = [round](tile& t, int i, int) {
      t.other[i] = t.cell[tile::lanes - 1 - i];
      EXPECT_EQ(t.other[i], round * static_cast<u32>(tile::lanes - i)) << i;
    };
    lane.for_each<tile::lanes, 0, 0>(me, turn);
  });
  EXPECT_EQ(after.other[0], steps * lanes);
}
TEST(GroupsApart, WhatOneLaneDoesBehindThemSeesWhatAllHaveWritten) {
  const tile after = rounds([](thread_lane& lane, tile& me, u32) {
    raise_cells(lane, me);
    auto sum = [](tile& t) {
      for (const u32 cell : t.cell) t.sum += cell;
    };
    lane.then_once(me, sum);
  });
  EXPECT_EQ(after.sum, lanes * (lanes + 1) / 2 * steps * (steps + 1) / 2);
}
TEST(GroupsApart, AValueOfAllIsPutTogetherWhenAllHaveWritten) {
  (void)rounds([](thread_lane& lane, tile& me, u32 round) {
    raise_cells(lane, me);
    auto cell = [](const tile& t, int i) { return t.cell[tile::lanes - 1 - i]; };
    auto join = [](u32 a, u32 b) { return a + b; };
    const u32 all = lane.reduce<tile::lanes>(me, 0U, cell, join);
    EXPECT_EQ(all, lanes * (lanes + 1) / 2 * round);
  });
}
/// The region in between does not say that it keeps to groups, so its end is where the block meets.
TEST(GroupsApart, ARegionThatDoesNotSaySoEndsWithTheBlock) {
  (void)rounds([](thread_lane& lane, tile& me, u32 round) {
    raise_cells(lane, me);
    auto copy = [](tile& t, int i, int) {
      be_late(i);
      t.other[i] = t.cell[i];
    };
    lane.then_each<tile::lanes, 0, 0>(me, copy);
    auto look = [round](tile& t, int i, int) {
      const int far = (i + static_cast<int>(half)) % tile::lanes;
      EXPECT_EQ(t.other[far], round * static_cast<u32>(far + 1)) << i;
    };
    lane.then_each<tile::lanes, 0, 0>(me, look);
  });
}

/// Two tiles that send each other all their cells, filled by a region that keeps to groups: what leaves is what both groups
/// have written, whether it leaves when the next region begins or behind the handler.
void exchange(bool region_follows) {
  shape s;
  s.workers = 2;
  s.lanes = lanes;
  s.host_lanes = 1;
  s.stall_ns = 1'000'000'000;
  wide_world w{s,
               {{sizeof(tile), lanes, 1, 16, true, 1 + on_joined}},
               {{tile_type, edge::id, sizeof(edge)}, {tile_type, 0, sizeof(start)}}};
  for (u32 i = 0; i < 2; ++i) w.spawn(tile_type, i);
  for (u32 i = 0; i < 2; ++i) {
    w.link(tile_type, i, 0, 1 - i, 0, sizeof(edge));
    w.end(tile_type, i, 0, false).message = edge::id;
    w.end(tile_type, 1 - i, 0, true).message = edge::id;
    EXPECT_TRUE(w.push(abi::make_ref(i, 1, tile_type, system_number), on_start, start{i}));
  }
  run_until_fired(w, 2 * steps,
                  [region_follows](thread_lane& lane, u32 handler, const void*,
                                   const abi::landed_messages& in) {
                    auto& me = *reinterpret_cast<tile*>(lane.state);
                    const u32 step = me.step;
                    if (handler == on_joined) {
                      const auto& got = *static_cast<const edge*>(in.at(0));
                      auto take = [&](tile& t, int i, int) {
                        t.cell[i] = got.value[i] + 1;
                        EXPECT_EQ(t.cell[i], (step - 1) * 100 + static_cast<u32>(i) + 1);
                      };
                      lane.for_each<tile::lanes, 0, 0>(me, take);
                      lane.has_read();
                    }
                    auto count = [](tile& t) { ++t.step; };
                    if (step == steps) return lane.once(me, count);
                    bool linked = false;
                    edge* const out = lane.open<edge>(0, linked);
                    auto fill = [out, step](tile&, int i, int) {
                      be_late(i);
                      out->value[i] = step * 100 + static_cast<u32>(i);
                    };
                    if (region_follows) {
                      lane.keeps_to_groups();
                      lane.then_each<tile::lanes, 0, 0>(me, fill);
                      lane.commit(0, out);
                      auto nothing = [](tile&, int, int) {};
                      lane.then_each<tile::lanes, 0, 0>(me, nothing);
                      lane.once(me, count);
                    } else {
                      lane.once(me, count);
                      lane.keeps_to_groups();
                      lane.then_each<tile::lanes, 0, 0>(me, fill);
                      lane.commit(0, out);
                    }
                  });
  for (u32 i = 0; i < 2; ++i) EXPECT_EQ(w.state<tile>(tile_type, i).step, steps + 1);
  EXPECT_EQ(w.total(abi::counter::link_sent), w.total(abi::counter::link_taken));
}

TEST(GroupsApart, AMessageLeavesWhenAllHaveFilledItThoughARegionFollows) { exchange(true); }
TEST(GroupsApart, AMessageLeavesWhenAllHaveFilledItThoughTheHandlerEnds) { exchange(false); }

}  // namespace
