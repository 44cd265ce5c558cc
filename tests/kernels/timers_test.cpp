// tests/kernels/timers_test.cpp - ctx.after(): by due time, then by the order of the calls, and never silently lost.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Timers : public one_type<Kind> {
 protected:
  std::unique_ptr<world> w = this->make(this->base());
  on_chip& c = *w->chips[0];
  u64 actor = w->spawn(cell_type, 0);
  u64 to = actor;
  std::vector<u64> fired;
  /// Notes numbered from 1,000 set a timer of `value` ns that carries the number less 1,000; others are the timers.
  handle_function handle = [this](u32, void*, const message_view& view, lane_state& call) {
    const note n = message_of<note>(view);
    if (n.seq < 1'000) {
      fired.push_back(n.seq);
      return;
    }
    after_bytes(call, n.value, to, on_note, note{n.seq - 1'000, 0});
  };
  void set(u64 number, u64 delay_ns, u64 now = 100) {
    ASSERT_TRUE(w->push(actor, on_note, note{1'000 + number, delay_ns}));
    this->settle(*w, handle, now);
  }
};
TYPED_TEST_SUITE(Timers, all_kinds, kind_names);

TYPED_TEST(Timers, FireWhenDueAndNotBefore) {
  this->set(1, 50);
  this->settle(*this->w, this->handle, 149);
  EXPECT_TRUE(this->fired.empty());
  this->settle(*this->w, this->handle, 150);
  EXPECT_EQ(this->fired, std::vector<u64>{1});
  this->settle(*this->w, this->handle, 1'000);
  EXPECT_EQ(this->fired.size(), 1U) << "once";
}
TYPED_TEST(Timers, FireInTheOrderOfDueTimeThenOfTheCalls) {
  this->set(1, 300);
  this->set(2, 100);
  this->set(3, 200);
  this->set(4, 100);
  this->set(5, 0);
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_EQ(this->fired, (std::vector<u64>{5, 2, 4, 3, 1}));
}
TYPED_TEST(Timers, AFullTableIsACountedDeadLetter) {
  for (u64 i = 1; i <= 11; ++i) this->set(i, 500);  // eight fit
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), 3U);
  EXPECT_EQ(this->w->total(abi::counter::timers_set), 8U);
  EXPECT_EQ(this->w->total(abi::counter::sent), 3U) << "the lost ones count as sent";
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_EQ(this->fired.size(), 8U);
  EXPECT_EQ(this->w->total(abi::counter::timers_fired), 8U);
  EXPECT_EQ(this->w->total(abi::counter::sent) + 11,
            this->w->total(abi::counter::handled) + this->w->dead());
}
TYPED_TEST(Timers, SlotsAreUsedAgain) {
  for (u64 i = 1; i <= 100; ++i) {
    this->set(i, 10, 100 * i);
    this->settle(*this->w, this->handle, 100 * i + 50);
  }
  EXPECT_EQ(this->fired.size(), 100U);
  EXPECT_EQ(this->c.timer_top, this->w->m.timer_capacity);
  EXPECT_EQ(this->c.timer_due, ~u64{0});
}
TYPED_TEST(Timers, ToNobodyOrToAnotherSystemBecomeDeadLettersWhenDue) {
  this->to = 0;
  this->set(1, 50);
  this->to = abi::make_ref(0, 1, cell_type, system_number + 1);
  this->set(2, 60);
  EXPECT_EQ(this->w->dead(), 0U);
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_EQ(this->w->dead(abi::dead_reason::null_ref), 1U);
  EXPECT_EQ(this->w->dead(abi::dead_reason::foreign), 1U);
  EXPECT_EQ(this->w->total(abi::counter::sent) + 2,
            this->w->total(abi::counter::handled) + this->w->dead());
}
TYPED_TEST(Timers, ManyDueAtOnceDoNotSpendTheOutbox) {
  shape small = this->base();
  small.timer_capacity = 64;
  small.out_units = 16;  // each takes one
  small.lanes = std::min(small.lanes, 8U);
  this->w = this->make(small);
  this->actor = this->to = this->w->spawn(cell_type, 0);
  for (u64 i = 1; i <= 60; ++i) this->set(i, 500);
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_EQ(this->fired.size(), 60U);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Timers, AVeryLongDelayDoesNotWrapAround) {
  this->set(1, ~u64{0} - 50);
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_TRUE(this->fired.empty()) << "a delay past the end of time fired at once";
}
TYPED_TEST(Timers, ATimerIsAnEventAfterTheCallThatSetIt) {
  u64 set_at = 0;
  u64 fired_at = 0;
  this->handle = [&](u32, void*, const message_view& view, lane_state& call) {
    const note n = message_of<note>(view);
    if (n.seq >= 1'000) {
      after_bytes(call, 10, this->actor, on_note, note{1, 0});
      for (int i = 0; i < 50; ++i) set_at = call.now();
    } else {
      fired_at = abi::wire_stamp(view.words[1]);
      EXPECT_GT(call.last_stamp(), fired_at);
    }
  };
  this->set(1, 10);
  this->settle(*this->w, this->handle, 10'000);
  EXPECT_GT(fired_at, set_at);
}

/// A timer whose message lies in a pooled buffer gives it back, however the message ends.
struct large {
  unsigned char bytes[300];
};
TEST(TimerBuffers, AreGivenBackWhenTheReceiverIsNobody) {
  shape s;
  s.lanes = 8;
  s.buffers = 4;
  s.buffer_bytes = 384;
  world w{s, {{sizeof(cell)}}, {{cell_type, 0, sizeof(large)}, {cell_type, 1, sizeof(note)}}};
  w.begin_all<block_loops<false>>();
  const u64 actor = w.spawn(cell_type, 0);
  handle_function handle = [&](u32 handler, void*, const message_view& view, lane_state& call) {
    if (handler == 0) return;
    const u64 to = message_of<note>(view).seq == 1 ? actor : 0;
    const u32 buffer = take_buffer(*call.mem);
    ASSERT_NE(buffer, ~0U);
    const u64 published = publish_buffer(*call.mem, buffer);
    call.after(10, to, 0, payload_bytes{&published, sizeof(published)});
  };
  for (u64 round = 0; round < 6; ++round) {
    ASSERT_TRUE(w.push(actor, 1, note{round % 2, 0}));
    for (u64 turns = 0; turns < 4; ++turns) {
      block_loops<false> b{s.lanes};
      auto steady = [&] { return 1'000 * (round * 4 + turns + 1); };
      turn(b, *w.chips[0], w.m, handle, steady);
    }
    EXPECT_EQ(w.free_buffers(), 4U) << "after round " << round;
  }
  EXPECT_EQ(w.dead(abi::dead_reason::null_ref), 3U);
}

}  // namespace
