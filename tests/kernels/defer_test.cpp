// tests/kernels/defer_test.cpp - a few messages that come second in a large batch wait for the next one, and lose nothing by it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dispatch/park.cuh"
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 lanes = 32, actors = 40;
/// 240 bytes: the longest message.
struct long_note {
  note front;
  u64 fill[28];
};
static_assert(abi::words_for(sizeof(long_note)) == abi::max_words);
constexpr u32 on_long_note = 1, sink = 63;
enum request : u64 { plain, forwards };

class Defer : public one_type<loops<false, lanes>> {
 protected:
  static shape large_rings() {
    shape s = base();
    s.ring_shift = 9;
    s.host_shift = 9;
    s.claim_slots = 256;  // no two actors share one
    return s;
  }
  void SetUp() override {
    w->begin_all<block>();
    for (u32 i = 0; i < actors; ++i) refs[i] = w->spawn(cell_type, i);
    refs[sink] = w->spawn(cell_type, sink);
  }
  void push(u32 to, u64 value = plain) {
    ASSERT_TRUE(w->push(refs[to], on_note, note{++seq, value}));
  }
  void push_long(u32 to) {
    long_note n{{++seq, plain}, {}};
    for (u64 i = 0; i < 28; ++i) n.fill[i] = seq + i;
    ASSERT_TRUE(w->push(refs[to], on_long_note, n));
  }
  /// 20 actors, one after another, a message each.
  void push_many() {
    for (u32 i = 0; i < 20; ++i) push(i);
  }
  progress turn(u64 now = 1'000'000) { return turn_of(*w, 0, handle, now); }
  const cell& of(u32 actor) { return w->state<cell>(cell_type, actor); }
  const cell& of_sink() { return w->state<cell>(cell_type, abi::ref_index(refs[sink])); }
  u64 handled() { return w->total(abi::counter::handled); }

  std::unique_ptr<world> w =
      std::make_unique<world>(large_rings(), std::vector<type_spec>{{sizeof(cell)}},
                              std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                                              {cell_type, 1, sizeof(long_note)}});
  on_chip& c = *w->chips[0];
  u64 refs[64] = {}, seq = 0;
  handle_function handle = [this](u32 handler, void* state, const message_view& view,
                                  lane_state& call) {
    auto& me = *static_cast<cell*>(state);
    note n;
    if (handler == on_note) {
      n = message_of<note>(view);
    } else {
      const auto l = message_of<long_note>(view);
      for (u64 i = 0; i < 28; ++i) EXPECT_EQ(l.fill[i], l.front.seq + i);
      n = l.front;
    }
    if (n.seq == 0) return;  // it only takes room
    EXPECT_GT(n.seq, me.last_seq) << "handled out of order";
    EXPECT_GT(call.last_stamp(), me.last_stamp) << "two events of one actor share a stamp";
    me.last_seq = n.seq;
    me.last_stamp = call.last_stamp();
    ++me.count;
    if (n.value != forwards) return;
    n.value = plain;
    send_bytes(call, refs[sink], on_note, &n, sizeof(n));
  };
};

TEST_F(Defer, TheSecondMessageOfAnActorIsTheNextBatchsFirst) {
  push_many();
  push(3);
  push(7);
  EXPECT_EQ(turn(), progress::worked);
  EXPECT_EQ(handled(), 20U);
  EXPECT_EQ(c.deferred, 2U);
  EXPECT_EQ(of(3).count, 1U);
  push_many();
  EXPECT_EQ(turn(), progress::worked) << "those of this batch come behind the two, and wait again";
  EXPECT_EQ(handled(), 40U);
  EXPECT_EQ(c.deferred, 2U);
  EXPECT_EQ(of(3).count, 2U);
  EXPECT_EQ(turn(), progress::worked) << "nothing has come, but two are there";
  EXPECT_EQ(handled(), 42U);
  EXPECT_EQ(c.deferred, 0U);
  EXPECT_EQ(of(3).count, 3U);
  EXPECT_EQ(c.ring_head, 42U * abi::words_for(sizeof(note))) << "each word was passed once";
}
TEST_F(Defer, WithStatesInMemoryToo) {
  w->m.state_pitch = 0;
  for (const u32 waiting : {1U, 2U, 0U}) {  // three for one actor are more than 32 lanes move
    push_many();
    push(5);
    turn();
    EXPECT_EQ(c.deferred, waiting);
  }
  settle(*w, handle);
  EXPECT_EQ(handled(), 63U);
  EXPECT_EQ(of(5).count, 6U);
}
TEST_F(Defer, SmallBatchesAndHotOnesDoNotWait) {
  for (u32 i = 0; i < 12; ++i) push(i);
  push(3);
  turn();
  EXPECT_EQ(handled(), 13U) << "13 of 32: the next batch may be a small one";
  push_many();
  for (int i = 0; i < 3; ++i) push(3);
  turn();
  EXPECT_EQ(handled(), 36U) << "three are more than 32 lanes move";
  EXPECT_EQ(c.deferred, 0U);
}
TEST_F(Defer, MessagesKeepTheirLengths) {
  push_long(30);
  for (u32 i = 0; i < 17; ++i) push(i);
  push_long(30);  // 17 notes of 3 words and two of 18: a batch
  turn();
  EXPECT_EQ(handled(), 18U);
  EXPECT_EQ(c.deferred_words, abi::max_words);
  push_long(31);
  for (u32 i = 0; i < 17; ++i) push(i);
  push(30);
  turn();
  EXPECT_EQ(c.deferred_words, abi::words_for(sizeof(note)));
  settle(*w, handle);
  EXPECT_EQ(handled(), 38U);
  EXPECT_EQ(of(30).count, 3U);
}
TEST_F(Defer, ManyLapsKeepOrderAndBooks) {
  for (u32 lap = 0; lap < 400; ++lap) {
    for (u32 i = 0; i < 19; ++i) push((lap * 7 + i * (1 + lap % 2)) % actors);
    turn();
  }
  settle(*w, handle);
  EXPECT_EQ(handled(), seq);
  EXPECT_EQ(w->dead(), 0U);
}
TEST_F(Defer, AWorkerThatParksComesBackWithThem) {
  push_many();
  push_long(3);
  push(4);
  turn();
  ASSERT_EQ(c.deferred, 2U);
  c.state = state_parked;
  block b{lanes};
  leave(b, c, w->m);
  w->forget_chip(0);
  ASSERT_TRUE(come_back(b, c, w->m, 0));
  for (u32 i = 0; i < actors; ++i) c[w->m.order][i % order_places(w->m)] = 0;
  bring_chunks(c, w->m, 0, 1);
  push(3);
  settle(*w, handle);
  EXPECT_EQ(handled(), 23U);
  EXPECT_EQ(of(3).count, 3U);
}
TEST_F(Defer, NoMoreLanesThanThereAreOfThemTakeNothingElse) {
  push_many();
  push(3);
  push(4);
  turn();
  ASSERT_EQ(c.deferred, 2U);
  push(3);
  block two{2};  // as a worker begins that comes back: with fewer lanes than it had
  auto steady = [] { return u64{1'000'000}; };
  perdure::loop::turn(two, c, w->m, handle, steady);
  EXPECT_EQ(handled(), 22U);
  EXPECT_EQ(c.ring_head, 22U * abi::words_for(sizeof(note)));
  settle(*w, handle);
  EXPECT_EQ(of(3).count, 3U);
}
TEST_F(Defer, APollLeavesThemToATurn) {
  push_many();
  push(3);
  turn();
  ASSERT_EQ(c.deferred, 1U);
  push(3);
  block b{lanes};
  const arrival found = poll_once(b, c, w->m, 1'000'000, handle);
  EXPECT_EQ(found.source.from, batch_source::nowhere);
  EXPECT_FALSE(found.handled);
  settle(*w, handle);
  EXPECT_EQ(of(3).count, 3U);
}
TEST_F(Defer, TheyStayWhileTheOutboxWaitsAndComeBeforeWhatWasSpilledMeanwhile) {
  shape s = large_rings();
  s.workers = 2;
  w = std::make_unique<world>(s, std::vector<type_spec>{{sizeof(cell)}},
                              std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                                              {cell_type, 1, sizeof(long_note)}});
  w->begin_all<block>();
  on_chip& mine = *w->chips[0];
  for (u32 i = 0; i < actors; ++i) refs[i] = w->spawn(cell_type, 2 * i);  // of worker 0
  refs[sink] = w->spawn(cell_type, 1);                                    // of worker 1
  u64 blocking = 0;
  while (w->push(refs[sink], on_note, note{0, plain})) ++blocking;
  push_many();
  push(3, forwards);
  push(4);
  turn(1000);  // nothing to deliver yet: what forwards was deferred
  ASSERT_EQ(mine.deferred, 2U);
  for (u32 i = 0; i < 20; ++i) push(i, i == 0 ? forwards : plain);  // 22 with those, 3 and 4 twice
  turn(1000);
  ASSERT_NE(mine.pending, 0U);
  ASSERT_EQ(mine.deferred, 2U) << "3 and 4 once more: those of the batch before came first";
  for (u32 i = 0; i < 10; ++i) push(i);
  turn(1000);
  EXPECT_EQ(w->total(abi::counter::spilled), 10U);
  EXPECT_EQ(mine.deferred, 2U);
  EXPECT_EQ(mine.deferred_words, 2U * abi::words_for(sizeof(note)));
  settle(*w, handle, 1000);
  EXPECT_EQ(handled(), seq + blocking + 2) << "two were forwarded";
  EXPECT_EQ(of_sink().count, 2U);
  EXPECT_EQ(w->dead(), 0U);
}
TEST_F(Defer, ExhaustedAreThoseInTheRingAndNotThose) {
  constexpr u32 other_type = 2, on_other = 2;
  w = std::make_unique<world>(large_rings(), std::vector<type_spec>{{sizeof(cell)}, {sizeof(cell)}},
                              std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                                              {cell_type, 1, sizeof(long_note)},
                                                              {other_type, 2, sizeof(note)}});
  w->begin_all<block>();
  on_chip& mine = *w->chips[0];
  for (u32 i = 0; i < actors; ++i) refs[i] = w->spawn(cell_type, i);
  const u64 other = w->spawn(other_type, 0);
  push_many();
  push(3);
  turn();
  ASSERT_EQ(mine.deferred, 1U);
  ASSERT_TRUE(w->push(other, on_other, note{++seq, plain}));
  block b{lanes};
  exhaust(b, mine, w->m);
  EXPECT_EQ(w->dead(abi::dead_reason::exhausted), 1U);
  EXPECT_EQ(w->total(abi::counter::exhausted_pair) & 0xffU, other_type)
      << "the pair of what was deferred is told in place of the one that was given up";
  settle(*w, handle);
  EXPECT_EQ(of(3).count, 2U);
  EXPECT_EQ(w->state<cell>(other_type, 0).count, 0U);
}

}  // namespace
