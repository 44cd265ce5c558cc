// tests/kernels/amplify_test.cpp - handlers that each send two, in blocks of one and of several groups of lanes.
// Why: no stock holds what doubles, so all that a worker does under pressure happens here, with batches of every width.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// 44 bytes: five words, more than a handler holds back.
struct spark {
  u32 depth;
  u32 fill[10];
};

template <class Kind>
class Amplify : public one_type<Kind> {
 protected:
  static constexpr u32 population = 12;

  static shape little() {
    shape s = one_type<Kind>::base();
    s.workers = 3;
    s.ring_shift = 8;
    s.out_units = 512;
    s.spill_shift = 8 + (Kind::lanes > 32 ? 2 : 0);  // the least that system::start() takes
    s.stall_ns = 20'000;
    return s;
  }
  static std::unique_ptr<world> make_little() {
    const shape s = little();
    auto w =
        std::make_unique<world>(s, std::vector<type_spec>{{sizeof(cell)}},
                                std::vector<abi::handler_entry>{{cell_type, 0, sizeof(spark)}});
    w->template begin_all<typename Kind::block>();
    return w;
  }
  std::unique_ptr<world> w = make_little();
  u64 handled = 0, sent = 0;
  handle_function handle = [this](u32, void*, const message_view& view, lane_state& call) {
    const spark s = message_of<spark>(view);
    ++handled;
    for (const u32 word : s.fill) EXPECT_EQ(word, s.depth) << "torn";
    if (s.depth == 0) return;
    spark next{s.depth - 1, {}};
    for (u32& word : next.fill) word = next.depth;
    for (int i = 0; i < 2; ++i) {
      ++sent;
      send_bytes(call, all[call.random() % population], on_note, &next, sizeof(next));
    }
  };
  std::vector<u64> all;
};
/// A message fits into a batch of each.
using kinds = ::testing::Types<loops<false, 3>, loops<false, 32>, loops<false, 96>,
                               loops<false, 128, true>, loops<true, 3>, loops<true, 32>>;
TYPED_TEST_SUITE(Amplify, kinds, kind_names);

TYPED_TEST(Amplify, ComesToRestWithExactBooks) {
  for (u32 i = 0; i < this->population; ++i) this->all.push_back(this->w->spawn(cell_type, i));
  spark first{10, {}};
  for (u32& word : first.fill) word = first.depth;
  for (u32 i = 0; i < 4; ++i) {
    ASSERT_TRUE(this->w->push(this->all[i], on_note, first));
    ++this->sent;
  }
  u64 now = 1'000'000;
  std::array<bool, 3> whole{};
  for (u32 calm = 0, turns = 0; calm < 8; ++turns, now += 5'000) {
    ASSERT_LT(turns, 100'000U) << "it never comes to rest";
    bool moved = false;
    for (u32 i = 0; i < this->w->m.workers; ++i) {
      // as in entry.cuh: one group of lanes, until a turn is blocked or crowded; then all, until one is idle
      const u32 lanes = this->w->m.lanes;
      typename TestFixture::block b{whole[i] || lanes < 32 ? lanes : 32};
      on_chip& c = *this->w->chips[i];
      c.control_at = 0;
      auto steady = [now] { return now; };
      const progress did = turn(b, c, this->w->m, this->handle, steady);
      whole[i] = whole[i] ? did != progress::idle : did == progress::blocked || c.crowded != 0;
      moved |= did == progress::worked || did == progress::blocked;
    }
    calm = moved ? 0 : calm + 1;
  }
  const u64 lost = this->w->dead();
  EXPECT_EQ(this->w->total(abi::counter::sent) + 4, this->sent);
  EXPECT_EQ(this->sent, this->handled + lost);
  EXPECT_GT(lost, 0U) << "there was room for all: then this says nothing";
}

}  // namespace
