// tests/kernels/take_test.cpp - the step "take" lands whole ready messages and nothing else.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

template <class Kind>
class Take : public one_type<Kind> {
 protected:
  std::unique_ptr<world> w = this->make(this->base());
  on_chip& c = *w->chips[0];
  typename Kind::block b{w->m.lanes};
  u64 to = w->spawn(cell_type, 0);
  u64 seq = 0;

  bool push() {
    if (!w->push(to, on_note, note{seq + 1, 2 * seq})) return false;
    ++seq;
    return true;
  }
  batch land_all() { return land(b, c, w->m, c.ring_head, b.lanes(), own_ring(c, w->m)); }
  u64 seq_of(u32 message) {
    note n;
    abi::unpack_bytes(&n, c[w->m.in] + c[w->m.start][message], sizeof(n),
                      abi::words_for(sizeof(n)));
    return n.seq;
  }
  static constexpr u32 words = abi::words_for(sizeof(note));
  /// Notes that fit into what one batch lands.
  u32 fitting() const { return std::min(w->m.in_words / words, w->m.lanes); }
};
TYPED_TEST_SUITE(Take, all_kinds, kind_names);

TYPED_TEST(Take, AnEmptyRingGivesNothing) {
  const batch got = this->land_all();
  EXPECT_EQ(got.messages, 0U);
  EXPECT_EQ(got.words, 0U);
}
TYPED_TEST(Take, TakesNoMoreThanOneMessageALaneAndWhatLands) {
  while (this->push()) {
  }
  const batch got = this->land_all();
  const u32 in_ring = (64U / this->words);
  EXPECT_EQ(got.messages, std::min(this->fitting(), in_ring));
  EXPECT_EQ(got.words, got.messages * this->words);
  for (u32 i = 0; i < got.messages; ++i) EXPECT_EQ(this->seq_of(i), i + 1);
}
TYPED_TEST(Take, StopsBeforeAWordThatIsNotThere) {
  ASSERT_TRUE(this->push());
  ASSERT_TRUE(this->push());
  ASSERT_TRUE(this->push());
  this->w->m.rings[this->words + 1] = word{0, 0};  // in the middle of the second message
  const batch got = this->land_all();
  EXPECT_EQ(got.messages, 1U);
  EXPECT_EQ(got.words, this->words);
}
TYPED_TEST(Take, AMessageWhoseFirstWordIsLateHidesTheOnesBehindIt) {
  ASSERT_TRUE(this->push());
  ASSERT_TRUE(this->push());
  const word kept = std::exchange(this->w->m.rings[0], word{0, 0});
  EXPECT_EQ(this->land_all().messages, 0U);
  this->w->m.rings[0] = kept;
  const batch got = this->land_all();
  ASSERT_GE(got.messages, 1U);
  EXPECT_EQ(this->seq_of(0), 1U);
}
TYPED_TEST(Take, AWordOfTheLapBeforeIsNotTaken) {
  for (int lap = 0; lap < 2; ++lap) {
    while (this->push()) {
    }
    for (batch got = this->land_all(); got.messages != 0; got = this->land_all()) {
      advance_ring(this->c, this->w->m, got.words);
    }
    this->w->m.heads[0].value = this->c.ring_head;  // told in full
    EXPECT_EQ(this->c.ring_head, this->w->m.tails[0].value);
    EXPECT_EQ(this->land_all().messages, 0U) << "an old lap was taken for new";
  }
}
TYPED_TEST(Take, KeepsOrderAndContentOverManyLaps) {
  u64 taken = 0;
  std::vector<u64> before(4, 0);
  for (int step = 0; step < 2'000; ++step) {
    this->push();
    if (step % 3 != 0) this->push();
    const batch got = this->land_all();
    for (u32 i = 0; i < got.messages; ++i) ASSERT_EQ(this->seq_of(i), ++taken) << "step " << step;
    advance_ring(this->c, this->w->m, got.words);
  }
  EXPECT_GT(this->c.count[static_cast<u32>(abi::counter::wraps)], 20U);
}
TYPED_TEST(Take, TellsTheSendersByEighthsAndNeverMoreThanItTook) {
  const u64 eighth = (u64{1} << this->w->m.ring_shift) / 8;
  for (int step = 0; step < 200; ++step) {
    this->push();
    const batch got = this->land_all();
    advance_ring(this->c, this->w->m, got.words);
    const u64 told = this->w->m.heads[0].value;
    ASSERT_LE(told, this->c.ring_head);
    ASSERT_LT(this->c.ring_head - told, eighth);
  }
}
TYPED_TEST(Take, ASpillIsReadUpToItsTail) {
  ASSERT_TRUE(this->push());
  ASSERT_TRUE(this->push());
  word* spill = own_spill(this->c, this->w->m);
  std::copy_n(this->w->m.rings, 2 * this->words, spill);
  const batch one = land(this->b, this->c, this->w->m, 0, this->b.lanes(),
                         words_spilled(spill, this->w->m.spill_shift, this->words));
  EXPECT_EQ(one.messages, 1U);
  const batch part = land(this->b, this->c, this->w->m, 0, this->b.lanes(),
                          words_spilled(spill, this->w->m.spill_shift, this->words - 1));
  EXPECT_EQ(part.messages, 0U);
}

}  // namespace
