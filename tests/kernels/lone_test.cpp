// tests/kernels/lone_test.cpp - what a call holds at its end is the next message, where it would be the next one anyway.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 on_large = 1;
struct large {
  note first;
  u64 more[40];
};
static_assert(sizeof(large) > abi::inline_payload);

/// As a device's glue sends: a short message need not have its place at once.
template <class M>
bool hold(lane_state& call, u64 to, u32 handler, const M& m) {
  payload_sent<abi::words_for(sizeof(M)), sizeof(M)> payload{};
  if constexpr (sizeof(M) <= abi::inline_payload) {
    std::memcpy(payload.pieces.at, &m, sizeof(M));
  } else {
    const u32 buffer = take_buffer(*call.mem);
    if (buffer == ~0U) return false;
    std::memcpy(buffer_at(*call.mem, buffer), &m, sizeof(M));
    const u64 handle = publish_buffer(*call.mem, buffer);
    std::memcpy(payload.pieces.at, &handle, sizeof(handle));
  }
  return call.send<true>(to, handler, payload);
}

class Lone : public ::testing::Test {
 protected:
  static shape two_workers() {
    shape s;
    s.lanes = 32;
    s.workers = 2;
    s.ring_shift = 8;
    s.spill_shift = 9;
    s.host_lanes = 1;
    s.buffers = 4;
    s.buffer_bytes = sizeof(large);
    return s;
  }
  void SetUp() override { w.begin_all<block>(); }

  using block = loops<false, 32>::block;
  world w{two_workers(),
          {{sizeof(cell)}},
          {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(large)}}};
  on_chip& c = *w.chips[0];
  u64 one = w.spawn(cell_type, 0), two = w.spawn(cell_type, 2), there = w.spawn(cell_type, 1);

  /// Where a worker remembers who gets a note for `ref`.
  known_receiver* place(u64 ref) {
    const u32 words = abi::words_for(sizeof(note));
    return &known_place(c, word{lane_state::receiver(ref, on_note, words), 0});
  }
  arrival poll(handle_function& handle) {
    block b{w.m.lanes};
    return poll_once(b, c, w.m, 1'000'000, handle);
  }
  /// Until nobody has anything to do.
  void settle(handle_function& handle) {
    auto steady = [] { return u64{1'000'000}; };
    for (u32 calm = 0; calm < 4;) {
      bool worked = false;
      for (u32 i = 0; i < w.m.workers; ++i) {
        block b{w.m.lanes};
        w.chips[i]->control_at = 0;
        worked |= turn(b, *w.chips[i], w.m, handle, steady) == progress::worked;
      }
      calm = worked ? 0 : calm + 1;
    }
  }
  cell& cell_of(u64 ref) { return w.state<cell>(cell_type, abi::ref_index(ref)); }
  u64 tail_of(u32 worker) const { return w.m.tails[worker].value; }

  /// Notes what came, with its sender.
  static void take(void* state, const note& n, lane_state& call) {
    cell& me = *static_cast<cell*>(state);
    EXPECT_GT(n.seq, me.last_seq) << "handled out of order";
    EXPECT_GT(call.last_stamp(), me.last_stamp);
    me.last_seq = n.seq;
    me.last_stamp = call.last_stamp();
    me.sum += n.value;
    ++me.count;
  }
};

TEST_F(Lone, ARallyWithinAWorkerIsOnePollAndTouchesNoWord) {
  constexpr u64 hops = 21;
  u64 stamp = 0;
  u32 senders = 0;
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    EXPECT_GT(call.stamp, stamp) << "a message is handled behind its sending";
    if (got.seq > 1 && call.sender() == (call.self == one ? two : one)) ++senders;
    EXPECT_EQ(view.is_held, got.seq > 1);
    if (got.seq <= hops) {
      EXPECT_TRUE(
          hold(call, call.self == one ? two : one, on_note, note{got.seq + 1, got.value * 2}));
    }
    stamp = call.stamp;
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  const u64 tail = tail_of(0);
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(one).count + cell_of(two).count, hops + 1);
  EXPECT_EQ(cell_of(one).sum + cell_of(two).sum, (u64{1} << (hops + 1)) - 1);
  EXPECT_EQ(senders, hops);
  EXPECT_EQ(tail_of(0), tail) << "none went through the ring";
  EXPECT_EQ(w.total(abi::counter::sent), hops);
  EXPECT_EQ(w.total(abi::counter::handled), hops + 1);
  EXPECT_EQ(w.header(cell_type, 0).handled + w.header(cell_type, 2).handled, hops + 1);
  EXPECT_EQ(c.clock, stamp);
  EXPECT_FALSE(poll(handle).handled);
}
TEST_F(Lone, AfterSoManyOthersHaveTheirTurn) {
  constexpr u64 hops = 3 * most_joining;
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (got.seq <= hops) {
      EXPECT_TRUE(hold(call, call.self, on_note, note{got.seq + 1, 1}));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  const u64 tail = tail_of(0);
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(one).count, 1 + u64{most_joining});
  EXPECT_GT(tail_of(0), tail) << "the next one is in the ring";
  settle(handle);
  EXPECT_EQ(cell_of(one).count, hops + 1);
  EXPECT_EQ(w.total(abi::counter::sent), hops);
  EXPECT_EQ(w.dead(), 0U);
}
TEST_F(Lone, WhatACallSendsFirstIsHandledFirst) {
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (got.seq != 1) return;
    for (u64 i = 2; i <= 4; ++i) EXPECT_TRUE(hold(call, two, on_note, note{i, i}));
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(two).count, 3U);
  EXPECT_EQ(cell_of(two).sum, 9U);
}
TEST_F(Lone, OneThatIsHeldComesBehindThoseThatHaveLanded) {
  std::vector<u64> seen;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    seen.push_back(got.seq);
    if (got.seq == 1) {
      EXPECT_TRUE(hold(call, two, on_note, note{10, 0}));
    }
  };
  for (u64 i = 1; i <= 3; ++i) ASSERT_TRUE(w.push(one, on_note, note{i, i}));
  EXPECT_TRUE(poll(handle).handled);
  settle(handle);
  EXPECT_EQ(seen, (std::vector<u64>{1, 2, 3, 10}));
}
TEST_F(Lone, OneThatIsHeldDoesNotOvertakeWhatIsInTheRing) {
  std::vector<u64> seen;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    seen.push_back(got.seq);
    // the first ones fill what may join, so the last ones of them are in the ring
    if (got.seq == 1) {
      for (u64 i = 2; i <= 8; ++i) EXPECT_TRUE(hold(call, two, on_note, note{i, i}));
    } else if (got.seq == 3) {
      EXPECT_TRUE(hold(call, two, on_note, note{9, 9}));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  settle(handle);
  EXPECT_EQ(seen, (std::vector<u64>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}
TEST_F(Lone, AReceiverThatIsGoneIsACountedDeadLetter) {
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (got.seq == 1) {
      EXPECT_TRUE(hold(call, two, on_note, note{2, 1}));
    }
  };
  w.header(cell_type, 2).status = abi::slot_stopped;
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(two).count, 0U);
  EXPECT_EQ(w.dead(), 1U);
  EXPECT_EQ(w.total(abi::counter::sent), 1U);
  EXPECT_EQ(w.total(abi::counter::handled), 1U);
  ASSERT_TRUE(w.push(one, on_note, note{3, 1}));
  EXPECT_TRUE(poll(handle).handled) << "it goes on";
}
TEST_F(Lone, WhatStandsBehindOneWhoseReceiverIsGoneIsHandled) {
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    take(state, message_of<note>(view), call);
  };
  w.header(cell_type, 2).status = abi::slot_stopped;
  for (u64 i = 1; i <= 3; ++i) ASSERT_TRUE(w.push(i == 2 ? two : one, on_note, note{i, i}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(one).count, 2U);
  EXPECT_EQ(cell_of(one).sum, 4U);
  EXPECT_EQ(w.dead(), 1U);
  EXPECT_EQ(w.total(abi::counter::handled), 2U);
  EXPECT_EQ(c.ring_head, tail_of(0));
}
TEST_F(Lone, ActorsOfOneWorkerAreRememberedInDifferentPlaces) {
  constexpr u32 firsts = 64;
  u64 all = 0, cases = 0;
  for (const u32 processors :
       {1U,   2U,   4U,   8U,   14U,  16U,  20U,  22U,  24U,  28U,  30U,  32U,  34U,  36U,
        38U,  40U,  46U,  48U,  50U,  56U,  58U,  60U,  64U,  66U,  68U,  70U,  72U,  76U,
        78U,  80U,  82U,  84U,  92U,  96U,  98U,  100U, 108U, 110U, 114U, 120U, 124U, 128U,
        132U, 140U, 142U, 144U, 148U, 152U, 156U, 160U, 170U, 172U, 176U, 188U, 192U}) {
    for (const u32 workers : {processors, 2 * processors, 4 * processors}) {
      for (u32 first = 0; first < firsts; ++first) {
        std::set<known_receiver*> places;
        for (u32 row = 0; row < known_receivers; ++row)
          places.insert(place(abi::make_ref(first + row * workers, 1, cell_type, w.m.system)));
        ASSERT_GE(places.size(), 5U) << workers << " workers, from actor " << first;
        all += places.size();
        ++cases;
      }
    }
  }
  EXPECT_GE(all, 11 * cases) << "by chance it were 10.3";
}
TEST_F(Lone, ARallyOfTwoThatAreRememberedInTheSamePlace) {
  constexpr u64 hops = 11;
  u32 other = 4;  // of worker 0, too
  while (place(abi::make_ref(other, 1, cell_type, w.m.system)) != place(one)) other += 2;
  const u64 four = w.spawn(cell_type, other);
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (got.seq <= hops) {
      EXPECT_TRUE(hold(call, call.self == one ? four : one, on_note, note{got.seq + 1, 1}));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(one).count, (hops + 1) / 2);
  EXPECT_EQ(cell_of(four).count, (hops + 1) / 2);
  EXPECT_EQ(w.total(abi::counter::handled), hops + 1);
}
TEST_F(Lone, WhoStopsHasSentWhatItHeld) {
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (got.seq != 1) return;
    EXPECT_TRUE(hold(call, two, on_note, note{2, 5}));
    call.stop();
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(cell_of(two).sum, 5U);
  EXPECT_EQ(w.header(cell_type, 0).status, abi::slot_stopped);
  EXPECT_EQ(w.total(abi::counter::stopped), 1U);
}
TEST_F(Lone, WhatFindsNoRoomIsDeliveredLaterInItsOrder) {
  constexpr u64 sends = 100;  // 300 words into a ring of 256, whose worker takes nothing yet
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    for (u64 i = 1; call.self == one && i <= sends; ++i) {
      EXPECT_TRUE(hold(call, there, on_note, note{i, i}));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_GT(c.pending, 0U);
  EXPECT_FALSE(may_arrive(c)) << "what comes after must not overtake what is kept";
  settle(handle);
  EXPECT_EQ(cell_of(there).count, sends);
  EXPECT_EQ(cell_of(there).sum, sends * (sends + 1) / 2);
  EXPECT_EQ(w.total(abi::counter::sent), sends);
  EXPECT_EQ(w.dead(), 0U);
}
TEST_F(Lone, TheAnswerOfOneThatFillsTheRingIsKept) {
  constexpr u64 rounds = 90;  // one message each: 270 words into a ring of 256
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    take(state, got, call);
    if (call.self == one) {
      EXPECT_TRUE(hold(call, there, on_note, got));
    }
  };
  for (u64 i = 1; i <= rounds; ++i) {
    ASSERT_TRUE(w.push(one, on_note, note{i, i}));
    if (may_arrive(c)) poll(handle);
  }
  EXPECT_GT(c.pending, 0U) << "the last answers found no room";
  settle(handle);
  EXPECT_EQ(cell_of(there).count, rounds);
  EXPECT_EQ(w.total(abi::counter::sent), rounds);
  EXPECT_EQ(w.total(abi::counter::handled), 2 * rounds);
  EXPECT_EQ(w.dead(), 0U);
}
TEST_F(Lone, NothingJoinsBehindAnAnswerThatIsKept) {
  u64 filled = 0;  // the other worker takes nothing yet
  while (w.push(there, on_note, note{filled + 1, 1})) ++filled;
  std::vector<u64> seen;
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    if (call.self == there) return take(state, got, call);
    seen.push_back(got.seq);
    if (got.seq > 2) return;
    const note next{got.seq == 1 ? filled + 1 : 3, 1};
    EXPECT_TRUE(hold(call, got.seq == 1 ? there : one, on_note, next));
  };
  for (u64 i = 1; i <= 2; ++i) ASSERT_TRUE(w.push(one, on_note, note{i, i}));
  const u64 tail = tail_of(0);
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_GT(c.pending, 0U);
  EXPECT_EQ(seen, (std::vector<u64>{1, 2}));
  EXPECT_GT(tail_of(0), tail) << "it is in the ring, behind what is kept";
  settle(handle);
  EXPECT_EQ(seen, (std::vector<u64>{1, 2, 3}));
  EXPECT_EQ(cell_of(there).count, filled + 1);
  EXPECT_EQ(w.dead(), 0U);
}
TEST_F(Lone, NothingJoinsBehindANoteToTheHostThatIsKept) {
  c.host_tail += u64{1} << w.m.host_shift;  // as if the host had read nothing for long
  w.header(cell_type, 2).status = abi::slot_stopped;
  std::vector<u64> seen;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state& call) {
    const note got = message_of<note>(view);
    seen.push_back(got.seq);
    if (got.seq == 2) {
      EXPECT_TRUE(hold(call, one, on_note, note{3, 1}));
    }
  };
  ASSERT_TRUE(w.push(two, on_note, note{1, 1}));
  ASSERT_TRUE(w.push(one, on_note, note{2, 1}));
  const u64 tail = tail_of(0);
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(w.dead(), 1U);
  EXPECT_GT(c.pending, 0U) << "its note";
  EXPECT_EQ(seen, (std::vector<u64>{2}));
  EXPECT_GT(tail_of(0), tail);
}
TEST_F(Lone, WhatTheOutboxHasNoRoomForIsACountedLoss) {
  constexpr u64 sends = 400;  // far more than ring and outbox have room for
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state& call) {
    take(state, message_of<note>(view), call);
    for (u64 i = 1; call.self == one && i <= sends; ++i) {
      EXPECT_TRUE(hold(call, there, on_note, note{i, i}));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  settle(handle);
  EXPECT_GT(w.dead(), 0U);
  EXPECT_EQ(w.total(abi::counter::sent), sends);
  EXPECT_EQ(w.total(abi::counter::handled) - 1 + w.dead(), sends) << "each is handled or lost";
}
TEST_F(Lone, LargeOnesGiveTheirBuffersBack) {
  const u32 free = w.free_buffers();
  u64 handled = 0;
  handle_function handle = [&](u32 handler, void*, const message_view& view, lane_state& call) {
    const u64 seq = handler == on_large ? message_of<large>(view).more[39] : 0;
    if (handler == on_large) {
      EXPECT_EQ(seq, ++handled);
    }
    large next{};
    next.more[39] = seq + 1;
    if (seq < 5) {
      EXPECT_TRUE(hold(call, seq == 4 ? there : two, on_large, next));
    }
  };
  ASSERT_TRUE(w.push(one, on_note, note{1, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(handled, 4U) << "the last one is for the other worker";
  settle(handle);
  EXPECT_EQ(handled, 5U);
  EXPECT_EQ(w.free_buffers(), free);
  // one whose receiver is gone
  w.header(cell_type, 2).status = abi::slot_stopped;
  handled = 0;
  ASSERT_TRUE(w.push(one, on_note, note{2, 1}));
  EXPECT_TRUE(poll(handle).handled);
  EXPECT_EQ(w.dead(), 1U);
  EXPECT_EQ(w.free_buffers(), free);
}

}  // namespace
