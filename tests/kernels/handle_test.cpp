// tests/kernels/handle_test.cpp - an actor has its messages one after another, in order, and only to who is meant.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;
using perdure::runtime::inbound_message;

template <class Kind>
class Handle : public one_type<Kind> {
 protected:
  static shape roomy() {
    shape s = one_type<Kind>::base();
    s.ring_shift = 7;
    s.claim_slots = 256;
    s.host_lanes = 1;
    return s;
  }
  std::unique_ptr<world> w = this->make(roomy());
  on_chip& c = *w->chips[0];
  u64 a = w->spawn(cell_type, 0);
  u64 z = w->spawn(cell_type, 1);
  u64 seq = 0;
  bool push(u64 to, u64 value = 1, u64 sender = 0, u64 stamp = 0) {
    return w->push(to, on_note, note{++seq, value}, sender, stamp);
  }
  cell& cell_of(u32 index) { return w->template state<cell>(cell_type, index); }
  /// Messages to the host of this kind, in order.
  std::vector<inbound_message> to_host(abi::host_kind kind) {
    std::vector<inbound_message> out;
    inbound_message m;
    while (w->host_take(0, m)) {
      if (m.kind == kind) out.push_back(m);
    }
    return out;
  }
};
TYPED_TEST_SUITE(Handle, all_kinds, kind_names);

TYPED_TEST(Handle, OrderHoldsInsideABatchAndStampsRise) {
  handle_function handle = this->counting();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(this->push(i % 3 == 0 ? this->z : this->a));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 20U);
  EXPECT_EQ(this->cell_of(1).count, 10U);
  EXPECT_EQ(this->w->header(cell_type, 0).handled, 20U);
}
TYPED_TEST(Handle, OneLaneHasAllMessagesOfAnActor) {
  handle_function handle = this->counting();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(this->push(this->a));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(this->push(this->z));
  this->settle(*this->w, handle);
  const u64 rounds = this->w->total(abi::counter::rounds);
  const u64 batches = this->w->total(abi::counter::batches);
  if (TypeParam::block::in_order) {
    const bool few = TypeParam::lanes <= most_few;  // one by one
    EXPECT_EQ(rounds, few ? 8 : batches) << "lanes in order need no chains";
  } else if (TypeParam::lanes == 32) {
    EXPECT_EQ(batches, 1U);
    EXPECT_EQ(rounds, 5U) << "as many as the busiest actor has messages";
  } else {
    EXPECT_GE(rounds, batches);
  }
}
TYPED_TEST(Handle, ActorsThatShareAChainKeepTheirOwnStates) {
  constexpr u32 actors = 20;
  for (const bool on_chip : {true, false}) {
    shape s = this->roomy();
    s.ring_shift = 9;
    s.host_shift = 9;
    s.claim_slots = 2;  // each chain has ten actors
    s.states_on_chip = on_chip;
    auto w = this->make(s);
    handle_function handle = this->counting();
    std::vector<u64> to;
    for (u32 i = 0; i < actors; ++i) to.push_back(w->spawn(cell_type, i));
    std::vector<u64> sent(actors, 0);
    std::vector<u64> sum(actors, 0);
    u32 pick = 1;
    for (u64 n = 1; n <= 120; ++n) {
      pick = pick * 1664525U + 1013904223U;
      const u32 i = (pick >> 24U) % actors;
      ++sent[i];
      sum[i] += n * n;
      ASSERT_TRUE(w->push(to[i], on_note, note{n, n * n}));
    }
    this->settle(*w, handle);
    for (u32 i = 0; i < actors; ++i) {
      const auto& c = w->template state<cell>(cell_type, i);
      EXPECT_EQ(c.count, sent[i]) << "actor " << i << (on_chip ? " on chip" : " in memory");
      EXPECT_EQ(c.sum, sum[i]);
      EXPECT_EQ(w->header(cell_type, i).handled, sent[i]);
    }
  }
}
TYPED_TEST(Handle, AnActorMadeWhileADeadLetterForItsSlotIsHandledStays) {
  handle_function handle = [&](u32, void*, const message_view&, lane_state&) {
    this->w->spawn(cell_type, 9);  // as the host does, without a pause
    this->cell_of(9).sum = 42;
  };
  ASSERT_TRUE(this->push(this->a));
  ASSERT_TRUE(this->push(abi::make_ref(9, 3, cell_type, system_number)));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 1U);
  EXPECT_EQ(this->w->header(cell_type, 9).status, abi::slot_alive);
  EXPECT_EQ(this->cell_of(9).sum, 42U);
}
TYPED_TEST(Handle, AnotherGenerationIsADeadLetter) {
  handle_function handle = this->counting();
  const u64 stale = this->a;
  this->w->spawn(cell_type, 0, 2);
  ASSERT_TRUE(this->push(stale, 1, this->z));
  ASSERT_TRUE(this->push(abi::make_ref(0, 3, cell_type, system_number)));
  ASSERT_TRUE(this->push(abi::make_ref(0, 2, cell_type, system_number)));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 1U);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 2U);
  const auto notes = this->to_host(abi::host_kind::dead_letter);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].sender, this->z & abi::data_mask);
  u64 receiver;
  std::memcpy(&receiver, notes[0].payload, 8);
  EXPECT_EQ(receiver, stale);
}
TYPED_TEST(Handle, AnIndexThatWasNeverSpawnedIsADeadLetter) {
  handle_function handle = this->counting();
  ASSERT_TRUE(this->push(abi::make_ref(9, 1, cell_type, system_number)));
  ASSERT_TRUE(this->push(abi::make_ref(0xfffffff0U, 1, cell_type, system_number)));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 2U);
}
TYPED_TEST(Handle, AnActorThatStopsTakesNothingMoreEvenInTheSameBatch) {
  handle_function handle = [](u32, void* state, const message_view& view, lane_state& call) {
    ++static_cast<cell*>(state)->count;
    if (message_of<note>(view).seq == 2) call.stop();
  };
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(this->push(this->a));
  ASSERT_TRUE(this->push(this->z));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(0).count, 2U);
  EXPECT_EQ(this->cell_of(1).count, 1U) << "its neighbour is untouched";
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), 4U);
  EXPECT_EQ(this->w->total(abi::counter::stopped), 1U);
  EXPECT_EQ(this->w->total(abi::counter::failed), 0U);
  EXPECT_EQ(this->w->header(cell_type, 0).status, abi::slot_stopped);
  EXPECT_EQ(this->w->total(abi::counter::handled) + this->w->dead(), 7U);
}
TYPED_TEST(Handle, TheHostIsToldWhoStoppedAndWhy) {
  handle_function handle = [](u32, void*, const message_view&, lane_state& call) { call.fail(77); };
  ASSERT_TRUE(this->push(this->z));
  this->settle(*this->w, handle);
  const auto notes = this->to_host(abi::host_kind::stopped);
  ASSERT_EQ(notes.size(), 1U);
  u32 words[4];
  std::memcpy(words, notes[0].payload, sizeof(words));
  EXPECT_EQ(words[0] | u64{words[1]} << 32U, this->z);
  EXPECT_EQ(words[2], abi::slot_failed);
  EXPECT_EQ(words[3], 77U);
}
TYPED_TEST(Handle, SendsMadeBeforeFailStand) {
  const u64 next = this->z;
  handle_function handle = [next](u32, void* state, const message_view& view, lane_state& call) {
    ++static_cast<cell*>(state)->count;
    if (call.self == next) return;
    const note n = message_of<note>(view);
    send_bytes(call, next, on_note, &n, sizeof(n));
    send_bytes(call, next, on_note, &n, sizeof(n));
    call.fail(1);
  };
  ASSERT_TRUE(this->push(this->a));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->cell_of(1).count, 2U);
  EXPECT_EQ(this->w->total(abi::counter::failed), 1U);
}
TYPED_TEST(Handle, AnAskToAStoppedActorIsToldSo) {
  handle_function handle = this->counting();
  this->w->header(cell_type, 0).status = abi::slot_stopped;
  ASSERT_TRUE(this->push(this->a, 1, abi::ask_sender(4711)));
  this->settle(*this->w, handle);
  const auto down = this->to_host(abi::host_kind::receiver_down);
  ASSERT_EQ(down.size(), 1U);
  EXPECT_EQ(down[0].index, 4711U);
}
TYPED_TEST(Handle, AReplyGoesToItsAskAndNowhereElse) {
  handle_function handle = [](u32, void*, const message_view& view, lane_state& call) {
    const note n = message_of<note>(view);
    call.reply(6, payload_bytes{&n, sizeof(n)});
    EXPECT_EQ(call.sender(), n.value == 2 ? abi::make_ref(1, 1, cell_type, system_number) : 0);
  };
  ASSERT_TRUE(this->push(this->a, 1, abi::ask_sender(5)));
  ASSERT_TRUE(this->push(this->a, 2, this->z));  // from an actor: nobody asked
  ASSERT_TRUE(this->push(this->a, 3));           // from a host's send
  this->settle(*this->w, handle);
  const auto replies = this->to_host(abi::host_kind::reply);
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].index, 5U);
  EXPECT_EQ(replies[0].message, 6U);
  EXPECT_EQ(this->w->total(abi::counter::replies), 1U);
  EXPECT_EQ(this->w->total(abi::counter::unasked), 2U);
}
TYPED_TEST(Handle, EventsComeAfterEverythingTheBatchBrought) {
  const u64 ahead = stamp_at(50'000'000'000);
  handle_function handle = [&](u32, void*, const message_view& view, lane_state& call) {
    EXPECT_GT(call.last_stamp(), abi::wire_stamp(view.words[1]));
    if (message_of<note>(view).value == 2) {
      EXPECT_GT(call.now(), ahead);
    }
  };
  ASSERT_TRUE(this->push(this->a, 2, 0, ahead));
  ASSERT_TRUE(this->push(this->z, 1, 0, 5));
  this->settle(*this->w, handle);
  EXPECT_EQ(this->w->total(abi::counter::handled), 2U);
}
TYPED_TEST(Handle, TheCallUnderWayCanBeSeenAndIsGoneAfterwards) {
  bool seen = false;
  handle_function handle = [&](u32, void*, const message_view&, lane_state&) {
    for (u32 i = 0; i < this->w->m.lanes; ++i)
      seen |= this->w->m.in_flight[i] == (u64{on_note} + 1) << 32U;
  };
  ASSERT_TRUE(this->push(this->a));
  this->settle(*this->w, handle);
  EXPECT_TRUE(seen);
  for (u32 i = 0; i < this->w->m.lanes; ++i) EXPECT_EQ(this->w->m.in_flight[i], 0U);
}
TYPED_TEST(Handle, RandomNumbersDependOnTheActorAndItsMessagesOnly) {
  std::vector<u64> drawn[2];
  handle_function handle = [&](u32, void*, const message_view&, lane_state& call) {
    drawn[abi::ref_index(call.self)].push_back(call.random());
    drawn[abi::ref_index(call.self)].push_back(call.random());
  };
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(this->push(this->a));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(this->push(this->z));
  this->settle(*this->w, handle);
  auto again = this->make(this->roomy());
  again->spawn(cell_type, 0);
  again->spawn(cell_type, 1);
  const std::vector<u64> first[2] = {std::move(drawn[0]), std::move(drawn[1])};
  drawn[0].clear();
  drawn[1].clear();
  for (int i = 0; i < 4; ++i) {  // another interleaving
    ASSERT_TRUE(again->push(this->z, on_note, note{1, 1}));
    ASSERT_TRUE(again->push(this->a, on_note, note{1, 1}));
  }
  this->settle(*again, handle);
  for (int k : {0, 1}) {
    EXPECT_EQ(first[k], drawn[k]);
    EXPECT_EQ(first[k].size(), 8U);
  }
  EXPECT_NE(first[0], first[1]);
}

/// All actors in one claim: slower, but nothing else changes.
TEST(HandleClaims, ActorsThatShareAClaimAreAllHandledInOrder) {
  shape s;
  s.lanes = 32;
  s.ring_shift = 7;
  s.claim_slots = 1;
  world w{s, {{sizeof(cell)}}, {{cell_type, 0, sizeof(note)}}};
  w.begin_all<block_loops<false>>();
  for (u32 i = 0; i < 10; ++i) w.spawn(cell_type, i);
  u64 handled = 0;
  handle_function handle = [&](u32, void* state, const message_view& view, lane_state&) {
    auto& c = *static_cast<cell*>(state);
    const note n = message_of<note>(view);
    EXPECT_GT(n.seq, c.last_seq);
    c.last_seq = n.seq;
    ++handled;
  };
  for (u64 i = 1; i <= 40; ++i) {
    ASSERT_TRUE(w.push(abi::make_ref(static_cast<u32>(i * 7 % 10), 1, cell_type, system_number),
                       on_note, note{i, 0}));
  }
  for (int i = 0; i < 10; ++i) {
    block_loops<false> b{s.lanes};
    auto steady = [] { return u64{1}; };
    turn(b, *w.chips[0], w.m, handle, steady);
  }
  EXPECT_EQ(handled, 40U);
}

TEST(HandleClaims, AreMadeAnewWhenTheirRoundsAreSpent) {
  shape s;
  s.lanes = 8;
  world w{s, {{sizeof(cell)}}, {{cell_type, 0, sizeof(note)}}};
  w.begin_all<block_loops<false>>();
  const u64 actor = w.spawn(cell_type, 0);
  on_chip& c = *w.chips[0];
  u64 seen = 0;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state&) {
    EXPECT_EQ(message_of<note>(view).seq, ++seen);
  };
  c.claim_round = 4;  // near the end of their numbers
  bool anew = false;
  for (u64 i = 1; i <= 60; ++i) {
    ASSERT_TRUE(w.push(actor, on_note, note{i, 0}));
    if (i % 6 != 0) continue;
    const u32 before = c.claim_round;
    c.stream = {};  // one that goes on makes no claims
    block_loops<false> b{s.lanes};
    auto steady = [] { return u64{1}; };
    while (turn(b, c, w.m, handle, steady) == progress::worked) {
    }
    anew |= c.claim_round > before;
  }
  EXPECT_EQ(seen, 60U);
  EXPECT_TRUE(anew);
}

}  // namespace
