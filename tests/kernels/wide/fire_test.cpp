// tests/kernels/wide/fire_test.cpp - when a joined handler is called, under random schedules of three workers.
// Replay: the seed is printed with the failure.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <random>
#include <vector>

#include "tests/kernels/kinds.hpp"
#include "tests/kernels/wide/wide_world.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct step {
  u64 number;        ///< of the link's message, from 1
  u64 stamp;         ///< of the sender's call, before the send
  u64 fill[2] = {};  ///< so that the message's own stamp stands in two words
};
struct tile_state {
  u64 fired;
  u64 last_stamp;
};
constexpr u32 on_joined = 0, on_start = 1, on_note = 2;
constexpr u32 tile = 1, small = 2;
constexpr u32 left_port = 0, right_port = 1, own_port = 2, ports = 4;

template <class Kind>
class Fire : public ::testing::Test {
 protected:
  using block = typename Kind::block;
  static constexpr u64 now = 1'000'000;
  static std::unique_ptr<wide_world> make(u32 workers, u32 ring_shift = 6, u32 cache_ways = 0) {
    shape s;
    s.workers = workers;
    s.lanes = Kind::lanes;
    s.ring_shift = ring_shift;
    auto w = std::make_unique<wide_world>(
        s,
        std::vector<wide_spec>{{sizeof(tile_state), 32, ports, 0, true, 1 + on_joined},
                               {sizeof(cell)}},
        std::vector<abi::handler_entry>{
            {tile, 0, sizeof(step)}, {tile, 1, sizeof(u64)}, {small, 2, sizeof(note)}},
        cache_ways);
    w->template begin_all<block>();
    return w;
  }
  static progress turn_of(wide_world& w, u32 worker, loop_handle<block>& handle) {
    block b{w.m.lanes};
    auto steady = [] { return now; };
    w.chips[worker]->control_at = 0;
    return turn(b, *w.chips[worker], w.m, handle, steady);
  }
  static u64 tile_ref(u32 index) { return abi::make_ref(index, 1, tile, system_number); }
};
TYPED_TEST_SUITE(Fire, link_kinds, kind_names);

TYPED_TEST(Fire, FiringNTakesTheNthMessageOfEachInPortUnderAnySchedule) {
  using block = typename TestFixture::block;
  constexpr u32 tiles = 3;
  constexpr u64 steps = 25;
  for (u64 seed = 1; seed <= 60 && !this->HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    // one slot would never do: a tile's own last message would have to be taken before it fires
    const auto slots = [&] { return 2U << random() % 2; };
    const u32 workers = 1 + static_cast<u32>(random() % 3);
    auto w = this->make(workers, 6, seed % 3 == 0 ? 0U : 2U << seed % 3);
    for (u32 i = 0; i < tiles; ++i) {
      w->spawn(tile, i);
      w->link(tile, i, right_port, (i + 1) % tiles, left_port, sizeof(step), slots());
      w->link(tile, (i + 1) % tiles, left_port, i, right_port, sizeof(step), slots());
      w->link(tile, i, own_port, i, own_port, sizeof(step));  // nobody fires before it is started
    }
    w->tell_links();
    const auto send = [](wide_call<block>& made, u64 number) {
      for (u32 p : {left_port, right_port, own_port})
        commit(made, p, step{number, made.call.stamp});
    };
    loop_handle<block> handle;
    handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
      auto& me = *reinterpret_cast<tile_state*>(made.state);
      EXPECT_GT(made.call.stamp, me.last_stamp);
      if (handler == on_start) return send(made, 1);
      ++me.fired;
      for (u32 p : {left_port, right_port, own_port}) {
        const step in = landed<step>(made, p);
        EXPECT_EQ(in.number, me.fired) << "port " << p;
        EXPECT_GT(made.call.stamp, in.stamp + 1) << "the clock of the sender is merged";
      }
      if (!block::whole_links) {
        EXPECT_EQ(made.landed_at[3], ~0U) << "nothing is linked to the last port";
      }
      if (me.fired < steps) send(made, me.fired + 1);
      me.last_stamp = made.call.stamp;
    };
    u32 started = 0;
    for (u32 turns = 0; turns < 3'000; ++turns) {
      if (started < tiles && random() % 4 == 0) {
        ASSERT_TRUE(w->push(this->tile_ref(started++), on_start, u64{0}));
      }
      this->turn_of(*w, static_cast<u32>(random() % w->m.workers), handle);
      u64 least = steps, most = 0;
      for (u32 i = 0; i < tiles; ++i) {
        const u64 taken = w->end(tile, i, left_port, false).taken[0];
        least = std::min(least, taken);
        most = std::max(most, taken);
      }
      ASSERT_LE(most, least + 2) << "a tile ran ahead of what its neighbours gave it";
    }
    for (u32 i = 0; i < w->m.workers; ++i) {
      block b{w->m.lanes};
      put_back(b, *w->chips[i], w->m);
    }
    for (u32 i = 0; i < tiles; ++i) EXPECT_EQ(w->template state<tile_state>(tile, i).fired, steps);
    EXPECT_EQ(w->total(abi::counter::fired), tiles * steps);
    EXPECT_EQ(w->total(abi::counter::link_sent), 3 * tiles * steps);
    EXPECT_EQ(w->total(abi::counter::link_taken), 3 * tiles * steps);
    EXPECT_EQ(w->dead(), 0U);
  }
}

// Tiles of a ring on one or two workers; the even ones begin with one firing, the odd ones with two. Now and then a tile
// sends more notes than there is room for, which cuts its visit short.
TYPED_TEST(Fire, WhoGathersMessagesForTwoFiringsFiresTwiceInEachVisit) {
  using block = typename TestFixture::block;
  constexpr u32 tiles = 6;
  if (block::in_order) GTEST_SKIP() << "one thread, whose actors move nowhere";
  struct one_case {
    u32 workers;
    u64 steps;
    bool floods;
  };
  for (const auto& [workers, steps, floods] :
       {one_case{1, 40, false}, {2, 40, false}, {1, 41, false}, {2, 41, false}, {2, 40, true}}) {
    SCOPED_TRACE(testing::Message()
                 << workers << " workers, " << steps << " steps" << (floods ? ", floods" : ""));
    auto w = this->make(workers);
    for (u32 i = 0; i < tiles; ++i) {
      w->spawn(tile, i);
      w->link(tile, i, right_port, (i + 1) % tiles, left_port, sizeof(step));
      w->link(tile, (i + 1) % tiles, left_port, i, right_port, sizeof(step));
      w->link(tile, i, own_port, i, own_port, sizeof(step));
    }
    for (u32 i = 0; i < workers; ++i) w->spawn(small, i);
    w->tell_links();
    u64 visits = 0, sent = 0, got = 0;
    std::vector<u32> last(workers, ~0U);
    loop_handle<block> handle;
    handle.small = [&](u32, void*, const message_view&, lane_state&) { ++got; };
    handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
      auto& me = *reinterpret_cast<tile_state*>(made.state);
      const u32 index = abi::ref_index(made.call.self);
      if (handler == on_start) {
        gather_for(*made.chip, *made.mem, index % 2 == 0 ? 1 : 2);
      } else {
        if (index != last[index % workers]) ++visits;
        last[index % workers] = index;
        ++me.fired;
        EXPECT_EQ(landed<step>(made, left_port).number, me.fired);
        EXPECT_EQ(landed<step>(made, right_port).number, me.fired);
        for (u32 i = 0; floods && index == 0 && me.fired % 10 == 4 && i < 40; ++i) {
          const note n{++sent, 1};
          made.call.send(abi::make_ref(1, 1, small, system_number), on_note,
                         payload_bytes{&n, sizeof(n)});
        }
        gather_for(*made.chip, *made.mem, steps - me.fired > 1 ? 2 : 1);
      }
      if (me.fired == steps) return;
      for (u32 p : {left_port, right_port, own_port}) commit(made, p, step{me.fired + 1, 0});
    };
    for (u32 i = 0; i < tiles; ++i) ASSERT_TRUE(w->push(this->tile_ref(i), on_start, u64{0}));
    for (u32 turns = 0; turns < 6'000; ++turns) this->turn_of(*w, turns % workers, handle);
    ASSERT_EQ(w->total(abi::counter::fired), tiles * steps);
    EXPECT_EQ(got, sent);
    if (floods) continue;
    EXPECT_EQ(visits, tiles / 2 * (1 + steps / 2) + tiles / 2 * ((steps + 1) / 2));
  }
}

// Two neighbours at the same step, each alone on its worker and asking for two: put back, as by a pause, they fire on.
TYPED_TEST(Fire, WhoHasItsWorkerForItselfFiresAsMessagesComeWhateverItGathers) {
  using block = typename TestFixture::block;
  constexpr u64 steps = 40;
  auto w = this->make(2);
  for (u32 i = 0; i < 2; ++i) w->spawn(tile, i);
  for (u32 i = 0; i < 2; ++i) {
    w->link(tile, i, right_port, 1 - i, left_port, sizeof(step));
    w->link(tile, i, own_port, i, own_port, sizeof(step));
  }
  loop_handle<block> handle;
  handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
    auto& me = *reinterpret_cast<tile_state*>(made.state);
    if (handler == on_joined) ++me.fired;
    gather_for(*made.chip, *made.mem, 2);
    if (me.fired == steps) return;
    for (u32 p : {right_port, own_port}) commit(made, p, step{me.fired + 1, 0});
  };
  for (u32 i = 0; i < 2; ++i) ASSERT_TRUE(w->push(this->tile_ref(i), on_start, u64{0}));
  for (u32 i = 0; i < 2; ++i)
    this->turn_of(*w, i, handle);  // nothing is linked yet for all they know
  for (u32 i = 0; i < 2; ++i) {
    block b{w->m.lanes};
    put_back(b, *w->chips[i], w->m);
  }
  w->tell_links();
  for (u32 turns = 0; turns < 2'000; ++turns) this->turn_of(*w, turns % 2, handle);
  EXPECT_EQ(w->total(abi::counter::fired), 2 * steps);
}

// What it waits for was noted while it was held; then others are held in between, and no command comes.
TYPED_TEST(Fire, TheOnlyLinkedActorIsAskedAgainHoweverOftenItsSlotsWereUsed) {
  using block = typename TestFixture::block;
  auto w = this->make(1);
  w->spawn(tile, 0);
  w->spawn(tile, 1);
  w->link(tile, 0, right_port, 1, left_port, sizeof(step));
  w->tell_links();
  loop_handle<block> handle;
  u64 fired = 0;
  handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
    if (handler == on_start) return commit(made, right_port, step{1, 0});
    ++fired;
  };
  for (u64 n = 1; n <= 9; ++n) {
    ASSERT_TRUE(w->push(this->tile_ref(0), on_start, u64{0}));
    this->turn_of(*w, 0, handle);
    ASSERT_EQ(fired, n);
    if (n == 1) this->turn_of(*w, 0, handle);  // idle: it is noted
  }
}

// As behind a poll that has seen what an actor waits for: it fires, and nothing else is looked at before.
TYPED_TEST(Fire, WhomAPollHasSeenToHaveAllFiresBeforeAnythingElse) {
  using block = typename TestFixture::block;
  for (const u32 linked : {1U, 2U}) {
    SCOPED_TRACE(linked);
    auto w = this->make(1);
    for (u32 i = 0; i < 3; ++i) w->spawn(tile, i);
    for (u32 i = 0; i < linked; ++i)
      w->link(tile, 2, i, i, left_port, sizeof(step));  // from one that nothing is linked to
    w->tell_links();
    std::vector<u32> calls;
    loop_handle<block> handle;
    handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
      const u32 who = abi::ref_index(made.call.self);
      calls.push_back(handler == on_joined ? who : 100 + who);
      if (handler == on_start) commit(made, linked - 1, step{1, 0});
    };
    on_chip& c = *w->chips[0];
    const auto poll_has_seen = [&](u32 place) { c.came = place + 1; };
    const u32 last = linked - 1;  // in the list, too
    poll_has_seen(last);          // it was wrong: nothing has come
    this->turn_of(*w, 0, handle);
    EXPECT_EQ(calls, std::vector<u32>{});
    EXPECT_EQ(c.came, 0U) << "or it would be asked for ever";
    ASSERT_TRUE(w->push(this->tile_ref(2), on_start, u64{0}));
    this->turn_of(*w, 0, handle);
    EXPECT_EQ(calls, (std::vector<u32>{102, last})) << "fired in the turn that sent to it";
    calls.clear();
    block b{w->m.lanes};
    bring(b, c, w->m, tile, 2);
    u32 raw[sizeof(step) / 4] = {};
    abi::link_end& out = c[w->m.ends][abi::max_ports + last];
    write_message<block>(out, raw, 0);
    ++out.count;
    ASSERT_TRUE(w->push(this->tile_ref(2), on_start, u64{0}));
    poll_has_seen(last);
    this->turn_of(*w, 0, handle);
    ASSERT_GE(calls.size(), 1U);
    EXPECT_EQ(calls[0], last) << "the message in the ring waits";
    EXPECT_EQ(c.came, 0U);
    for (u32 i = 0; i < 3; ++i) this->turn_of(*w, 0, handle);
    EXPECT_EQ(calls, (std::vector<u32>{last, 102, last}));
    put_back(b, c, w->m);
    w->header(tile, last).status = abi::slot_stopped;
    poll_has_seen(last);
    for (u32 i = 0; i < 2; ++i) this->turn_of(*w, 0, handle);
    EXPECT_EQ(calls.size(), 3U) << "it is gone";
    EXPECT_EQ(c.came, 0U);
  }
}

// As on a device: looks come at multiples of 32 firings only.
TEST(Looks, AreAQuarterToOneMillisecondApartOrThirtyTwoFirings) {
  for (const u64 firing_ns : {u64{400}, u64{4'300}, u64{20'000}, u64{90'000}}) {
    SCOPED_TRACE(firing_ns);
    auto c = std::make_unique<on_chip>();
    c->host_look_every = 1;
    const auto firings = [&] { return std::max(u64{32}, u64{c->host_look_every}); };
    u64 now = 0;
    for (int looks = 0; looks < 40; ++looks) pace_looks(*c, now += firings() * firing_ns);
    const u64 apart = firings() * firing_ns;
    EXPECT_GE(apart, 250'000U);
    EXPECT_LE(apart, std::max(u64{1'000'000}, 32 * firing_ns));
    EXPECT_TRUE(std::has_single_bit(c->host_look_every));
  }
}

TYPED_TEST(Fire, AnActorThatFiresForEverLeavesItsWorkerTimeForOthers) {
  using block = typename TestFixture::block;
  auto w = this->make(1);
  w->spawn(tile, 0);
  w->link(tile, 0, 0, 0, 0, sizeof(step));
  w->tell_links();
  loop_handle<block> handle;
  u64 fired = 0;
  handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
    if (handler == on_joined) ++fired;
    if (fired < 10'000) commit(made, 0, step{1, 0});
  };
  ASSERT_TRUE(w->push(this->tile_ref(0), on_start, u64{0}));
  this->turn_of(*w, 0, handle);
  EXPECT_GT(fired, 0U);
  EXPECT_LT(fired, 10'000U) << "one turn, by a clock that stands still";
}

TYPED_TEST(Fire, AnActorToWhichNothingIsLinkedAnyMoreDoesNotFire) {
  using block = typename TestFixture::block;
  auto w = this->make(1);
  w->spawn(tile, 0);
  w->enlist(tile, 0);  // of the actor that had the slot before
  w->tell_links();
  loop_handle<block> handle;
  u32 fired = 0;
  handle.on = [&](u32 handler, wide_call<block>&, const void*) { fired += handler == on_joined; };
  ASSERT_TRUE(w->push(this->tile_ref(0), on_start, u64{0}));
  for (u32 i = 0; i < 4; ++i) this->turn_of(*w, 0, handle);
  EXPECT_EQ(fired, 0U);
  EXPECT_EQ(w->total(abi::counter::handled), 1U);
}

// Sends of a batch of one small message go into the rings at once; what a firing behind it sends must not.
TYPED_TEST(Fire, WhatAFiringSendsBehindALoneSmallMessageIsDeliveredOnceAndInOrder) {
  using block = typename TestFixture::block;
  auto w = this->make(2);
  w->spawn(tile, 0);
  w->spawn(small, 0);
  w->spawn(small, 1);  // at the other worker
  w->link(tile, 0, 0, 0, 0, sizeof(step));
  w->tell_links();
  const u64 far = abi::make_ref(1, 1, small, system_number);
  constexpr u64 notes = 40;  // 3 words each, into a ring of 64
  u64 sent = 0;
  loop_handle<block> handle;
  handle.on = [&](u32 handler, wide_call<block>& made, const void*) {
    if (handler == on_start) return commit(made, 0, step{1, 0});
    for (u64 i = 0; i < notes; ++i) {
      const note n{++sent, 1};
      made.call.send(far, on_note, payload_bytes{&n, sizeof(n)});
    }
  };
  u64 last = 0, got = 0;
  handle.small = [&](u32, void*, const message_view& view, lane_state& call) {
    if (abi::ref_index(call.self) == 0) return;
    const note n = message_of<note>(view);
    EXPECT_EQ(n.seq, ++last);
    ++got;
  };
  // the start is taken by a worker that thinks of no links yet, so that the firing comes behind the small message
  w->chips[0]->linked = 0;
  ASSERT_TRUE(w->push(this->tile_ref(0), on_start, u64{0}));
  this->turn_of(*w, 0, handle);
  w->tell_links();
  ASSERT_TRUE(w->push(abi::make_ref(0, 1, small, system_number), on_note, note{1, 0}));
  for (u32 i = 0; i < 400; ++i) this->turn_of(*w, i % 2, handle);
  EXPECT_EQ(sent, notes);
  EXPECT_EQ(got, notes);
  EXPECT_EQ(w->total(abi::counter::sent), notes);
}

}  // namespace
