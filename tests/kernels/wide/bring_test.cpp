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
  std::unique_ptr<wide_world> make(bool on_chip) {
    auto w = std::make_unique<wide_world>(
        base(), std::vector<wide_spec>{{sizeof(field), 32, 2, 4, on_chip, 1 + on_go}},
        std::vector<abi::handler_entry>{{tile, 0, sizeof(add)}, {tile, 1, sizeof(add)}});
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

TYPED_TEST(Bring, ActorsThatTakeTurnsKeepStateLinksAndPrivateValues) {
  using block = typename TestFixture::block;
  for (const bool on_chip : {true, false}) {
    auto w = this->make(on_chip);
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
