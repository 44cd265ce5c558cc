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
TYPED_TEST(Few, AReceiverThatIsGoneIsADeadLetter) {
  handle_function handle = this->counting();
  ASSERT_TRUE(this->push(abi::make_ref(0, 2, cell_type, system_number)));
  EXPECT_TRUE(this->poll(handle).handled);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 1U);
  EXPECT_EQ(world::counted(this->c, abi::counter::handled), 0U);
  EXPECT_EQ(this->w->header(cell_type, 0).handled, 0U);
}

}  // namespace
