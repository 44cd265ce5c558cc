// tests/kernels/wide/crews_test.cpp - rings and pipelines of wide actors on workers whose lanes are all threads.
// Why: under TSan this is the proof that landing or reading in links, taking, swapping and firing need no more order than they have.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/wide/team.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 tile_type = 1, lanes = 32, on_joined = 0, on_start = 1;
struct start {
  u32 what;
};
struct edge {
  static constexpr u32 id = 2;
  u32 value[8];
};
struct tile {
  static constexpr int lanes = 32;
  u32 cell[100];
  u32 step;
};

std::unique_ptr<wide_world> make(u32 workers, u32 tiles, u32 cache_ways = 0) {
  shape s;
  s.workers = workers;
  s.lanes = lanes;
  s.host_lanes = 1;
  s.stall_ns = 1'000'000'000;
  auto w = std::make_unique<wide_world>(
      s, std::vector<wide_spec>{{sizeof(tile), lanes, 3, 16, true, 1 + on_joined}},
      std::vector<abi::handler_entry>{{tile_type, edge::id, sizeof(edge)},
                                      {tile_type, 0, sizeof(start)}},
      cache_ways);
  for (u32 i = 0; i < tiles; ++i) {
    w->spawn(tile_type, i);
    EXPECT_TRUE(w->push(abi::make_ref(i, 1, tile_type, system_number), on_start, start{i}));
  }
  return w;
}
void link_all(wide_world& w, u32 a, u32 out, u32 b, u32 in) {
  w.link(tile_type, a, out, b, in, sizeof(edge));
  w.end(tile_type, a, out, false).message = edge::id;
  w.end(tile_type, b, in, true).message = edge::id;
}
/// Commits `value[k] = f(k)` at a port. All lanes. @param behind  right behind another region.
template <class Lane, class F>
void commit_edge(Lane& lane, tile& me, u32 port, F f, bool behind = false) {
  bool linked = false;
  edge* const out = lane.template open<edge>(port, linked);
  auto fill = [&](tile&, int k, int) { out->value[k] = f(static_cast<u32>(k)); };
  if (behind) {
    lane.template then_each<8, 0, 0>(me, fill);
  } else {
    lane.template for_each<8, 0, 0>(me, fill);
  }
  lane.commit(port, out);
}

constexpr u32 ring_steps = 40;
u32 cell_at_first(u32 tile_number, u32 i) { return tile_number * 1000 + i; }

/// A ring of tiles that mix their cells with what the neighbours sent; a lane keeps a sum of its own.
/// @param in_turns  they take two steps at a time, the even ones after a first one.
/// @param has_read  each call says when it has read its messages; else it reads them up to its end.
template <class Block>
void run_ring(u32 workers, u32 tiles, bool in_turns = false, bool has_read = false,
              u32 cache_ways = 0) {
  auto w = make(workers, tiles, cache_ways);
  for (u32 i = 0; i < tiles; ++i) {
    for (u32 c = 0; c < 100; ++c) w->state<tile>(tile_type, i).cell[c] = cell_at_first(i, c);
    link_all(*w, i, 0, (i + 1) % tiles, 1);
    link_all(*w, (i + 1) % tiles, 1, i, 0);
    link_all(*w, i, 2, i, 2);
  }
  run_until_fired<Block>(
      *w, u64{tiles} * ring_steps,
      [in_turns, has_read](auto& lane, u32 handler, const void*, const abi::landed_messages& in) {
        auto& me = *reinterpret_cast<tile*>(lane.state);
        if (in_turns) {
          const bool even = abi::ref_index(lane.call.self) % 2 == 0;
          const bool last_two = me.step + 2 >= ring_steps;  // one is left behind this call
          lane.gather(handler == on_start ? (even ? 1 : 2) : last_two ? 1 : 2);
        }
        if (handler == on_joined) {
          const auto& a = *static_cast<const edge*>(in.at(0));
          const auto& b = *static_cast<const edge*>(in.at(1));
          auto mix = [&](tile& t, int i, int) {
            t.cell[i] = t.cell[i] * 3 + a.value[i % 8] + 7 * b.value[(i + 1) % 8];
            lane.template private_value<u32>(&t) += t.cell[i];
          };
          lane.template for_each<100, 0, 0>(me, mix);
          auto count = [](tile& t) { ++t.step; };
          lane.once(me, count);
          if (me.step == ring_steps) return;
        }
        if (has_read) lane.has_read();
        for (u32 p = 0; p < 2; ++p)
          commit_edge(lane, me, p, [&](u32 k) { return me.cell[p * 90 + k]; });
        commit_edge(lane, me, 2, [](u32) { return 0U; });
        if (has_read || handler != on_joined) return;
        if (static_cast<const edge*>(in.at(2))->value[lane.block->lane() % 8] != 0) lane.fail(7);
      });
  // the same by plain loops
  std::vector<tile> plain(tiles), next(tiles);
  std::vector<std::array<u32, lanes>> own(tiles);
  for (u32 i = 0; i < tiles; ++i) {
    for (u32 c = 0; c < 100; ++c) plain[i].cell[c] = cell_at_first(i, c);
  }
  for (u32 step = 0; step < ring_steps; ++step) {
    for (u32 i = 0; i < tiles; ++i) {
      const tile& after = plain[(i + 1) % tiles];           // its port 1 sends to our port 0
      const tile& before = plain[(i + tiles - 1) % tiles];  // its port 0 to our port 1
      for (u32 c = 0; c < 100; ++c) {
        next[i].cell[c] =
            plain[i].cell[c] * 3 + after.cell[90 + c % 8] + 7 * before.cell[(c + 1) % 8];
        own[i][c % lanes] += next[i].cell[c];
      }
    }
    plain = next;
  }
  for (u32 i = 0; i < tiles; ++i) {
    EXPECT_EQ(w->state<tile>(tile_type, i).step, ring_steps);
    for (u32 c = 0; c < 100; ++c)
      ASSERT_EQ(w->state<tile>(tile_type, i).cell[c], plain[i].cell[c]) << i << ", cell " << c;
    for (u32 l = 0; l < lanes; ++l)
      ASSERT_EQ(w->private_piece(tile_type, i, 0, l), own[i][l]) << i << ", lane " << l;
  }
  EXPECT_EQ(w->total(abi::counter::link_sent), w->total(abi::counter::link_taken));
}

/// Messages land on chip, or stay in their links.
template <class Block>
class WideCrews : public ::testing::Test {};
struct crew_names {
  template <class Block>
  static std::string GetName(int) {
    return Block::whole_links ? "in_links" : Block::lane_a_port ? "by_port_lanes" : "landed";
  }
};
using crews = ::testing::Types<block_threads, port_threads, whole_threads>;
TYPED_TEST_SUITE(WideCrews, crews, crew_names);

TYPED_TEST(WideCrews, ARingOfTilesEqualsPlainLoopsWithOneTileAWorker) { run_ring<TypeParam>(3, 3); }
TYPED_TEST(WideCrews, ARingOfTilesEqualsPlainLoopsWhereTilesAreSwapped) {
  run_ring<TypeParam>(2, 6);
}
/// All of the six tiles of a worker have a way of their own, or some share one.
TYPED_TEST(WideCrews, ARingOfTilesEqualsPlainLoopsWhereTilesStayOnChip) {
  for (const u32 ways : {2U, 4U, 8U}) run_ring<TypeParam>(1, 6, false, false, ways);
  run_ring<TypeParam>(2, 8, true, true, 4);
}
TYPED_TEST(WideCrews, ARingOfTilesEqualsPlainLoopsWhereTheyTakeTwoStepsInTurns) {
  for (const u32 workers : {1U, 2U, 3U}) run_ring<TypeParam>(workers, 8, true);
}

TYPED_TEST(WideCrews, ARingOfTilesThatSayWhenTheyHaveReadEqualsPlainLoops) {
  for (const u32 workers : {1U, 3U, 4U}) run_ring<TypeParam>(workers, 4, false, true);
}

/// As the ring above, but its regions keep to groups wherever they may, one of them by what a message is filled with, and
/// steps are counted with no barrier.
TYPED_TEST(WideCrews, ARingOfTilesWhoseRegionsKeepToGroupsEqualsOneWhoseBlocksMeet) {
  constexpr u32 tiles = 4;
  const auto run = [&](bool by_groups) {
    auto w = make(2, tiles);
    for (u32 i = 0; i < tiles; ++i) {
      for (u32 c = 0; c < 100; ++c) w->state<tile>(tile_type, i).cell[c] = cell_at_first(i, c);
      link_all(*w, i, 0, (i + 1) % tiles, 1);
      link_all(*w, (i + 1) % tiles, 1, i, 0);
      link_all(*w, i, 2, i, 2);
    }
    run_until_fired<TypeParam>(
        *w, u64{tiles} * ring_steps,
        [by_groups](auto& lane, u32 handler, const void*, const abi::landed_messages& in) {
          auto& me = *reinterpret_cast<tile*>(lane.state);
          const auto keeps = [&] {
            if (by_groups) lane.keeps_to_groups();
          };
          const bool last = me.step + 1 == ring_steps;
          if (handler == on_joined) {
            const auto& a = *static_cast<const edge*>(in.at(0));
            const auto& b = *static_cast<const edge*>(in.at(1));
            auto mix = [&](tile& t, int i, int) {
              t.cell[i] = t.cell[i] * 3 + a.value[i % 8] + 7 * b.value[(i + 1) % 8];
            };
            keeps();
            lane.template then_each<100, 0, 0>(me, mix);
            // a group has all lanes of this block
            auto turn = [](tile& t, int i, int) { t.cell[i] ^= t.cell[99 - i]; };
            keeps();
            lane.template then_each<50, 0, 0>(me, turn);
          }
          auto count = [](tile& t) { ++t.step; };
          if (handler == on_joined && last) {
            lane.once(me, count);
            return;
          }
          if (handler == on_joined) lane.has_read();
          for (u32 p = 0; p < 2; ++p) {
            keeps();  // the first one leaves when the second one's region begins
            commit_edge(lane, me, p, [&](u32 k) { return me.cell[p * 90 + k]; }, true);
          }
          commit_edge(lane, me, 2, [](u32) { return 0U; }, true);
          if (handler == on_joined) lane.then_once(me, count);
        });
    EXPECT_EQ(w->total(abi::counter::link_sent), w->total(abi::counter::link_taken));
    std::vector<tile> all;
    for (u32 i = 0; i < tiles; ++i) all.push_back(w->state<tile>(tile_type, i));
    return all;
  };
  const auto groups = run(true), blocks = run(false);
  for (u32 i = 0; i < tiles; ++i) {
    EXPECT_EQ(groups[i].step, ring_steps);
    for (u32 c = 0; c < 100; ++c)
      ASSERT_EQ(groups[i].cell[c], blocks[i].cell[c]) << i << ", cell " << c;
  }
}

TYPED_TEST(WideCrews, APipelineWhoseSenderIsFasterLosesNothing) {
  constexpr u32 messages = 150;
  auto w = make(2, 2);
  link_all(*w, 0, 0, 0, 0);  // the source drives itself
  link_all(*w, 0, 1, 1, 1);
  run_until_fired<TypeParam>(
      *w, 2 * messages, [](auto& lane, u32 handler, const void*, const abi::landed_messages& in) {
        auto& me = *reinterpret_cast<tile*>(lane.state);
        const bool source = abi::ref_index(lane.call.self) == 0;
        if (handler == on_start) {
          if (source) commit_edge(lane, me, 0, [](u32) { return 0U; });
          return;
        }
        if (source) {
          commit_edge(lane, me, 1, [&](u32 k) { return me.step * 10 + k; });
          if (me.step + 1 < messages) commit_edge(lane, me, 0, [](u32) { return 0U; });
        } else {
          const auto& got = *static_cast<const edge*>(in.at(1));
          for (int slow = 0; slow < 4; ++slow) {
            auto check = [&](tile& t, int k, int) {
              EXPECT_EQ(got.value[k], t.step * 10 + static_cast<u32>(k));
            };
            lane.template for_each<8, 0, 0>(me, check);
          }
        }
        auto count = [](tile& t) { ++t.step; };
        lane.once(me, count);
      });
  EXPECT_EQ(w->state<tile>(tile_type, 1).step, messages);
  EXPECT_EQ(w->dead(), 0U);
}

}  // namespace
