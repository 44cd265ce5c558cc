// tests/kernels/pressure_test.cpp - a worker that cannot deliver makes room for others, and loses only when it must.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// Worker 0 forwards everything to an actor of worker 1, which does not run unless the test lets it.
template <class Kind>
class Pressure : public one_type<Kind> {
 protected:
  static shape two_workers() {
    shape s = one_type<Kind>::base();
    s.workers = 2;
    return s;
  }
  std::unique_ptr<world> w = this->make(two_workers());
  on_chip& c = *w->chips[0];
  u64 relay = w->spawn(cell_type, 0);
  u64 sink = w->spawn(cell_type, 1);
  u64 pushed = 0, handled_by_relay = 0, blocking = 0;
  handle_function handle = [this](u32, void* state, const message_view& view, lane_state& call) {
    auto& cell_of = *static_cast<cell*>(state);
    const note n = message_of<note>(view);
    EXPECT_GT(n.seq, cell_of.last_seq) << "order was lost on the way";
    cell_of.last_seq = n.seq;
    ++cell_of.count;
    if (call.self == relay) {
      ++handled_by_relay;
      send_bytes(call, sink, on_note, &n, sizeof(n));
    }
  };

  /// Fills the ring of worker 1, so that nothing can be delivered there.
  void block_sink() {
    while (w->push(sink, on_note, note{1, 0})) ++blocking;
    w->state<cell>(cell_type, 1).last_seq = 0;
  }
  bool push() {
    if (!w->push(relay, on_note, note{pushed + 100, 0})) return false;
    ++pushed;
    return true;
  }
  progress turn0(u64 now) { return this->turn_of(*w, 0, handle, now); }
  u64 spilled() { return w->total(abi::counter::spilled); }
  /// Pushes until ring, spill and outbox of worker 0 hold all they can.
  void spend_everything(u64 now) {
    for (int i = 0; i < 2'000; ++i) {
      push();
      turn0(now);
    }
    ASSERT_FALSE(push()) << "the ring still moves";
  }
  u64 sent() { return pushed + blocking + w->total(abi::counter::sent); }
  u64 handled_and_dead() { return w->total(abi::counter::handled) + w->dead(); }
  /// Lets worker 1 run; its actor ignores what blocked it, which all carried number 1.
  void unblock_and_settle(u64 now) {
    handle_function tolerant = [this](u32 h, void* state, const message_view& view,
                                      lane_state& call) {
      if (message_of<note>(view).seq != 1) handle(h, state, view, call);
    };
    this->settle(*w, tolerant, now);
  }
};
TYPED_TEST_SUITE(Pressure, all_kinds, kind_names);

TYPED_TEST(Pressure, ABlockedWorkerEmptiesItsRingIntoItsSpill) {
  this->block_sink();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(this->push());
    this->turn0(1000);
    this->turn0(1000);
  }
  EXPECT_GT(this->spilled(), 0U);
  EXPECT_EQ(this->w->dead(), 0U);
  EXPECT_LT(this->handled_by_relay, 20U) << "no batch is taken while the outbox is not empty";
}
TYPED_TEST(Pressure, OrderHoldsFromRingThroughSpillToHandler) {
  this->block_sink();
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(this->push());
    this->turn0(1000);
  }
  ASSERT_GT(this->spilled(), 0U);
  for (int i = 0; i < 10; ++i) this->push();  // these lie in the ring, behind the spill
  this->unblock_and_settle(1000);
  EXPECT_EQ(this->w->template state<cell>(cell_type, 1).count, this->pushed);
  EXPECT_EQ(this->sent(), this->handled_and_dead());
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(Pressure, NothingIsLostBeforeTheStallTimeHasPassed) {
  this->block_sink();
  this->spend_everything(5'000);
  for (u64 now : {5'001U, 5'500U, 5'999U}) {
    EXPECT_EQ(this->turn0(now), progress::blocked);
    EXPECT_EQ(this->w->dead(), 0U) << "at " << now;
  }
  EXPECT_EQ(this->turn0(6'000), progress::worked);
  EXPECT_GT(this->w->dead(abi::dead_reason::exhausted), 0U);
  EXPECT_EQ(this->w->dead(), this->w->dead(abi::dead_reason::exhausted));
  this->unblock_and_settle(6'000);
  EXPECT_EQ(this->sent(), this->handled_and_dead())
      << "every message was handled or is a counted dead letter";
}
TYPED_TEST(Pressure, TheReserveIsUsedToTheLastPlaceBeforeItIsSpent) {
  this->block_sink();
  this->spend_everything(5'000);
  this->turn0(5'001);
  EXPECT_LT(spill_room(this->c, this->w->m), abi::words_for(sizeof(note)));
  EXPECT_EQ(this->w->m.heads[0].value, this->c.ring_head)
      << "a sender waits for places that have been passed";
}
TYPED_TEST(Pressure, AMoveOfTheOutboxStartsTheStallTimeAnew) {
  this->block_sink();
  this->spend_everything(5'000);
  // the receiver takes a little, once
  handle_function nothing = [](u32, void*, const message_view&, lane_state&) {};
  for (int i = 0; i < 8; ++i) this->turn_of(*this->w, 1, nothing, 5'500);
  this->turn0(5'900);  // delivers what has room now
  for (int i = 0; i < 2'000; ++i) {
    this->push();
    this->turn0(5'900);
  }
  this->turn0(6'500);
  EXPECT_EQ(this->w->dead(), 0U) << "it moved at 5,900, so 6,500 is too early";
  this->turn0(6'899);
  EXPECT_EQ(this->w->dead(), 0U);
  this->turn0(6'900);
  EXPECT_GT(this->w->dead(), 0U);
}
TYPED_TEST(Pressure, IsReportedOverHalfASpillAndTakenBack) {
  this->block_sink();
  u64 seen = 0;
  for (int i = 0; i < 200 && seen == 0; ++i) {
    this->push();
    this->turn0(1000);
    seen = *this->w->m.pressure;
    const u64 words = this->c.spill_tail - this->c.spill_head;
    EXPECT_EQ(seen, words * 2 > 256 ? 1U : 0U) << words << " words in the spill";
  }
  EXPECT_EQ(seen, 1U);
  this->unblock_and_settle(1000);
  EXPECT_EQ(*this->w->m.pressure, 0U);
}
TYPED_TEST(Pressure, ExhaustedNamesThePairOfTypes) {
  this->block_sink();
  this->spend_everything(1'000);
  this->turn0(9'000);
  EXPECT_EQ(this->c.count[static_cast<u32>(abi::counter::exhausted_pair)], 1U << 16U | cell_type)
      << "from a host";
}

}  // namespace
