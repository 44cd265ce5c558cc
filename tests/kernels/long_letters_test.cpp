// tests/kernels/long_letters_test.cpp - messages over 240 bytes to the host: whole, in order among short ones, no buffer lost.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "kernels/dispatch/cut_short.cuh"
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;
using perdure::runtime::inbound_message;

constexpr u32 box = 5, message = 3;
unsigned char byte_of(u32 number, u32 i) { return static_cast<unsigned char>(number * 31 + i * 7); }
/// Of every length: short ones, the longest short one, the shortest long one, long ones of any part's remainder.
u32 bytes_of(u32 number) {
  constexpr u32 some[] = {8, 240, 241, 509, 38, 514, 515, 516, 1'000, 0, 778, 779, 780, 300};
  return some[number % std::size(some)];
}

template <class Kind>
class LongLetters : public one_type<Kind> {
 protected:
  static shape with_buffers(u32 buffers) {
    shape s = one_type<Kind>::base();
    s.buffers = buffers;
    s.buffer_bytes = 1'024;
    return s;
  }
  void use(const shape& s) {
    w = this->make(s);
    c = w->chips[0];
  }
  void SetUp() override { use(with_buffers(64)); }

  lane_state call() {
    return {
        c, &w->m, abi::make_ref(0, 1, cell_type, system_number), 0, 100, 1, 0, 0, abi::slot_alive,
        0};
  }
  std::vector<unsigned char> filled(u32 number) const {
    std::vector<unsigned char> bytes(bytes_of(number) + 1);
    for (u32 i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(number, i);
    return bytes;
  }
  bool send(u32 number, u64 to = abi::make_ref(box, 0, abi::mailbox_type, system_number)) {
    lane_state one = call();
    one.stamp = 100 + number;
    return send_host_bytes(one, to, message, filled(number).data(), bytes_of(number));
  }
  u32 deliver() {
    if (c->straight != 0) {
      reserved_straight(*c, w->m);
    } else {
      reserve(b, *c, w->m);
    }
    return write(b, *c, w->m);
  }
  /// Takes what the host can see; each is the one behind the one before.
  void take() {
    inbound_message got;
    while (w->host_take(0, got)) {
      ++seen;
      ASSERT_EQ(got.kind, abi::host_kind::mailbox);
      EXPECT_EQ(got.index, box);
      EXPECT_EQ(got.message, message);
      EXPECT_EQ(got.wire_clock, 101U + seen) << "out of order";
      for (u32 i = 0; i < bytes_of(seen); ++i)
        ASSERT_EQ(got.bytes()[i], byte_of(seen, i)) << "byte " << i << " of " << seen;
    }
  }
  void take_all(u32 left) {
    for (int round = 0; round < 100; ++round) {
      take();
      if (left == 0) break;
      left = write(b, *c, w->m);
    }
    EXPECT_EQ(left, 0U);
    take();
    clear_outbox(*c);
  }

  std::unique_ptr<world> w;
  on_chip* c = nullptr;
  typename Kind::block b{Kind::lanes};
  u32 seen = 0;
};
TYPED_TEST_SUITE(LongLetters, all_kinds, kind_names);

TYPED_TEST(LongLetters, ReachTheHostWholeAndInOrderAmongShortOnes) {
  u32 sent = 0;
  for (int batch = 0; batch < 12; ++batch) {  // some 2,500 words into a ring of 128
    for (int i = 0; i < 14; ++i) ASSERT_TRUE(this->send(++sent));
    const u32 left = this->deliver();
    EXPECT_GT(left, 0U) << "they wait for room";
    this->take_all(left);
    ASSERT_EQ(this->seen, sent);
    EXPECT_EQ(this->w->free_buffers(), 64U) << "each is given back once it is in the ring";
  }
  EXPECT_EQ(this->w->total(abi::counter::to_host), sent);
  EXPECT_EQ(this->w->dead(), 0U);
}
TYPED_TEST(LongLetters, ThatLieBeyondTheChipGoLikeThoseOnIt) {
  shape s = this->with_buffers(64);
  s.chip_units = 4;
  this->use(s);
  u32 sent = 0;
  for (int i = 0; i < 42; ++i) ASSERT_TRUE(this->send(++sent));
  this->take_all(this->deliver());
  EXPECT_EQ(this->seen, sent);
  EXPECT_EQ(this->w->free_buffers(), 64U);
}
TYPED_TEST(LongLetters, OfALoneMessageKeepTheirPlaceAmongThoseThatAreWritten) {
  this->c->straight = 1;
  u32 sent = 0;
  for (int batch = 0; batch < 6; ++batch) {
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(this->send(++sent));
    this->take_all(this->deliver());
    ASSERT_EQ(this->seen, sent);
  }
  EXPECT_EQ(this->w->free_buffers(), 64U);
  this->c->straight = 0;
  ASSERT_TRUE(this->send(++sent)) << "and the next batch counts its places from the start";
  this->take_all(this->deliver());
  EXPECT_EQ(this->seen, sent);
}
TYPED_TEST(LongLetters, WithoutABufferAreLostAndCounted) {
  this->use(this->with_buffers(2));
  for (u32 n : {2U, 3U}) ASSERT_TRUE(this->send(n));
  EXPECT_FALSE(this->send(5));
  EXPECT_TRUE(this->send(4)) << "a short one needs none";
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), 1U);
  EXPECT_EQ(this->w->total(abi::counter::to_host), 4U);
  this->deliver();
  EXPECT_EQ(this->w->free_buffers(), 2U);
}
TYPED_TEST(LongLetters, ForNobodyOrWithoutRoomInTheOutboxLeaveTheirBufferBehind) {
  EXPECT_FALSE(this->send(2, 0));
  EXPECT_FALSE(this->send(2, abi::make_ref(box, 0, abi::mailbox_type, system_number + 1)));
  EXPECT_EQ(this->w->dead(abi::dead_reason::null_ref), 1U);
  EXPECT_EQ(this->w->dead(abi::dead_reason::foreign), 1U);
  EXPECT_EQ(this->w->free_buffers(), 64U);

  lane_state nobody = this->call();  // the answer to nobody
  const auto bytes = this->filled(8);
  EXPECT_FALSE(reply_bytes(nobody, message, bytes.data(), bytes_of(8)));
  EXPECT_EQ(this->w->total(abi::counter::unasked), 1U);
  EXPECT_EQ(this->w->free_buffers(), 64U);

  while (this->send(4)) {
  }
  const u64 lost = this->w->dead(abi::dead_reason::exhausted);
  EXPECT_FALSE(this->send(2)) << "the outbox is spent";
  EXPECT_EQ(this->w->dead(abi::dead_reason::exhausted), lost + 1);
  EXPECT_EQ(this->w->free_buffers(), 64U);
}
/// As a device's handlers send the last one: it is held, and placed when the handler has ended.
TYPED_TEST(LongLetters, ThatAreHeldAndFindNoRoomGiveTheirBufferBack) {
  const auto hold = [&](u32 number, u32 buffer) {
    lane_state one = this->call();
    one.stamp = 100 + number;
    payload_sent<2, 8> payload{};
    std::memcpy(buffer_at(this->w->m, buffer), this->filled(number).data(), bytes_of(number));
    const u64 handle = publish_buffer(this->w->m, buffer);
    std::memcpy(payload.pieces.at, &handle, sizeof(handle));
    EXPECT_TRUE(
        one.template send_host<true>(abi::make_ref(box, 0, abi::mailbox_type, system_number),
                                     abi::letter_of(message, bytes_of(number)), payload));
    one.place_held();
  };
  hold(1 + 7, take_buffer(this->w->m));
  EXPECT_EQ(this->w->free_buffers(), 63U);
  this->seen = 7;
  this->take_all(this->deliver());
  EXPECT_EQ(this->seen, 8U);
  EXPECT_EQ(this->w->free_buffers(), 64U);

  while (this->send(4)) {
  }
  hold(8, take_buffer(this->w->m));
  EXPECT_EQ(this->w->free_buffers(), 64U);
}
TYPED_TEST(LongLetters, ThatAWorkerStillHasWhenItIsToldToHaltAreWrittenOrCounted) {
  u32 sent = 0;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(this->send(++sent));  // 245 words into 128
  ASSERT_GT(this->deliver(), 0U);
  const u32 there = [&] {
    this->take();
    return this->seen;
  }();
  ASSERT_GT(there, 0U);
  ASSERT_LT(there, sent);
  cut_short(*this->c, this->w->m);
  this->take();
  EXPECT_GT(this->seen, there) << "there was room again";
  EXPECT_EQ(this->seen + this->w->dead(abi::dead_reason::shutdown), sent);
}

}  // namespace
