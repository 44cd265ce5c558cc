// tests/kernels/few_test.cpp - messages that come alone are handled by the poll that finds them, with all that a batch keeps.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Few : public one_type<Kind> {
 protected:
  static shape small_rings() {
    shape s = one_type<Kind>::base();
    s.workers = 2;
    s.ring_shift = 6;
    s.spill_shift = 9;
    return s;
  }
  std::unique_ptr<world> w = this->make(small_rings());
  on_chip& c = *w->chips[0];
  u64 here = w->spawn(cell_type, 0);   // of worker 0
  u64 there = w->spawn(cell_type, 1);  // of worker 1
  u64 seq = 0;

  bool push(u64 to, u64 value = 1) { return w->push(to, on_note, note{++seq, value}); }
  arrival poll(handle_function& handle) {
    typename Kind::block b{w->m.lanes};
    return poll_once(b, c, w->m, 1'000'000, handle);
  }
  /// Messages to the own worker that may join one that has landed.
  u64 joining() const {
    const u32 words = abi::words_for(sizeof(note));
    return std::min<u64>(most_joining, (w->m.in_words - words) / words);
  }
  const cell& cell_of(u32 index) { return w->template state<cell>(cell_type, index); }
};
TYPED_TEST_SUITE(Few, all_kinds, kind_names);

TYPED_TEST(Few, ThePollHandlesThemInOrderAndNothingIsLeftForATurn) {
  handle_function handle = this->counting();
  for (u64 value = 1; value <= 3; ++value) ASSERT_TRUE(this->push(this->here, value));
  for (int polls = 0; polls < 3 && this->cell_of(0).count < 3; ++polls) {
    const arrival found = this->poll(handle);
    EXPECT_TRUE(found.handled);
    EXPECT_EQ(found.source.from, batch_source::nowhere) << "a turn would handle it again";
  }
  EXPECT_EQ(this->cell_of(0).count, 3U);
  EXPECT_EQ(this->cell_of(0).sum, 6U);
  EXPECT_EQ(this->w->header(cell_type, 0).handled, 3U);
  EXPECT_EQ(world::counted(this->c, abi::counter::handled), 3U);
  EXPECT_EQ(this->c.ring_head, this->w->m.tails[0].value);
  EXPECT_EQ(this->c.clock, this->cell_of(0).last_stamp);
  EXPECT_FALSE(this->poll(handle).handled);
}
TYPED_TEST(Few, WhatFindsNoRoomInItsRingIsDeliveredLaterInItsOrder) {
  constexpr u64 sends = 40;  // 120 words into a ring of 64, whose worker takes nothing yet
  handle_function count = this->counting();
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    if (abi::ref_index(call.self) != 0) return count(handler, state, view, call);
    for (u64 i = 1; i <= sends; ++i) {
      const note n{i, i};
      ASSERT_TRUE(send_bytes(call, this->there, on_note, &n, sizeof(n)));
    }
  };
  ASSERT_TRUE(this->push(this->here));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_GT(this->c.pending, 0U);
  EXPECT_FALSE(may_arrive(this->c)) << "what comes after must not overtake what is kept";
  ASSERT_TRUE(this->push(this->here));
  EXPECT_FALSE(this->poll(handle).handled);
  EXPECT_EQ(this->w->header(cell_type, 0).handled, 1U);
  // the second message of `here` sends the same numbers again: only the first run is counted here
  handle = [&](u32 handler, void* state, const message_view& view, lane_state& call) {
    if (abi::ref_index(call.self) != 0) count(handler, state, view, call);
  };
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(1).count, sends);
  EXPECT_EQ(this->cell_of(1).sum, sends * (sends + 1) / 2);
  EXPECT_EQ(this->w->total(abi::counter::sent), sends);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Few, WhatIsSentToTheSameWorkerNeverLeavesTheChip) {
  const u64 hops = std::min<u64>(9, this->joining());
  handle_function count = this->counting();
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    count(handler, state, view, call);
    const note got = message_of<note>(view);
    const note next{got.seq + 1, 1};
    if (got.seq > hops) return;
    EXPECT_TRUE(send_bytes(call, call.self, on_note, &next, sizeof(next)));
  };
  ASSERT_TRUE(this->push(this->here));
  const u64 tail = this->w->m.tails[0].value;
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->cell_of(0).count, hops + 1) << "one poll handles them all";
  EXPECT_EQ(this->w->m.tails[0].value, tail) << "none went through the ring";
  EXPECT_EQ(this->w->total(abi::counter::sent), hops);
  EXPECT_EQ(this->w->total(abi::counter::handled), hops + 1);
  EXPECT_EQ(this->c.clock, this->cell_of(0).last_stamp);
}
TYPED_TEST(Few, WhatIsSentToTheSameWorkerKeepsItsOrderThroughTheRing) {
  constexpr u64 sends = 3 * most_joining;  // one after another, a few of them through the ring
  handle_function count = this->counting();
  u64 sent = 0;
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    count(handler, state, view, call);
    for (int twice = 0; twice < 2 && sent < sends; ++twice) {
      const note next{1 + ++sent, 1};
      EXPECT_TRUE(send_bytes(call, call.self, on_note, &next, sizeof(next)));
    }
  };
  ASSERT_TRUE(this->push(this->here));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->cell_of(0).count, 1 + this->joining()) << "others have their turn";
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 1 + sends);
  EXPECT_EQ(this->w->total(abi::counter::sent), sends);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Few, OfWhatOneCallSendsToTheSameWorkerAFewStayAndTheRestComeBehind) {
  constexpr u64 sends = 3 * most_joining_of_a_call;
  handle_function count = this->counting();
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    count(handler, state, view, call);
    for (u64 i = 1; i <= sends && message_of<note>(view).seq == 1; ++i) {
      const note next{1 + i, 1};
      EXPECT_TRUE(send_bytes(call, call.self, on_note, &next, sizeof(next)));
    }
  };
  ASSERT_TRUE(this->push(this->here));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->cell_of(0).count, 1 + std::min<u64>(most_joining_of_a_call, this->joining()));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 1 + sends);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Few, NothingMoreStaysOnceSomethingIsKeptForWantOfRoom) {
  handle_function count = this->counting();
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    if (abi::ref_index(call.self) != 0) return;
    count(handler, state, view, call);
    const u64 seq = message_of<note>(view).seq;
    for (u64 i = 0; i < 40 && seq == 1; ++i) {
      const note full{i, i};  // 120 words into a ring of 64, whose worker takes nothing yet
      ASSERT_TRUE(send_bytes(call, this->there, on_note, &full, sizeof(full)));
    }
    const note next{seq + 1, 1};
    if (seq >= 5) return;
    EXPECT_TRUE(send_bytes(call, call.self, on_note, &next, sizeof(next)));
  };
  ASSERT_TRUE(this->push(this->here));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_LE(this->cell_of(0).count, 2U) << "what that call itself has sent, and no more";
  EXPECT_GT(this->c.pending, 0U);
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 5U);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Few, WhatIsSentToTheSameWorkerDoesNotOvertakeABatch) {
  // a turn's messages to the own worker stand in the ring behind one of a stranger
  handle_function count = this->counting();
  u64 sent = 0;
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    if (message_of<note>(view).value != 7) return count(handler, state, view, call);
    const note next{++sent, 1};
    EXPECT_TRUE(send_bytes(call, this->here, on_note, &next, sizeof(next)));
  };
  const u64 other = this->w->spawn(cell_type, 2);  // of worker 0, too
  ASSERT_TRUE(this->push(other, 7));
  this->turn_of(*this->w, 0, handle);
  ASSERT_TRUE(this->push(other, 7));
  for (int polls = 0; polls < 4; ++polls) this->poll(handle);
  EXPECT_EQ(this->cell_of(0).count, 2U);  // counting() has looked at their order
}
TYPED_TEST(Few, AReceiverThatIsGoneIsADeadLetter) {
  handle_function handle = this->counting();
  ASSERT_TRUE(this->push(abi::make_ref(0, 2, cell_type, system_number)));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 1U);
  EXPECT_EQ(world::counted(this->c, abi::counter::handled), 0U);
  EXPECT_EQ(this->w->header(cell_type, 0).handled, 0U);
}

TYPED_TEST(Few, ReceiversThatShareAPlaceAreEachKnownByTheirOwnMessages) {
  handle_function handle = this->counting();
  const auto place = [&](u32 index) {
    return &known_place(this->c,
                        word{abi::envelope_lo(index, 1, on_note, abi::words_for(sizeof(note))), 0});
  };
  u32 other = 2;  // worker 0's, too
  while (place(other) != place(0)) other += 2;
  const u64 second = this->w->spawn(cell_type, other);
  for (u64 value = 1; value <= 4; ++value) {
    ASSERT_TRUE(this->push(value % 2 == 0 ? second : this->here, value));
    EXPECT_TRUE(this->poll(handle).handled);
  }
  EXPECT_EQ(this->cell_of(0).sum, 4U);
  EXPECT_EQ(this->cell_of(other).sum, 6U);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Few, WhatIsKnownOfReceiversEndsWithACommand) {
  handle_function handle = this->counting();
  ASSERT_TRUE(this->push(this->here));
  ASSERT_TRUE(this->poll(handle).handled);
  known_receiver* found = nullptr;
  for (known_receiver& one : this->c.known) found = one.lo != 0 ? &one : found;
  ASSERT_NE(found, nullptr);
  known_receiver& known = *found;
  known.slot = reinterpret_cast<char*>(&this->c.nobody);  // as if it had been moved
  ASSERT_TRUE(this->push(this->here));
  ASSERT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->w->dead(), 1U) << "looked up although it was known: then this test says nothing";
  this->w->m.control[0].command = abi::make_command(1, abi::command::run);
  for (int turns = 0; turns < 3; ++turns) this->turn_of(*this->w, 0, handle, 1'000'000'000);
  ASSERT_EQ(this->w->m.control[0].acknowledged, 1U);
  EXPECT_EQ(known.lo, 0U);
  ASSERT_TRUE(this->push(this->here));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->cell_of(0).count, 2U);
  EXPECT_EQ(this->w->dead(), 1U);
}
/// As a warp that polls beside others lands it: behind all that a batch lands. What joins it begins where `in` does.
TYPED_TEST(Few, OneThatLandedAsideIsHandledWithWhatJoinsIt) {
  constexpr u32 words = abi::words_for(sizeof(note));
  const memory& m = this->w->m;
  const u64 hops = std::min<u64>({9, m.in_words / words, m.in_words / 2 - 1});
  handle_function count = this->counting();
  handle_function handle = [&](u32 handler, void* state, const message_view& view,
                               lane_state& call) {
    count(handler, state, view, call);
    const note got = message_of<note>(view);
    const note next{got.seq + 1, got.value * 2};
    if (got.seq > hops) return;
    EXPECT_TRUE(send_bytes(call, call.self, on_note, &next, sizeof(next)));
  };
  ASSERT_TRUE(this->push(this->here));
  const u64 tail = m.tails[0].value;
  const u32 aside = m.in_words + 2 * lone_words;  // the last warp's
  for (u32 k = 0; k < words; ++k) this->c[m.in][aside + k] = m.rings[k];
  handle_few(this->c, m, batch{1, words}, batch_source{batch_source::ring, 0},
             time_of_visit(this->c, 1'000'000), handle, aside);
  EXPECT_EQ(this->cell_of(0).count, hops + 1);
  EXPECT_EQ(this->cell_of(0).sum, (u64{1} << (hops + 1)) - 1) << "each with its own payload";
  EXPECT_EQ(this->c[m.start][1], 0U) << "the first to join";
  EXPECT_EQ(m.tails[0].value, tail) << "none went through the ring";
  EXPECT_EQ(this->c.ring_head, tail);
  EXPECT_EQ(this->w->total(abi::counter::sent), hops);
  EXPECT_EQ(this->w->total(abi::counter::handled), hops + 1);
}

}  // namespace
