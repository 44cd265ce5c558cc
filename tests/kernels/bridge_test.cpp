// tests/kernels/bridge_test.cpp - host lanes: order to every receiver, and nobody admitted under pressure.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Bridge : public one_type<Kind> {
 protected:
  static constexpr u32 actors = 7;
  static shape three_workers() {
    shape s = one_type<Kind>::base();
    s.workers = 3;
    s.host_lanes = 4;
    return s;
  }
  std::unique_ptr<world> w = this->make(three_workers());
  u64 refs[actors];
  u64 seq[4][actors] = {};
  handle_function handle = [this](u32, void* state, const message_view& view, lane_state&) {
    auto& c = *static_cast<cell*>(state);
    const note n = message_of<note>(view);
    const u64 from = n.value;
    // each lane's numbers rise on their own: 16 bits a lane in last_seq
    const u64 last = c.last_seq >> 16U * from & 0xffffU;
    EXPECT_EQ(n.seq, last + 1) << "lane " << from;
    c.last_seq += u64{1} << 16U * from;
    ++c.count;
  };
  void SetUp() override {
    for (u32 i = 0; i < actors; ++i) refs[i] = w->spawn(cell_type, i);
  }
  bool push(u32 lane, u32 actor) {
    const note n{seq[lane][actor] + 1, lane};
    if (!w->lane(lane).try_push(refs[actor], on_note, 0, 0, &n, sizeof(n))) return false;
    ++seq[lane][actor];
    return true;
  }
};
TYPED_TEST_SUITE(Bridge, all_kinds, kind_names);

TYPED_TEST(Bridge, ALanesMessagesKeepTheirOrderToEveryReceiver) {
  u64 pushed = 0;
  for (u32 step = 0; step < 600; ++step) {
    const u32 lane = step * 7 % 4;
    const u32 actor = step * 5 % this->actors;
    for (u32 burst = 0; burst <= step % 3; ++burst) pushed += this->push(lane, actor) ? 1 : 0;
    this->turn_of(*this->w, step % 3, this->handle);
  }
  this->settle(*this->w, this->handle);
  EXPECT_GT(pushed, 400U);
  EXPECT_EQ(this->w->total(abi::counter::handled), pushed);
  EXPECT_EQ(this->w->total(abi::counter::from_host), pushed);
  EXPECT_EQ(this->w->total(abi::counter::sent), 0U) << "the host has counted them";
  for (u32 a = 0; a < this->actors; ++a) {
    const u64 seen = this->w->template state<cell>(cell_type, a).last_seq;
    for (u32 l = 0; l < 4; ++l) EXPECT_EQ(seen >> 16U * l & 0xffffU, this->seq[l][a]);
  }
}
TYPED_TEST(Bridge, AFullLaneRefusesUntilTheWorkerHasTakenSome) {
  while (this->push(0, 0)) {
  }
  EXPECT_EQ(this->seq[0][0], 128U / abi::words_for(sizeof(note)));
  EXPECT_FALSE(this->push(0, 3)) << "of the same worker";
  EXPECT_TRUE(this->push(0, 1)) << "the way to another worker has room";
  this->settle(*this->w, this->handle);
  EXPECT_TRUE(this->push(0, 0));
  EXPECT_TRUE(this->push(0, 3));
}
TYPED_TEST(Bridge, NothingIsAdmittedWhileAWorkersSpillIsOverHalf) {
  *this->w->m.pressure = 1;
  ASSERT_TRUE(this->push(0, 0));
  ASSERT_TRUE(this->push(1, 1));
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->total(abi::counter::from_host), 0U);
  *this->w->m.pressure = 0;
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->total(abi::counter::from_host), 2U);
  EXPECT_EQ(this->w->total(abi::counter::handled), 2U);
}
TYPED_TEST(Bridge, AStoppedReceiverMakesADeadLetterOfAHostsMessage) {
  this->w->header(cell_type, 4).status = abi::slot_stopped;
  ASSERT_TRUE(this->push(2, 4));
  ASSERT_TRUE(this->push(2, 5));
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 1U);
  EXPECT_EQ(this->w->total(abi::counter::handled), 1U);
}
TYPED_TEST(Bridge, ALaneThatIsNotInUseYetIsLeftAlone) {
  for (u32 i = 0; i < 3; ++i) this->w->m.control[i].lanes_used = 2;
  ASSERT_TRUE(this->push(1, 2));
  ASSERT_TRUE(this->push(3, 2));
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->total(abi::counter::from_host), 1U);
  for (u32 i = 0; i < 3; ++i) this->w->m.control[i].lanes_used = 4;
  this->settle(*this->w, this->handle);
  EXPECT_EQ(this->w->total(abi::counter::from_host), 2U);
}
TYPED_TEST(Bridge, EveryLaneIsServedThoughOneIsAlwaysFull) {
  for (u32 step = 0; step < 300; ++step) {
    while (this->push(0, 0)) {
    }
    if (step == 10) {
      ASSERT_TRUE(this->push(3, 3));
    }
    this->turn_of(*this->w, 0, this->handle);
    this->turn_of(*this->w, 1, this->handle);
    this->turn_of(*this->w, 2, this->handle);
  }
  EXPECT_EQ(this->w->template state<cell>(cell_type, 3).count, 1U) << "lane 3 waits behind lane 0";
}
/// Else the worker polls, and a poll begins its look anew.
TYPED_TEST(Bridge, ATurnThatHasSeenAHostLaneIsFollowedByAnother) {
  constexpr u32 burst = 20;
  for (u32 i = 0; i < burst; ++i) ASSERT_TRUE(this->push(0, 0));
  u64 taken = 0;
  for (u32 turn = 0; taken < burst; ++turn) {
    ASSERT_LT(turn, 1000U);
    const progress did = this->turn_of(*this->w, 0, this->handle);
    taken = this->w->total(abi::counter::from_host);
    if (did == progress::idle) {
      EXPECT_EQ(this->w->chips[0]->lane_ready, 0U) << taken;
    }
  }
}

/// As on a device, where one warp is the worker until it calls the others.
class PartOfABlock : public one_type<loops<false, 96>> {
 protected:
  static constexpr u32 part = 32;
  std::unique_ptr<world> w = make([] {
    shape s = base();
    s.host_lanes = 1;
    s.host_shift = 10;
    return s;
  }());
  u64 to = w->spawn(cell_type, 0);
  handle_function handle = counting();
  u64 sent = 0;

  void push(u32 messages) {
    for (u32 i = 0; i < messages; ++i) {
      const note n{++sent, 0};
      ASSERT_TRUE(w->lane(0).try_push(to, on_note, 0, 0, &n, sizeof(n)));
    }
  }
  progress turn_of_lanes(u32 lanes) {
    block b{lanes};
    auto steady = [] { return u64{1'000'000}; };
    w->chips[0]->control_at = 0;
    return turn(b, *w->chips[0], w->m, handle, steady);
  }
  u64 taken() const { return w->total(abi::counter::from_host); }
};
TEST_F(PartOfABlock, LeavesAHostLaneThatHasHadMuchToAll) {
  push(120);
  for (u32 turns = 0; taken() < 120; ++turns) {
    ASSERT_LT(turns, 100U);
    turn_of_lanes(w->m.lanes);
  }
  ASSERT_GT(u32{w->chips[0]->lane_want[0]}, part * w->m.lane_words_in)
      << "the last batch was too small";
  push(60);
  progress did = progress::idle;
  for (u32 turns = 0; did != progress::blocked; ++turns) {
    ASSERT_LT(turns, 100U);
    did = turn_of_lanes(part);
    ASSERT_EQ(taken(), 120U);
  }
  EXPECT_EQ(turn_of_lanes(w->m.lanes), progress::worked);
  EXPECT_EQ(taken(), 180U) << "all at once";
}
TEST_F(PartOfABlock, TakesFromAHostLaneThatHasHadLittleItself) {
  push(10);
  for (u32 turns = 0; taken() < 10; ++turns) {
    ASSERT_LT(turns, 100U);
    EXPECT_NE(turn_of_lanes(part), progress::blocked);
  }
}

}  // namespace
