// tests/kernels/groups_test.cpp - lanes side by side have one handler, unless that would send a few messages round once more.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 lanes = 32, actors = 40, handlers = 4;

class Groups : public one_type<loops<false, lanes>> {
 protected:
  static constexpr u32 beside = block::side_by_side;
  static shape wide_claims() {
    shape s = base();
    s.ring_shift = 9;
    s.claim_slots = 256;  // no two actors share one
    return s;
  }
  void SetUp() override {
    w->begin_all<block>();
    for (u32 i = 0; i < actors; ++i) refs[i] = w->spawn(cell_type, i);
  }
  /// A batch with so many messages of each handler, mixed, each to another actor.
  void batch_of(std::array<u32, handlers> counts) {
    total = 0;
    for (bool any = true; any;) {
      any = false;
      for (u32 h = 0; h < handlers; ++h) {
        if (counts[h] == 0) continue;
        --counts[h];
        any = true;
        ASSERT_TRUE(w->push(refs[total], h, note{++seq, 0}));
        asked[total++] = h;
      }
    }
    turn_of(*w, 0, handle, 1'000'000);
    EXPECT_EQ(w->total(abi::counter::handled), seq);
  }
  /// Of the batch's places: those in use, each message once.
  u32 places() {
    u32 last = 0;
    std::array<u32, lanes> seen{};
    for (u32 at = 0; at < order_places(w->m); ++at) {
      const u32 n = c[w->m.order][at];
      if (n == nobody) continue;
      EXPECT_LT(n, total);
      ++seen[n];
      last = at + 1;
    }
    for (u32 i = 0; i < total; ++i) EXPECT_EQ(seen[i], 1U) << "message " << i;
    return last;
  }
  /// Runs of places side by side that have more than one handler.
  u32 mixed() {
    u32 found = 0;
    for (u32 at = 0; at + beside <= order_places(w->m); at += beside) {
      u32 mask = 0;
      for (u32 k = 0; k < beside; ++k) {
        const u32 n = c[w->m.order][at + k];
        if (n != nobody) mask |= 1U << asked[n];
      }
      if ((mask & (mask - 1)) != 0) ++found;
    }
    return found;
  }

  std::unique_ptr<world> w = std::make_unique<world>(
      wide_claims(), std::vector<type_spec>{{sizeof(cell)}},
      std::vector<abi::handler_entry>(handlers, {cell_type, 0, sizeof(note)}));
  on_chip& c = *w->chips[0];
  u64 refs[actors] = {}, seq = 0;
  u32 total = 0, asked[lanes] = {};
  handle_function handle = [this](u32 handler, void* state, const message_view& view, lane_state&) {
    const auto n = message_of<note>(view);
    const u32 of_batch = total - static_cast<u32>(seq - n.seq) - 1;
    EXPECT_EQ(handler, asked[of_batch]) << "message " << n.seq << " came to another handler";
    ++static_cast<cell*>(state)->count;
  };
};

TEST_F(Groups, BeginWhereLanesSideBySideBeginIfThereIsRoom) {
  batch_of({5, 6, 1, 7});  // 8 + 8 + 4 + 8 places
  EXPECT_EQ(places(), 27U);
  EXPECT_EQ(mixed(), 0U);
}
TEST_F(Groups, FillTheLanesToTheLastOne) {
  batch_of({8, 8, 4, 12});
  EXPECT_EQ(places(), 32U);
  EXPECT_EQ(mixed(), 0U);
}
TEST_F(Groups, StandCloseWhereGapsWouldCostOneMoreRound) {
  batch_of({9, 9, 5, 9});  // 12 + 12 + 8 + 12 places, 32 messages
  EXPECT_EQ(places(), 32U);
  EXPECT_EQ(mixed(), 3U) << "9, 18 and 23 messages: each border is within a run of lanes";
}
TEST_F(Groups, ABatchBehindOneThatStoodCloseHasGapsAgain) {
  batch_of({9, 9, 5, 9});
  batch_of({1, 1, 1, 1});
  EXPECT_EQ(places(), 13U);
  EXPECT_EQ(mixed(), 0U);
}
TEST(GroupPlaces, ThatNeedMoreThanHalfARoundKeepTheirGaps) {
  // nine groups of a message each, of 32 lanes side by side
  u32 both = 0;
  for (u32 g = 0; g < 9; ++g) both += group_places::of(g + 1, 32);
  const group_places found{both};
  EXPECT_TRUE(found.close(192)) << "288 places are one and a half rounds of 192";
  EXPECT_FALSE(found.close(191));
  EXPECT_FALSE(found.close(288)) << "all fit";
  EXPECT_EQ(found.all(192), 45U);
  EXPECT_EQ(found.all(288), 288U);
  EXPECT_EQ(found.start(group_places::of(31, 32), 192), 31U);
  EXPECT_EQ(found.start(group_places::of(31, 32), 288), 32U);
}
TEST(GroupPlaces, OfTheLargestBatchDoNotOverflow) {
  // most gaps: all groups but one have a single message
  u32 both = group_places::of(1024 - (groups - 1), 32);
  for (u32 g = 1; g < groups; ++g) both += group_places::of(1, 32);
  EXPECT_EQ(both >> 16U, 1024U);
  EXPECT_EQ(both & 0xffffU, 32U * (groups - 1) + 1024U);
  EXPECT_EQ(group_places{both}.all(1024), 2016U) << "nearly two rounds: they keep their gaps";
}

}  // namespace
