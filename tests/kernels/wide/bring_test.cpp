// tests/kernels/wide/bring_test.cpp - several wide actors of one worker take turns on chip and lose nothing.
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// An odd size, so that the last word of a copy is not whole.
struct field {
  u32 handled;
  u32 cell[40];
};
struct add {
  u32 amount;
};
constexpr u32 on_add = 0, on_go = 1, tile = 1, tiles = 5;

template <class Kind>
class Bring : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static shape base() {
    shape s;
    s.lanes = Kind::lanes;
    return s;
  }
  std::unique_ptr<wide_world> make(bool on_chip, u32 cache_ways = 0) {
    auto w = std::make_unique<wide_world>(
        base(), std::vector<wide_spec>{{sizeof(field), 32, 2, 4, on_chip, 1 + on_go}},
        std::vector<abi::handler_entry>{{tile, 0, sizeof(add)}, {tile, 1, sizeof(add)}},
        cache_ways);
    w->template begin_all<block>();
    for (u32 i = 0; i < tiles; ++i) w->spawn(tile, i);
    return w;
  }
};
TYPED_TEST_SUITE(Bring, link_kinds, kind_names);

TYPED_TEST(Bring, WhatIsHeldIsWrittenBackWhenAnotherComes) {
  auto w = this->make(true);
  on_chip& c = *w->chips[0];
  typename TestFixture::block b{w->m.lanes};
  for (u32 i = 0; i < tiles; ++i) w->template state<field>(tile, i).cell[39] = 100 + i;
  bring(b, c, w->m, tile, 2);
  auto& held = *reinterpret_cast<field*>(c[w->m.held]);
  EXPECT_EQ(held.cell[39], 102U);
  held.cell[39] = 7;
  bring(b, c, w->m, tile, 2);
  EXPECT_EQ(held.cell[39], 7U) << "who is held is not fetched again";
  bring(b, c, w->m, tile, 3);
  EXPECT_EQ(w->template state<field>(tile, 2).cell[39], 7U);
  EXPECT_EQ(held.cell[39], 103U);
  put_back(b, c, w->m);
  EXPECT_EQ(c.held_type, 0U);
  for (u32 i : {0U, 1U, 3U, 4U}) EXPECT_EQ(w->template state<field>(tile, i).cell[39], 100 + i);
}

TYPED_TEST(Bring, WhoIsCachedStaysOnChipUntilAllIsPutBack) {
  auto w = this->make(true, 4);
  on_chip& c = *w->chips[0];
  typename TestFixture::block b{w->m.lanes};
  for (u32 i = 0; i < tiles; ++i) {
    w->template state<field>(tile, i).cell[39] = 100 + i;
    w->end(tile, i, 1, true).count = 10 + i;
  }
  auto& held = *reinterpret_cast<field*>(c[w->m.held]);
  const auto visit_and_change = [&](u32 i, u32 cell, u64 count) {
    bring(b, c, w->m, tile, i);
    EXPECT_EQ(held.cell[39], cell) << "tile " << i;
    EXPECT_EQ(c[w->m.ends][1].count, count) << "tile " << i;
    held.cell[39] = cell + 1000;
    c[w->m.ends][1].count = count + 50;
  };
  for (u32 i : {0U, 1U, 2U}) visit_and_change(i, 100 + i, 10 + i);
  for (u32 i : {0U, 1U, 2U}) {
    EXPECT_EQ(w->template state<field>(tile, i).cell[39], 100 + i) << "its slot is not written";
    EXPECT_EQ(ends_of(c, w->m, tile, i)[1].count, 60 + i);
  }
  for (u32 i : {2U, 1U, 0U}) visit_and_change(i, 1100 + i, 60 + i);
  // tiles 0 and 4 have one way: who came first has it, and the other one goes through its slot
  for (u32 turn = 0; turn < 2; ++turn) {
    visit_and_change(4, 104 + turn * 1000, 14 + turn * 50);
    visit_and_change(0, 2100 + turn * 1000, 110 + turn * 50);
    EXPECT_EQ(w->template state<field>(tile, 4).cell[39], 1104 + turn * 1000);
    EXPECT_EQ(w->end(tile, 4, 1, true).count, 64 + turn * 50);
  }
  put_back(b, c, w->m);
  EXPECT_EQ(c.held_type, 0U);
  const u32 cells[] = {4100, 2101, 2102, 103, 2104}, counts[] = {210, 111, 112, 13, 114};
  for (u32 i = 0; i < tiles; ++i) {
    EXPECT_EQ(w->template state<field>(tile, i).cell[39], cells[i]) << "tile " << i;
    EXPECT_EQ(w->end(tile, i, 1, true).count, counts[i]) << "tile " << i;
    w->template state<field>(tile, i).cell[39] = i;
  }
  bring(b, c, w->m, tile, 1);
  EXPECT_EQ(held.cell[39], 1U) << "nobody is cached any more";
}

TYPED_TEST(Bring, TypesOfOneNumberHaveWaysOfTheirOwn) {
  constexpr u32 small = 2;
  wide_world w{
      TestFixture::base(),
      {{sizeof(field), 32, 2, 4, true, 0}, {8, 32, 1, 0, true, 0}, {sizeof(field), 32, 2, 0}},
      {{tile, 0, sizeof(add)}},
      8};
  typename TestFixture::block b{w.m.lanes};
  w.template begin_all<typename TestFixture::block>();
  on_chip& c = *w.chips[0];
  for (u32 type = tile; type <= 3; ++type) {
    for (u32 i = 0; i < 2; ++i) {
      w.spawn(type, i);
      w.template state<u32>(type, i) = 10 * type + i;
    }
  }
  const auto state_of = [&](u32 type, u32 i) -> u32& {
    bring(b, c, w.m, type, i);
    const abi::type_row& row = c[w.m.types_here][type];
    return *reinterpret_cast<u32*>(held_state(c, w.m, row, slot_of(w.m, row, i)));
  };
  for (u32 turn = 0; turn < 3; ++turn) {
    for (u32 type = tile; type <= 3; ++type) {
      for (u32 i = 0; i < 2; ++i) {
        EXPECT_EQ(state_of(type, i), 10 * type + i + turn * 100) << "type " << type;
        state_of(type, i) += 100;
      }
    }
  }
  EXPECT_EQ(w.template state<u32>(small, 1), 21U) << "it is cached";
  EXPECT_EQ(w.template state<u32>(3, 1), 331U) << "of this type no state is brought";
  put_back(b, c, w.m);
  for (u32 type = tile; type <= 3; ++type) {
    for (u32 i = 0; i < 2; ++i) EXPECT_EQ(w.template state<u32>(type, i), 10 * type + i + 300);
  }
}

TYPED_TEST(Bring, ATypesActorsReachAllWaysHoweverManyTypesThereAre) {
  for (u32 others = 0; others < 4; ++others) {
    std::vector<wide_spec> types{{sizeof(field), 32, 2, 4, true, 0}};
    types.resize(1 + others, wide_spec{8});
    const wide_world w{TestFixture::base(), types, {{tile, 0, sizeof(add)}}, 8};
    u32 reached = 0;
    for (u32 i = 0; i < 8; ++i) reached |= 1U << way_of(w.m, tile, i * w.m.workers);
    EXPECT_EQ(reached, 0xffU) << others << " types beside it";
  }
}

TYPED_TEST(Bring, ActorsThatTakeTurnsKeepStateLinksAndPrivateValues) {
  using block = typename TestFixture::block;
  for (const u32 how : {0U, 1U, 2U, 3U, 4U}) {
    const bool on_chip = how != 1;
    constexpr u32 ways_of[] = {0, 0, 2, 4, 8};
    auto w = this->make(on_chip, ways_of[how]);
    for (u32 i = 0; i < tiles; ++i) w->link(tile, i, 1, (i + 1) % tiles, 0, sizeof(add), 3);
    w->tell_links();
    // an ordinary message adds to every cell and to every lane's own value, and every third goes on by link
    loop_handle<block> handle;
    handle.on = [&](u32 handler, wide_call<block>& made, const void* message) {
      auto& me = *reinterpret_cast<field*>(made.state);
      auto* mine = reinterpret_cast<u32*>(made.store);
      const add m = handler == on_go ? landed<add>(made, 0) : *static_cast<const add*>(message);
      ++me.handled;
      for (u32& cell : me.cell) cell += m.amount;
      for (u32 lane = 0; lane < 32; ++lane) mine[lane] += m.amount * (lane + 1);
      if (handler == on_add && (made.open_ports >> 1U & 1U) != 0 && me.handled % 3 == 0)
        commit(made, 1, m);
    };
    u32 amounts[tiles] = {};
    u32 calls[tiles] = {};
    std::mt19937 random{5};
    auto steady = [] { return u64{1'000'000}; };
    block b{w->m.lanes};
    for (u32 i = 0; i < 200; ++i) {
      const auto to = static_cast<u32>(random() % tiles);
      const add m{static_cast<u32>(random() % 50)};
      ASSERT_TRUE(w->push(abi::make_ref(to, 1, tile, system_number), on_add, m));
      const u64 linked = w->total(abi::counter::link_sent);
      turn(b, *w->chips[0], w->m, handle, steady);
      turn(b, *w->chips[0], w->m, handle, steady);
      amounts[to] += m.amount;
      ++calls[to];
      if (w->total(abi::counter::link_sent) != linked) {
        amounts[(to + 1) % tiles] += m.amount;
        ++calls[(to + 1) % tiles];
      }
    }
    put_back(b, *w->chips[0], w->m);
    EXPECT_GT(w->total(abi::counter::link_sent), 20U);
    EXPECT_EQ(w->total(abi::counter::link_sent), w->total(abi::counter::link_taken));
    for (u32 i = 0; i < tiles; ++i) {
      const field& f = w->template state<field>(tile, i);
      EXPECT_EQ(f.handled, calls[i]);
      EXPECT_EQ(w->header(tile, i).handled, calls[i]);
      for (u32 k = 0; k < 40; ++k) ASSERT_EQ(f.cell[k], amounts[i]) << "tile " << i;
      for (u32 lane = 0; lane < 32; ++lane)
        ASSERT_EQ(w->private_piece(tile, i, 0, lane), amounts[i] * (lane + 1)) << "lane " << lane;
    }
  }
}

}  // namespace
