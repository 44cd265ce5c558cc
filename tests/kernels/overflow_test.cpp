// tests/kernels/overflow_test.cpp - messages for which nobody waits: carried out in order while there is room, else lost.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

inline constexpr u32 brook_type = 2, on_brook = 1, on_trunk = 2, fuse_type = 3, on_fuse = 3;
/// Travels in a buffer.
struct trunk {
  u64 seq;
  u64 fill[40];
};

template <class Kind>
class Overflow : public one_type<Kind> {
 protected:
  static std::unique_ptr<world> two_types() {
    shape s = one_type<Kind>::base();
    s.workers = 2;
    s.host_lanes = 1;
    s.buffers = 128;
    s.buffer_bytes = 384;
    constexpr auto drops = abi::overflow::drop_newest;
    auto made = std::make_unique<world>(
        s, std::vector<type_spec>{{sizeof(cell)}, {sizeof(cell)}, {sizeof(cell)}},
        std::vector<abi::handler_entry>{{cell_type, 0, sizeof(note)},
                                        {brook_type, 0, sizeof(note), drops},
                                        {brook_type, 1, sizeof(trunk), drops},
                                        {fuse_type, 0, sizeof(note), abi::overflow::fail}});
    made->template begin_all<typename Kind::block>();
    return made;
  }
  std::unique_ptr<world> w = two_types();
  on_chip& c = *w->chips[0];
  typename Kind::block b{w->m.lanes};
  static constexpr u32 words = abi::words_for(sizeof(note)), ring = 64 / words;
  // index 1 lives at worker 1
  const u64 cell_there = abi::make_ref(1, 1, cell_type, system_number);
  const u64 fuse_there = abi::make_ref(1, 1, fuse_type, system_number);
  const u64 brook_there = abi::make_ref(1, 1, brook_type, system_number);

  bool send(u64 to, u64 seq) {
    lane_state call = sender(seq);
    const note n{seq, 7 * seq};
    const u32 handlers[] = {0, on_note, on_brook, on_fuse};
    return send_bytes(call, to, handlers[abi::ref_type(to)], &n, sizeof(n));
  }
  lane_state sender(u64 stamp) {
    return {&c, &w->m, abi::make_ref(0, 1, cell_type, system_number), 0, stamp, 1, 0, 0, 1, 0};
  }
  u32 deliver() {
    reserve(b, c, w->m);
    const u32 left = write(b, c, w->m);
    if (left == 0) clear_outbox(c);
    return left;
  }
  /// All that a worker can take now, in order, by type.
  std::vector<u64> taken_by(u32 worker, u32 type) {
    on_chip& other = *w->chips[worker];
    for (;;) {
      const batch got = land(b, other, w->m, other.ring_head, b.lanes(), own_ring(other, w->m));
      if (got.messages == 0) break;
      for (u32 i = 0; i < got.messages; ++i) {
        const u32 at = other[w->m.start][i];
        note n;
        abi::unpack_bytes(&n, other[w->m.in] + at, sizeof(n), words);
        EXPECT_EQ(n.value, 7 * n.seq) << "torn or overwritten";
        taken[w->m.handlers[abi::handler_of(other[w->m.in][at])].actor].push_back(n.seq);
      }
      other.ring_head += got.words;
    }
    w->m.heads[worker].value = other.ring_head;
    return std::exchange(taken[type], {});
  }
  static std::vector<u64> numbers(u64 from, u64 n) {
    std::vector<u64> out(n);
    std::iota(out.begin(), out.end(), from);
    return out;
  }
  u64 dropped() const { return w->dead(abi::dead_reason::dropped); }
  std::vector<u64> taken[4];
};
TYPED_TEST_SUITE(Overflow, all_kinds, kind_names);

TYPED_TEST(Overflow, WhatFindsNoRoomIsDroppedAndNobodyWaits) {
  constexpr u64 n = 40, ring = TestFixture::ring;  // 120 words into a ring of 64
  for (u64 i = 1; i <= n; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  EXPECT_EQ(this->deliver(), 0U) << "the sender waits";
  EXPECT_EQ(this->dropped(), n - ring);
  EXPECT_EQ(this->w->total(abi::counter::sent), n);
  EXPECT_EQ(this->w->m.tails[1].value, ring * this->words) << "a place that nobody fills";
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(1, ring)) << "the newest are dropped";
  ASSERT_TRUE(this->send(this->brook_there, n + 1));
  EXPECT_EQ(this->deliver(), 0U);
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(n + 1, 1)) << "and then there is room";
}
TYPED_TEST(Overflow, AFullRingTakesNothingMore) {
  constexpr u64 ring = TestFixture::ring;
  for (u64 i = 1; i <= ring; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  this->deliver();
  for (u64 i = 1; i <= 5; ++i) ASSERT_TRUE(this->send(this->brook_there, ring + i));
  EXPECT_EQ(this->deliver(), 0U);
  EXPECT_EQ(this->dropped(), 5U);
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(1, ring)) << "what is queued is kept";
}
TYPED_TEST(Overflow, ATypeThatWaitsLosesNothingBesideOneThatDrops) {
  constexpr u64 n = 30;
  for (u64 i = 1; i <= n; ++i) {
    ASSERT_TRUE(this->send(this->cell_there, i));
    ASSERT_TRUE(this->send(this->brook_there, i));
  }
  u32 left = this->deliver();
  EXPECT_EQ(left, n) << "those that do not wait went first, and filled the ring";
  const u64 carried = TestFixture::ring;
  EXPECT_EQ(this->dropped(), n - carried);
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(1, carried));
  // those that wait have their places: nobody goes past them
  std::vector<u64> cells;
  for (int round = 0; left != 0; ++round) {
    ASSERT_LT(round, 10);
    left = write(this->b, this->c, this->w->m);
    for (u64 seq : this->taken_by(1, cell_type)) cells.push_back(seq);
  }
  EXPECT_EQ(cells, this->numbers(1, n));
  EXPECT_EQ(this->w->total(abi::counter::sent), 2 * n);
  EXPECT_EQ(this->w->dead(), this->dropped());
}
TYPED_TEST(Overflow, PlacesThatWaitLeaveNoRoom) {
  for (u64 i = 1; i <= 25; ++i) ASSERT_TRUE(this->send(this->cell_there, i));
  EXPECT_GT(this->deliver(), 0U);
  on_chip& other = *this->w->chips[1];  // another sender
  lane_state call{&other, &this->w->m, this->brook_there, 0, 1, 1, 0, 0, 1, 0};
  const note n{1, 7};
  ASSERT_TRUE(send_bytes(call, this->brook_there, on_brook, &n, sizeof(n)));
  reserve(this->b, other, this->w->m);
  EXPECT_EQ(write(this->b, other, this->w->m), 0U);
  EXPECT_EQ(this->dropped(), 1U);
  EXPECT_EQ(this->w->m.tails[1].value, 25 * this->words);
}
TYPED_TEST(Overflow, EachDestinationIsSettledByItself) {
  const u64 here = abi::make_ref(0, 1, brook_type, system_number);
  constexpr u64 ring = TestFixture::ring;
  for (u64 i = 1; i <= 30; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  for (u64 i = 1; i <= 10; ++i) ASSERT_TRUE(this->send(here, i));
  EXPECT_EQ(this->deliver(), 0U);
  EXPECT_EQ(this->dropped(), 30 - ring);
  EXPECT_EQ(this->c.own_tail, 10 * this->words) << "later ones must come behind";
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(1, ring));
  EXPECT_EQ(this->taken_by(0, brook_type), this->numbers(1, 10));
}
TYPED_TEST(Overflow, WhatALoneMessageSendsIsDroppedAtOnce) {
  constexpr u64 ring = TestFixture::ring;
  this->c.straight = 1;
  for (u64 i = 1; i <= ring; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  EXPECT_FALSE(this->send(this->brook_there, ring + 1));
  EXPECT_EQ(this->dropped(), 1U);
  EXPECT_EQ(this->w->dead(), 1U);
  EXPECT_EQ(this->c.count[static_cast<u32>(abi::counter::exhausted_pair)], 0U);
  EXPECT_EQ(this->w->total(abi::counter::sent), ring + 1);
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(1, ring));
  ASSERT_TRUE(this->send(this->brook_there, ring + 2));
  EXPECT_EQ(this->taken_by(1, brook_type), this->numbers(ring + 2, 1));
}
TYPED_TEST(Overflow, TheBuffersOfTheLostComeBack) {
  u64 sent = 0;
  for (const bool straight : {false, true}) {
    this->c.straight = straight ? 1 : 0;
    for (u64 i = 0; i < 40; ++i, ++sent) {
      lane_state call = this->sender(i);
      const trunk t{i, {}};
      send_bytes(call, this->brook_there, on_trunk, &t, sizeof(t));
    }
    this->c.straight = 0;
    EXPECT_EQ(this->deliver(), 0U);
    EXPECT_EQ(this->w->free_buffers() + sent - this->w->dead(), 128U);
  }
  EXPECT_EQ(this->dropped(), 80U - 32U) << "a handle takes two words";
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), 0U) << "the pool ran dry";
}
TYPED_TEST(Overflow, TheHostIsToldOfSamplesThatNameSenderReceiverAndReason) {
  for (u64 i = 1; i <= 40; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  this->deliver();
  perdure::runtime::inbound_message got;
  u32 samples = 0;
  for (; this->w->host_take(0, got); ++samples) {
    EXPECT_EQ(got.kind, abi::host_kind::dead_letter);
    EXPECT_EQ(got.sender, abi::make_ref(0, 1, cell_type, 0));
    const u32* note = reinterpret_cast<const u32*>(got.payload);
    EXPECT_EQ(u64{note[1]} << 32U | note[0], this->brook_there);
    EXPECT_EQ(note[2], on_brook);
    EXPECT_EQ(note[3], static_cast<u32>(abi::dead_reason::dropped));
  }
  EXPECT_EQ(samples, 4U);
}
TYPED_TEST(Overflow, ATypeThatFailsHasALetterAndAPairOfItsOwn) {
  constexpr u64 n = 40, ring = TestFixture::ring;
  u64& pair = this->c.count[static_cast<u32>(abi::counter::overflow_pair)];
  for (const u64 time : {1, 2}) {
    this->c.straight = time == 2 ? 1 : 0;
    for (u64 i = 1; i <= n; ++i) this->send(this->fuse_there, i);
    this->c.straight = 0;
    EXPECT_EQ(this->deliver(), 0U);
    EXPECT_EQ(this->w->dead(abi::dead_reason::overflowed), time * (n - ring));
    EXPECT_EQ(this->w->dead(), time * (n - ring));
    EXPECT_EQ(std::exchange(pair, 0), 1U << 16U | cell_type << 8U | fuse_type);
    EXPECT_EQ(this->taken_by(1, fuse_type), this->numbers(1, ring));
  }
}
TYPED_TEST(Overflow, TheHostIsToldOfTheFirstFailureWhateverElseWasReported) {
  constexpr u64 n = 40;
  perdure::runtime::inbound_message got;
  for (const u32 told : {1, 0}) {  // the second time the pair has been named
    this->c.samples = 100;
    for (u64 i = 1; i <= n; ++i) ASSERT_TRUE(this->send(this->fuse_there, i));
    this->deliver();
    u32 notes = 0;
    for (; this->w->host_take(0, got); ++notes) {
      EXPECT_EQ(got.kind, abi::host_kind::dead_letter);
      EXPECT_EQ(reinterpret_cast<const u32*>(got.payload)[3],
                static_cast<u32>(abi::dead_reason::overflowed));
    }
    EXPECT_EQ(notes, told);
    this->taken_by(1, fuse_type);
  }
}
TYPED_TEST(Overflow, ATimerThatFindsNoRoomIsDropped) {
  constexpr u64 ring = TestFixture::ring;
  for (u64 i = 1; i <= ring; ++i) ASSERT_TRUE(this->send(this->brook_there, i));
  this->deliver();
  lane_state call = this->sender(1);
  ASSERT_TRUE(after_bytes(call, 10, this->brook_there, on_brook, note{ring + 1, 0}));
  EXPECT_EQ(fire_timers(this->b, this->c, this->w->m, 1'000, 8), 1U);
  EXPECT_EQ(this->deliver(), 0U);
  EXPECT_EQ(this->dropped(), 1U);
  EXPECT_EQ(this->w->total(abi::counter::sent), ring + 1);
}

}  // namespace
