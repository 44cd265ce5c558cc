// tests/kernels/hot_stream_test.cpp - a hot actor's messages straight from the ring, and sends of one lane that all wait for.
// Why: this way leaves out most of a turn, and nobody may be able to tell but by the clock on the wall.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 on_other = 1;  ///< of the same actor, another handler
constexpr u32 on_cold = 2;   ///< of another type
constexpr u32 cold_type = 2, hot_actor = 0;

struct event {
  u32 type, index;
  u64 seq, stamp, wire;  ///< `wire`: the message's own stamp, 56 bits
};
/// Writes down what is handled, and sends what a note asks for: `value` messages, to actors of the other type in turn.
struct writer {
  std::vector<event>* events;
  u32 receivers = 1;
  u64 stops_at = ~u64{0};
  bool does_more = false;  ///< between two sends it has other events, and something for the host

  static bool is_hot(u32 handler) { return handler != on_cold; }
  void operator()(u32, void*, const message_view& view, lane_state& call) const {
    const note n = message_of<note>(view);
    events->push_back({abi::ref_type(call.self), abi::ref_index(call.self), n.seq,
                       call.last_stamp(), abi::wire_stamp(view.words[1])});
    for (u32 i = 0; i < n.value; ++i) {
      const note on{n.seq * 1000 + i, 0};
      send_bytes(call, abi::make_ref(i % receivers, 1, cold_type, system_number), on_cold, &on,
                 sizeof(on));
      if (!does_more) continue;
      const u64 before = call.last_stamp();
      const u64 now = call.now();
      EXPECT_EQ(now, before + 1);
      if (i % 3 == 0) call.log(1, 0, 0, nullptr);
      EXPECT_EQ(call.last_stamp(), now + (i % 3 == 0 ? 1 : 0));
    }
    if (n.seq == stops_at) call.stop();
  }
};

template <class Kind>
class HotStream : public one_type<Kind> {
 protected:
  static shape roomy() {
    shape s = one_type<Kind>::base();
    s.ring_shift = 14;
    s.spill_shift = 14;
    s.host_shift = 9;
    s.claim_slots = 64;
    s.out_units = 2048;
    s.chip_units = 64;
    return s;
  }
  void start(const shape& s, u32 cold) {
    w = std::make_unique<world>(s, std::vector<type_spec>{{sizeof(cell)}, {sizeof(cell)}},
                                std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                                                {cell_type, 1, sizeof(note)},
                                                                {cold_type, 0, sizeof(note)}});
    w->template begin_all<typename Kind::block>();
    hot = w->spawn(cell_type, hot_actor);
    for (u32 i = 0; i < cold; ++i) this->cold.push_back(w->spawn(cold_type, i));
    handle.receivers = cold;
  }
  void push(u64 to, u32 handler, u64 value = 0) {
    ASSERT_TRUE(w->push(to, handler, note{++seq, value}, abi::make_ref(77, 1, cold_type, 0)));
  }
  /// Turns until nothing is left. @return of these, the ones that were left for the stream.
  u32 play() {
    u32 streams = 0;
    for (u32 calm = 0; calm < w->m.host_lane_count + 2;) {
      const bool worked = this->turn_of(*w, 0, handle) == progress::worked;
      streams += w->chips[0]->stream.on;
      calm = worked ? 0 : calm + 1;
    }
    return streams;
  }
  std::vector<u64> seen(u32 type, u32 index) const {
    std::vector<u64> out;
    for (const event& e : events)
      if (e.type == type && e.index == index) out.push_back(e.seq);
    return out;
  }
  static std::vector<u64> numbers(u64 from, u64 to) {
    std::vector<u64> out(to - from + 1);
    std::iota(out.begin(), out.end(), from);
    return out;
  }
  void expect_rising_stamps() const {
    std::map<std::pair<u32, u32>, u64> last;
    for (const event& e : events) {
      u64& before = last[{e.type, e.index}];
      EXPECT_GT(e.stamp, before) << "two events of one actor share a stamp";
      before = e.stamp;
    }
  }
  /// One actor has sent them, numbered in the order in which it did.
  void expect_rising_stamps_of_sends() const {
    std::map<u64, u64> sent;
    for (const event& e : events)
      if (e.type == cold_type) sent[e.seq] = e.wire;
    u64 before = 0;
    for (const auto& [seq, wire] : sent) {
      EXPECT_GT(wire, before) << "two sends of one actor share a stamp";
      before = wire;
    }
  }
  void expect_exact_books() const {
    EXPECT_EQ(seq + w->total(abi::counter::sent), w->total(abi::counter::handled) + w->dead());
  }

  std::unique_ptr<world> w;
  u64 hot = 0, seq = 0;
  std::vector<u64> cold;
  std::vector<event> events;
  writer handle{&events};
};
using stream_kinds = ::testing::Types<loops<false, 8>, loops<false, 32>, loops<false, 96>>;
TYPED_TEST_SUITE(HotStream, stream_kinds, kind_names);

TYPED_TEST(HotStream, HandlesWhatFollowsAHotBatchInOrderAndInFewBatches) {
  this->start(this->roomy(), 1);
  const u32 count = 12 * TypeParam::lanes;
  for (u32 i = 0; i < count; ++i) this->push(this->hot, on_note);
  EXPECT_GT(this->play(), 0U);
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, count));
  EXPECT_EQ(this->w->header(cell_type, hot_actor).handled, count);
  EXPECT_LT(this->w->total(abi::counter::batches), count / TypeParam::lanes);
  this->expect_rising_stamps();
  this->expect_exact_books();
}
TYPED_TEST(HotStream, LeavesOthersToTheNextBatchAndKeepsTheirOrder) {
  this->start(this->roomy(), 3);
  const u32 count = 12 * TypeParam::lanes;
  std::vector<std::vector<u64>> wanted(3);
  std::vector<u64> hers;
  for (u32 i = 1; i <= count; ++i) {
    if (i > 2 * TypeParam::lanes && i % 23 == 0) {
      this->push(this->cold[i % 3], on_cold);
      wanted[i % 3].push_back(i);
    } else {
      this->push(this->hot, on_note);
      hers.push_back(i);
    }
  }
  EXPECT_GT(this->play(), 1U);
  EXPECT_EQ(this->seen(cell_type, hot_actor), hers);
  for (u32 i = 0; i < 3; ++i) EXPECT_EQ(this->seen(cold_type, i), wanted[i]);
  this->expect_rising_stamps();
  this->expect_exact_books();
}
TYPED_TEST(HotStream, PassesNoMessageOfTheSameActorForAnotherHandler) {
  this->start(this->roomy(), 1);
  const u32 count = 12 * TypeParam::lanes;
  for (u32 i = 1; i <= count; ++i)
    this->push(this->hot, i % (2 * TypeParam::lanes + 1) == 0 ? on_other : on_note);
  EXPECT_GT(this->play(), 1U);
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, count));
  this->expect_rising_stamps();
}
TYPED_TEST(HotStream, GoesOnWithAnotherHandlerOfTheSameActor) {
  this->start(this->roomy(), 1);
  const u32 half = 3 * TypeParam::lanes;
  for (u32 i = 0; i < half; ++i) this->push(this->hot, on_note);
  for (u32 i = 0; i < half; ++i) this->push(this->hot, on_other);
  this->play();
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, 2 * half));
  // the first batch, what is left of both halves in parts, and at most one of what did not fit
  EXPECT_LE(this->w->total(abi::counter::batches), 1U + 2 * 3 + 1);
}
TYPED_TEST(HotStream, OfAnActorThatStopsEndsAndTheRestAreDeadLetters) {
  this->start(this->roomy(), 1);
  const u32 count = 8 * TypeParam::lanes;
  this->handle.stops_at = 3 * TypeParam::lanes + 2;
  for (u32 i = 0; i < count; ++i) this->push(this->hot, on_note);
  EXPECT_GT(this->play(), 0U);
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, this->handle.stops_at));
  EXPECT_EQ(this->w->dead(abi::dead_reason::stopped), count - this->handle.stops_at);
  this->expect_exact_books();
}
/// To each receiver in the order sent, on chip and beyond.
TYPED_TEST(HotStream, WhatItSendsKeepsItsOrder) {
  for (const u32 each : {1U, 3U, 5U}) {
    SCOPED_TRACE(each);
    this->cold.clear();
    this->events.clear();
    this->seq = 0;
    this->start(this->roomy(), 3);
    const u32 count = 4 * TypeParam::lanes;
    for (u32 i = 0; i < count; ++i) this->push(this->hot, on_note, each);
    EXPECT_GT(this->play(), 0U);
    for (u32 receiver = 0; receiver < 3; ++receiver) {
      std::vector<u64> wanted;
      for (u32 i = 1; i <= count; ++i)
        for (u32 k = 0; k < each; ++k)
          if (k % 3 == receiver) wanted.push_back(i * 1000 + k);
      EXPECT_EQ(this->seen(cold_type, receiver), wanted);
    }
    EXPECT_EQ(this->w->dead(), 0U);
    this->expect_rising_stamps();
    this->expect_rising_stamps_of_sends();
    this->expect_exact_books();
  }
}
TYPED_TEST(HotStream, WhatElseAHandlerDoesKeepsTheOrderOfItsSendsAndTheirStamps) {
  shape s = this->roomy();
  s.host_shift = 13;
  this->start(s, 3);
  this->handle.does_more = true;
  const u32 count = 4 * TypeParam::lanes;
  for (u32 i = 0; i < count; ++i) this->push(this->hot, on_note, i % 4);
  EXPECT_GT(this->play(), 0U);
  for (u32 receiver = 0; receiver < 3; ++receiver) {
    std::vector<u64> wanted;
    for (u32 i = 0; i < count; ++i)
      if (receiver < i % 4) wanted.push_back((i + 1) * 1000 + receiver);
    EXPECT_EQ(this->seen(cold_type, receiver), wanted);
  }
  this->expect_rising_stamps();
  this->expect_rising_stamps_of_sends();
  this->expect_exact_books();
}
/// What a batch of a turn may send without loss, a part may, too, however many messages it has.
TYPED_TEST(HotStream, APartEndsWhereHalfOfTheOutboxIsInUse) {
  shape s = this->roomy();
  s.out_units = 8 * TypeParam::lanes;
  this->start(s, 2);
  const u32 count = 5 * TypeParam::lanes;
  for (u32 i = 0; i < count; ++i) this->push(this->hot, on_note, 7);
  EXPECT_GT(this->play(), 0U);
  EXPECT_EQ(this->w->dead(), 0U);
  EXPECT_EQ(this->events.size(), count * 8U);
  this->expect_exact_books();
}
TYPED_TEST(HotStream, AnOutboxThatIsSpentLosesOnlyWhatItCounts) {
  shape s = this->roomy();
  s.out_units = 2 * TypeParam::lanes;
  s.chip_units = TypeParam::lanes;
  this->start(s, 2);
  const u32 count = 5 * TypeParam::lanes;
  for (u32 i = 0; i < count; ++i)
    this->push(this->hot, on_note, i % 4 == 0 ? 3 * TypeParam::lanes : 1);
  EXPECT_GT(this->play(), 0U);
  EXPECT_GT(this->w->dead(abi::dead_reason::exhausted), 0U);
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, count));
  this->expect_exact_books();
}
TYPED_TEST(HotStream, ComesToAnEndWhileMessagesDoNot) {
  this->start(this->roomy(), 1);
  const u32 lanes = TypeParam::lanes;
  for (u32 i = 0; i < 3 * lanes; ++i) this->push(this->hot, on_note);
  for (u32 turns = 0; this->w->chips[0]->stream.lo == 0; ++turns) {
    ASSERT_LT(turns, 10U) << "no stream begins";
    this->turn_of(*this->w, 0, this->handle);
  }
  for (u32 i = 0; i < 10 * lanes; ++i) this->push(this->hot, on_note);
  const std::size_t before = this->events.size();
  this->turn_of(*this->w, 0, this->handle);
  EXPECT_EQ(this->w->chips[0]->stream.on, 1U);
  // a part lands words_a_lane words a lane, so a lane and a third of it in notes of three words
  EXPECT_LE(this->events.size() - before, perdure::loop::parts_a_stream * (4 * lanes / 3 + 1));
  EXPECT_GT(this->events.size() - before, 3 * lanes);
}
/// What a poll has landed is one batch, whatever the turn before it was left for.
TYPED_TEST(HotStream, IsNotTakenForWhatAPollHasLanded) {
  this->start(this->roomy(), 1);
  on_chip& c = *this->w->chips[0];
  const memory& m = this->w->m;
  c.stream.on = 1;  // of a turn before
  c.stream.lo = abi::envelope_lo(hot_actor, 1, on_note, abi::words_for(sizeof(note)));
  auto from_host = this->w->lane(0);
  for (u64 i = 1; i <= 2; ++i) {
    const note n{i, 0};
    ASSERT_TRUE(from_host.try_push(this->hot, on_note, 0, 1, &n, sizeof(n)));
  }
  typename TypeParam::block b{m.lanes};
  arrival found;
  found.source = {batch_source::lane, 0};
  found.taken = land(b, c, m, c.lane_head[0], 2, own_lane(c, m, 0));
  ASSERT_EQ(found.taken.messages, 2U);
  auto steady = [] { return u64{1'000'000}; };
  turn(b, c, m, this->handle, steady, found);
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, 2));
}
/// A few messages for one actor, which is not hot: what it sends is staged, too.
TYPED_TEST(HotStream, AFewMessagesOfOneActorSendInOrder) {
  this->start(this->roomy(), 3);
  this->push(this->hot, on_note, 200);
  this->push(this->hot, on_note, 100);
  this->turn_of(*this->w, 0, this->handle);
  EXPECT_EQ(this->w->chips[0]->hot.is_one_chain, 1U) << "nothing is shown";
  this->play();
  for (u32 receiver = 0; receiver < 3; ++receiver) {
    std::vector<u64> wanted;
    for (u64 k = receiver; k < 200; k += 3) wanted.push_back(1000 + k);
    for (u64 k = receiver; k < 100; k += 3) wanted.push_back(2000 + k);
    EXPECT_EQ(this->seen(cold_type, receiver), wanted);
  }
  this->expect_exact_books();
}

/// Off the chip it would take several times as long. As many stay as the lanes can move.
TYPED_TEST(HotStream, AChainThatFillsTheOutboxOnChipLeavesItsRestToTheNextBatch) {
  this->start(this->roomy(), 3);
  for (u32 i = 0; i < 2; ++i) this->push(this->hot, on_note, 40);
  this->turn_of(*this->w, 0, this->handle);
  const bool leaves = TypeParam::lanes >= perdure::loop::lanes_a_deferred;
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, leaves ? 1 : 2));
  EXPECT_EQ(this->w->chips[0]->deferred, leaves ? 1U : 0U);
  this->play();
  EXPECT_EQ(this->seen(cell_type, hot_actor), this->numbers(1, 2));
  for (u32 receiver = 0; receiver < 3; ++receiver) {
    std::vector<u64> wanted;
    for (u64 i = 1; i <= 2; ++i)
      for (u64 k = receiver; k < 40; k += 3) wanted.push_back(1000 * i + k);
    EXPECT_EQ(this->seen(cold_type, receiver), wanted);
  }
  EXPECT_EQ(this->w->total(abi::counter::outbox_overflow) == 0, leaves);
  this->expect_rising_stamps();
  this->expect_rising_stamps_of_sends();
  this->expect_exact_books();
}

/// A message taken apart has all that it had, in as many words.
TEST(MessageRow, ATakenApartMessageHasAllItHad) {
  for (u32 bytes = 0; bytes <= 38; ++bytes) {
    SCOPED_TRACE(bytes);
    const u32 words = abi::words_for(bytes);
    ASSERT_LE(words, row_words);
    unsigned char payload[40] = {};
    for (u32 i = 0; i < bytes; ++i) payload[i] = static_cast<unsigned char>(0xf1 + 37 * i);
    for (const u64 asker :
         {abi::make_ref(0x89abcdef, 0x1234, 200, 0), abi::ask_sender(9), u64{0}}) {
      word at[6] = {};
      at[0] = {abi::envelope_lo(0xfedcba98, 0xffff, 2047, words), asker};
      abi::pack_bytes(at, payload, bytes, 0xaa'5555'5555'5555, words);
      for (u32 k = 0; k < words; ++k) at[k] = abi::tagged(at[k], 77 + k, 4, k == 0);
      const u64 lo = at[0].lo;
      at[words] = {1, 2};
      take_apart(at, words, 7);
      EXPECT_EQ(std::memcmp(at, payload, bytes), 0);
      const u64* numbers = &at[0].lo;
      EXPECT_EQ(numbers[2 * words - asker_from_end], asker);
      EXPECT_EQ(numbers[2 * words - sender_from_end],
                abi::ref_type(asker) == 200 ? asker | u64{7} << 56U : 0);
      EXPECT_EQ(numbers[2 * words - envelope_from_end], lo);
      EXPECT_EQ(at[words].lo, 1U) << "written behind its end";
      EXPECT_EQ(at[words].hi, 2U) << "written behind its end";
    }
  }
}

}  // namespace
