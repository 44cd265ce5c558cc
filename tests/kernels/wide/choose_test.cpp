// tests/kernels/wide/choose_test.cpp - which of a worker's linked actors fires next: what each waits for, and who was left
//                                       longest ago.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct step {
  u64 number, stamp, fill[2];
};
constexpr u32 tile = 1, left_port = 0, right_port = 1, ports = 4;

template <class Kind>
class Choose : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static std::unique_ptr<wide_world> make(u32 cache_ways = 0) {
    shape s;
    s.workers = 1;
    s.lanes = Kind::lanes;
    auto w = std::make_unique<wide_world>(
        s, std::vector<wide_spec>{{2 * sizeof(u64), 32, ports, 0, true, 1}},
        std::vector<abi::handler_entry>{{tile, 0, sizeof(step)}}, cache_ways);
    w->template begin_all<block>();
    return w;
  }
};
TYPED_TEST_SUITE(Choose, link_kinds, kind_names);

/// Puts the next message into a link, as its sender does.
template <class Block>
void put_message(abi::link_end& out) {
  const u32 raw[sizeof(step) / 4] = {};
  write_message<Block>(out, raw, 0);
  ++out.count;
}

TYPED_TEST(Choose, WhatAnActorWaitsForIsNotedAndSeenToCome) {
  using block = typename TestFixture::block;
  for (const u32 cache_ways : {0U, 4U}) {
    auto w = this->make(cache_ways);
    on_chip& c = *w->chips[0];
    block b{w->m.lanes};
    for (u32 i = 0; i < 2; ++i) w->spawn(tile, i);
    for (u32 p = 0; p < 2; ++p) w->link(tile, 0, p, 1, p, sizeof(step));
    w->link(tile, 1, 2, 0, 2, sizeof(step));
    abi::linked_actor& entry = w->listed(0);
    ASSERT_EQ(entry.index, 1U);
    const auto out_now = [&](u32 i, u32 p) -> abi::link_end& {
      const bool held = c.held_type == tile && c.held_index == i;
      const u32 stride = held || is_cached(c, w->m, tile, i) ? abi::max_ports : ports;
      return const_cast<abi::link_end&>(ends_of(c, w->m, tile, i)[stride + p]);
    };
    const auto put = [&](u32 p) { put_message<block>(out_now(0, p)); };
    for (const std::string where : {"in its slot", "held", "left for another one"}) {
      SCOPED_TRACE(where);
      if (where == "held") bring(b, c, w->m, tile, 1);
      if (where == "left for another one") bring(b, c, w->m, tile, 0);
      for (u32 p = 0; p < 2; ++p) {
        EXPECT_FALSE(could_fire(b, c, w->m, &entry));
        EXPECT_FALSE(has_all(c, w->m, &entry, 0)) << "message " << p << " is missing";
        put(p);
        EXPECT_TRUE(has_all(c, w->m, &entry, 0)) << "message " << p << " has come";
      }
      EXPECT_TRUE(could_fire(b, c, w->m, &entry));
      abi::link_end& out = out_now(1, 2);
      out.count += 2;
      EXPECT_FALSE(could_fire(b, c, w->m, &entry)) << "its out-port is full";
      EXPECT_FALSE(has_all(c, w->m, &entry, 0));
      ++*out.taken;
      EXPECT_TRUE(has_all(c, w->m, &entry, 0)) << "there is room again";
      EXPECT_TRUE(could_fire(b, c, w->m, &entry));
      *out.taken = out.count;
      bring(b, c, w->m, tile, 1);
      take_from_ports(b, c, w->m, ports, 0);
    }
    put_back(b, c, w->m);
    w->header(tile, 1).status = abi::slot_stopped;
    EXPECT_FALSE(could_fire(b, c, w->m, &entry));
    EXPECT_FALSE(has_all(c, w->m, &entry, 0)) << "nothing wakes a worker for an actor that is gone";
  }
}

TYPED_TEST(Choose, AllThatAnActorWaitsForIsNotedWhenItIsLeft) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask each actor";
  auto w = this->make();
  on_chip& c = *w->chips[0];
  block b{w->m.lanes};
  for (u32 i = 0; i < 2; ++i) w->spawn(tile, i);
  for (u32 p = 0; p < 2; ++p) w->link(tile, 0, p, 1, p, sizeof(step));
  w->link(tile, 1, 2, 0, 2, sizeof(step));
  w->tell_links();
  const auto put = [&](u32 p) { put_message<block>(w->end(tile, 0, p, false)); };
  u32 place = w->listed(0, 0).index == 1 ? 0 : 1;
  abi::linked_actor& entry = w->listed(0, place);
  w->listed(0, 1 - place).kind = 3;  // the other one waits for what does not come
  u64 never = 0;
  w->listed(0, 1 - place).at = reinterpret_cast<u64>(&never);
  w->listed(0, 1 - place).want = 1;
  const auto next = [&] { return next_candidate(b, c, w->m, 0); };
  const auto first = [&] { return look_at_first(c, w->m, &w->listed(0, 0), place); };
  bring(b, c, w->m, tile, 1);
  abi::link_end& out = c[w->m.ends][abi::max_ports + 2];
  out.count += 2;  // full
  note_awaited(b, c, w->m, &entry, place);
  EXPECT_EQ(entry.kind, several);
  EXPECT_EQ(entry.want, 3U);
  EXPECT_EQ(first(), first_come::not_yet);
  for (const u32 p : {1U, 0U}) {
    EXPECT_EQ(next(), ~0U) << "message " << p << " is missing";
    put(p);
  }
  EXPECT_EQ(next(), ~0U) << "its out-port is full";
  EXPECT_EQ(first(), first_come::and_more_is_awaited) << "a poll cannot know";
  ++*out.taken;
  EXPECT_EQ(next(), place);
  EXPECT_TRUE(has_all(c, w->m, &w->listed(0, 0), place));
}

TYPED_TEST(Choose, WhoWaitsForOneThingIsSeenToHaveAllByAPoll) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask each actor";
  constexpr u32 sender = 0, receiver = 1;
  auto w = this->make();
  for (const u32 i : {sender, receiver}) w->spawn(tile, i);
  w->link(tile, sender, left_port, receiver, right_port, sizeof(step));
  w->tell_links();
  on_chip& c = *w->chips[0];
  block b{w->m.lanes};
  bring(b, c, w->m, tile, receiver);
  abi::linked_actor& entry = w->listed(0, 0);
  const auto first = [&] { return look_at_first(c, w->m, &entry, 0); };
  EXPECT_EQ(first(), first_come::and_that_is_all) << "nothing is known of it: it may";
  note_awaited(b, c, w->m, &entry, 0);
  EXPECT_EQ(entry.want, 1U);
  EXPECT_EQ(first(), first_come::not_yet);
  put_message<block>(w->end(tile, sender, left_port, false));
  EXPECT_EQ(first(), first_come::and_that_is_all);
}

TYPED_TEST(Choose, OfThoseThatMayFireItIsTheOneThatWasLeftLongestAgo) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask each actor";
  auto w = this->make();
  on_chip& c = *w->chips[0];
  block b{w->m.lanes};
  constexpr u32 actors = 4;
  for (u32 i = 0; i < actors; ++i) w->spawn(tile, i);
  for (u32 i = 0; i < actors; ++i)
    w->link(tile, i, right_port, (i + 1) % actors, left_port, sizeof(step));
  w->tell_links();
  const auto left = [&](std::array<u32, actors> at) {
    for (u32 i = 0; i < actors; ++i) w->listed(0, i).left = at[i];
  };
  const auto next = [&] { return next_candidate(b, c, w->m, 0); };
  for (const u32 begin : {0U, 0U - 8U}) {  // the count of visits goes round
    c.visits = begin + 10;
    left({begin + 9, begin + 7, begin + 8, begin + 10});
    EXPECT_EQ(next(), 1U);
  }
  left({5, 5, 5, 5});
  EXPECT_EQ(next(), 0U) << "all alike: the first one";
  c.visits = 1U << 30U;
  left({c.visits - 1, c.visits - 2, 7, 8});
  EXPECT_EQ(next(), 2U) << "two that have not been visited for ages are alike";
  u64 never = 0;
  for (const u32 i : {2U, 3U}) {  // what they wait for does not come
    abi::linked_actor& entry = w->listed(0, i);
    entry.kind = 3;
    entry.at = reinterpret_cast<u64>(&never);
    entry.want = 1;
  }
  EXPECT_EQ(next(), 1U);
  ++never;
  EXPECT_EQ(next(), 2U);
}

// 32 are asked at once, and of 64 it is noted what they wait for.
TYPED_TEST(Choose, OfManyTheOldestThatMayFireIsFoundWhereverItStands) {
  using block = typename TestFixture::block;
  if constexpr (block::in_order) GTEST_SKIP() << "such blocks ask each actor";
  for (const u32 actors : {12U, 33U, 64U, 70U}) {
    SCOPED_TRACE(actors);
    auto w = this->make();
    on_chip& c = *w->chips[0];
    block b{w->m.lanes};
    c.linked = actors;  // who they are is not asked
    std::vector<u64> taken(actors);
    for (const u32 begin : {100U, 5U}) {  // of the second one the count of visits has gone round
      c.visits = begin;
      // the first one is the youngest; each waits for its count to be 1
      for (u32 i = 0; i < actors; ++i) {
        abi::linked_actor& entry = w->listed(0, i);
        entry.left = begin - i;
        entry.kind = 3;
        entry.want = 1;
        entry.at = reinterpret_cast<u64>(&taken[i]);
        taken[i] = 0;
      }
      EXPECT_EQ(next_candidate(b, c, w->m, 0), ~0U);
      for (u32 i = 0; i < actors; ++i) {
        taken[i] = 1;
        ASSERT_EQ(next_candidate(b, c, w->m, 0), i) << "older than all that may";
      }
      for (u32 i = actors; i-- > 1;) {
        w->listed(0, i).kind = gone;
        ASSERT_EQ(next_candidate(b, c, w->m, 0), i - 1) << "who is gone is not asked";
      }
    }
  }
}

}  // namespace
