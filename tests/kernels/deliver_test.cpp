// tests/kernels/deliver_test.cpp - outbox, reserve and write: every place is written once, when its room has come.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Deliver : public one_type<Kind> {
 protected:
  static shape two_workers() {
    shape s = one_type<Kind>::base();
    s.workers = 2;
    s.host_lanes = 1;
    return s;
  }
  std::unique_ptr<world> w = this->make(two_workers());
  on_chip& c = *w->chips[0];
  typename Kind::block b{w->m.lanes};
  static constexpr u32 words = abi::words_for(sizeof(note));

  lane_state call_of(u64 seq) {
    return {&c, &w->m,     abi::make_ref(0, 1, cell_type, system_number),
            0,  100 + seq, 1,
            0,  0,         abi::slot_alive,
            0};
  }
  bool send(u64 to, u64 seq) {
    lane_state call = call_of(seq);
    const note n{seq, 7 * seq};
    return send_bytes(call, to, on_note, &n, sizeof(n));
  }
  /// To `there`, as a device sends a short message: its words in registers, one unit of the outbox.
  void send_short(u64 seq) {
    lane_state call = call_of(seq);
    payload_sent<words, sizeof(note)> payload{};
    const note n{seq, 7 * seq};
    std::memcpy(payload.pieces.at, &n, sizeof(n));
    call.template send<true>(there, on_note, payload);
    call.place_held();
  }
  u32 deliver() {
    reserve(b, c, w->m);
    return write(b, c, w->m);
  }
  /// All that worker 1 can take now, in order; `tell`: senders hear at once that the words were taken.
  std::vector<u64> taken_by_1(bool tell) {
    on_chip& other = *w->chips[1];
    std::vector<u64> out;
    for (;;) {
      const batch got = land(b, other, w->m, other.ring_head, b.lanes(), own_ring(other, w->m));
      if (got.messages == 0) break;
      for (u32 i = 0; i < got.messages; ++i) {
        note n;
        abi::unpack_bytes(&n, other[w->m.in] + other[w->m.start][i], sizeof(n), words);
        EXPECT_EQ(n.value, 7 * n.seq) << "torn or overwritten";
        out.push_back(n.seq);
      }
      other.ring_head += got.words;
    }
    if (tell) w->m.heads[1].value = other.ring_head;
    return out;
  }
  const u64 there = abi::make_ref(1, 1, cell_type, system_number);  // index 1 lives at worker 1
};
TYPED_TEST_SUITE(Deliver, all_kinds, kind_names);

TYPED_TEST(Deliver, AReservationBeyondTheRoomWaitsAndOverwritesNothing) {
  constexpr u64 n = 40;  // 120 words into a ring of 64
  for (u64 i = 1; i <= n; ++i) ASSERT_TRUE(this->send(this->there, i));
  u32 left = this->deliver();
  EXPECT_EQ(left, n - 64 / this->words) << "what has room is written, the rest waits";
  std::vector<u64> all;
  for (int round = 0; left != 0; ++round) {
    ASSERT_LT(round, 10);
    EXPECT_EQ(write(this->b, this->c, this->w->m), left)
        << "nothing was taken, so nothing may be written";
    for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
    left = write(this->b, this->c, this->w->m);
  }
  for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
  ASSERT_EQ(all.size(), n);
  for (u64 i = 0; i < n; ++i) EXPECT_EQ(all[i], i + 1) << "order of a pair";
}
TYPED_TEST(Deliver, ShortMessagesFillTheOutboxOnChipAndBeyondToItsLastUnitAndNoFurther) {
  constexpr u64 too_many = 9;
  const u64 n = this->w->m.out_units;
  for (u64 i = 1; i <= n + too_many; ++i) this->send_short(i);
  EXPECT_EQ(this->c.out_top, n) << "what found no room is as if it had not been sent";
  EXPECT_EQ((this->c[this->w->m.out_count][1]), n * this->words);
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), too_many);
  EXPECT_EQ(this->w->total(abi::counter::outbox_overflow), n - this->w->m.chip_units);
  // nor is there room for one of several units
  EXPECT_FALSE(place_message(this->c, this->w->m, 1, 3 * unit_words));
  u32 left = this->deliver();
  std::vector<u64> all;
  for (int round = 0; left != 0; ++round) {
    ASSERT_LT(round, 20);
    for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
    left = write(this->b, this->c, this->w->m);
  }
  for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
  ASSERT_EQ(all.size(), n);
  for (u64 i = 0; i < n; ++i) EXPECT_EQ(all[i], i + 1) << "order of a pair";
}
TYPED_TEST(Deliver, FullInboxRefusesAndKeepsOrder) {
  for (u64 i = 1; i <= 21; ++i) ASSERT_TRUE(this->send(this->there, i));
  ASSERT_EQ(this->deliver(), 0U);
  clear_outbox(this->c);
  ASSERT_TRUE(this->send(this->there, 22));
  EXPECT_EQ(this->deliver(), 1U) << "63 of 64 words are in use";
  std::vector<u64> all = this->taken_by_1(false);
  EXPECT_EQ(all.size(), 21U);
  EXPECT_EQ(write(this->b, this->c, this->w->m), 1U) << "not told yet that there is room";
  this->w->m.heads[1].value = this->w->chips[1]->ring_head;
  EXPECT_EQ(write(this->b, this->c, this->w->m), 0U);
  all = this->taken_by_1(true);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0], 22U);
}
TYPED_TEST(Deliver, TwoSendersInterleaveByBatchAndEachKeepsItsOrder) {
  on_chip& second = *this->w->chips[1];
  std::map<u64, u64> last;
  u64 seq[2] = {0, 0};
  for (int step = 0; step < 50; ++step) {
    for (u32 k = 0; k < 2; ++k) {
      on_chip& from = k == 0 ? this->c : second;
      for (int i = 0; i < 3; ++i) {
        lane_state call{
            &from, &this->w->m, abi::make_ref(k, 1, cell_type, system_number), 0, 1, 1, 0, 0, 1, 0};
        const u64 number = (u64{k} << 32U) + ++seq[k];
        const note n{number, 7 * number};
        ASSERT_TRUE(send_bytes(call, this->there, on_note, &n, sizeof(n)));
      }
      reserve(this->b, from, this->w->m);
      ASSERT_EQ(write(this->b, from, this->w->m), 0U);
      clear_outbox(from);
    }
    for (u64 number : this->taken_by_1(true)) {
      const u64 k = number >> 32U;
      EXPECT_EQ(number & 0xffffffffU, ++last[k]);
    }
  }
  EXPECT_EQ(last[0], 150U);
  EXPECT_EQ(last[1], 150U);
}
TYPED_TEST(Deliver, AnOutboxGoesOnFromChipToMemory) {
  for (u64 i = 1; i <= 60; ++i)
    ASSERT_TRUE(
        this->send(i % 2 == 0 ? this->there : abi::make_ref(0, 1, cell_type, system_number), i));
  EXPECT_EQ(this->w->total(abi::counter::outbox_overflow), 60U - 16U) << "16 units are on chip";
  u32 left = this->deliver();
  EXPECT_EQ(this->c.count[static_cast<u32>(abi::counter::sent)], 60U);
  std::vector<u64> all = this->taken_by_1(true);
  left = write(this->b, this->c, this->w->m);
  for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
  ASSERT_EQ(all.size(), 30U);
  for (u64 i = 0; i < 30; ++i) EXPECT_EQ(all[i], 2 * (i + 1));
  EXPECT_EQ(left, 30U - 21U) << "those to this worker itself wait for its own ring";
}
TYPED_TEST(Deliver, ASpentOutboxMakesACountedDeadLetterNamingThePair) {
  u64 placed = 0;
  while (this->send(this->there, placed + 1)) ++placed;
  EXPECT_EQ(placed, this->w->m.out_units);
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), 1U);
  EXPECT_EQ(this->c.count[static_cast<u32>(abi::counter::exhausted_pair)],
            1U << 16U | cell_type << 8U | cell_type);
  reserve(this->b, this->c, this->w->m);
  EXPECT_EQ(this->w->total(abi::counter::sent), placed + 1) << "the lost one counts as sent, too";
}
TYPED_TEST(Deliver, ANullOrForeignReferenceIsACountedDeadLetter) {
  EXPECT_FALSE(this->send(0, 1));
  EXPECT_FALSE(this->send(abi::make_ref(1, 1, cell_type, system_number + 1), 2));
  EXPECT_EQ(this->w->dead(abi::dead_reason::null_ref), 1U);
  EXPECT_EQ(this->w->dead(abi::dead_reason::foreign), 1U);
  this->deliver();
  EXPECT_EQ(this->w->total(abi::counter::sent), 2U);
  EXPECT_EQ(this->taken_by_1(true).size(), 0U);
}
TYPED_TEST(Deliver, TheHostRingWaitsForTheHostAndKeepsOrder) {
  constexpr u64 n = 60;  // 180 words and more into 128
  for (u32 i = 1; i <= n; ++i) {
    const u32 raw[4] = {i, 2 * i, 3 * i, 4 * i};
    ASSERT_TRUE(post_to_host(this->c, this->w->m, abi::host_kind::log, i, 0, i, raw));
  }
  u32 left = this->deliver();
  EXPECT_GT(left, 0U);
  EXPECT_EQ(this->w->total(abi::counter::sent), 0U)
      << "notes to the host are no messages to actors";
  u32 seen = 0;
  for (int round = 0; round < 10; ++round) {
    perdure::runtime::inbound_message got;
    while (this->w->host_take(0, got)) EXPECT_EQ(got.index, ++seen);
    left = write(this->b, this->c, this->w->m);
  }
  EXPECT_EQ(seen, n);
  EXPECT_EQ(left, 0U);
}

TYPED_TEST(Deliver, WhatALoneMessageSendsKeepsItsOrderWhenTheRingFillsUp) {
  constexpr u64 n = 40;  // 120 words into a ring of 64: the last ones have to wait
  this->c.straight = 1;
  for (u64 i = 1; i <= n; ++i) ASSERT_TRUE(this->send(this->there, i));
  EXPECT_EQ(this->w->total(abi::counter::sent), n);
  std::vector<u64> all = this->taken_by_1(true);
  EXPECT_EQ(all.size(), 64 / this->words) << "those with room are there before the batch ends";
  reserved_straight(this->c, this->w->m);
  u32 left = write(this->b, this->c, this->w->m);
  for (int round = 0; round < 10; ++round) {
    for (u64 seq : this->taken_by_1(true)) all.push_back(seq);
    left = write(this->b, this->c, this->w->m);
  }
  EXPECT_EQ(left, 0U);
  ASSERT_EQ(all.size(), n);
  for (u64 i = 0; i < n; ++i) EXPECT_EQ(all[i], i + 1) << "order of a pair";
  // and the next batch counts its offsets from the start
  clear_outbox(this->c);
  this->c.straight = 0;
  ASSERT_TRUE(this->send(this->there, n + 1));
  EXPECT_EQ(this->deliver(), 0U);
  EXPECT_EQ(this->taken_by_1(true), std::vector<u64>{n + 1});
}
TYPED_TEST(Deliver, ALoneMessageThatSpendsTheOutboxLosesOnlyWhatIsCounted) {
  this->c.straight = 1;
  const u64 ring = 64 / this->words;
  const u64 most = ring + this->w->m.out_units;
  u64 placed = 0;
  while (placed < most + 5 && this->send(this->there, placed + 1)) ++placed;
  EXPECT_EQ(placed, most);
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), 1U);
  EXPECT_EQ(this->w->total(abi::counter::sent), placed + 1) << "the lost one counts as sent, too";
}

}  // namespace
