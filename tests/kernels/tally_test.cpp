// tests/kernels/tally_test.cpp - what lanes count in 32 bits on chip arrives whole in the worker's 64-bit counters.
// Why: a system that runs for days counts past 2^32; a lost carry would be found by nobody's books until then.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

TEST(Tally, FoldingKeepsTheCarryOfEachCounterAndEmptiesTheTally) {
  const auto c = std::make_unique<on_chip>();
  u64 expected[abi::counters] = {};
  for (u32 fold = 0; fold < 5; ++fold) {
    for (u32 i = 0; i < abi::counters; ++i) {
      c->tally[i] = 0xffff'ffffU - i * 1'000U - fold;  // the second fold goes past 2^32
      expected[i] += c->tally[i];
    }
    fold_tally(*c);
    for (u32 i = 0; i < abi::counters; ++i) {
      EXPECT_EQ(c->count[i], expected[i]) << "counter " << i << ", fold " << fold;
      EXPECT_EQ(c->tally[i], 0U) << "counter " << i << " would be counted twice";
    }
  }
  EXPECT_GT(expected[abi::counters - 1], u64{1} << 34U);
}

template <class Kind>
class TallyInTheLoop : public one_type<Kind> {
 protected:
  std::unique_ptr<world> w = this->make(this->base());
  on_chip& c = *w->chips[0];
  handle_function handle = this->counting();
  static constexpr u32 unasked = static_cast<u32>(abi::counter::unasked);
  static constexpr u32 batches = static_cast<u32>(abi::counter::batches);
};
TYPED_TEST_SUITE(TallyInTheLoop, all_kinds, kind_names);

TYPED_TEST(TallyInTheLoop, AnAnswerToTheHostHoldsTheCarry) {
  this->c.count[this->unasked] = 0xffff'fff0U;
  this->c.tally[this->unasked] = 0x20;
  abi::control_page& page = this->w->m.control[0];
  page.command = abi::make_command(1, abi::command::run);
  for (int i = 0; i < 3 && page.acknowledged != 1; ++i) this->turn_of(*this->w, 0, this->handle);
  ASSERT_EQ(page.acknowledged, 1U);
  EXPECT_EQ(page.count[this->unasked], 0x1'0000'0010U);
}
TYPED_TEST(TallyInTheLoop, AWorkerThatNobodyAsksFoldsBefore32BitsAreSpent) {
  this->c.count[this->batches] = batches_a_fold - 1;
  this->c.tally[this->unasked] = 0xffff'fff0U;
  ASSERT_TRUE(this->w->push(this->w->spawn(cell_type, 0), on_note, note{1, 1}));
  this->settle(*this->w, this->handle);
  ASSERT_EQ(this->c.count[this->batches], batches_a_fold);
  EXPECT_EQ(this->c.count[this->unasked], 0xffff'fff0U);
  EXPECT_EQ(this->c.tally[this->unasked], 0U);
}

}  // namespace
