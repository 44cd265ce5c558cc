// tests/kernels/hot_part_test.cpp - a part of a hot actor's stream that is landed and taken apart at once, beside what the ring holds.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 cold_type = 2, on_hers = 0, on_cold = 1;
constexpr u64 local = u64{1} << 40U;  ///< what stamps on the wire are near to

/// What stands in the ring: `hers`, one for somebody else if `stranger`, and as many of hers again.
struct front {
  u32 hers;
  bool stranger = false, end_is_missing = false;
};

template <class Kind>
class HotPart : public ::testing::Test {
 protected:
  template <u32 Bytes>
  struct payload {
    unsigned char at[Bytes];
  };

  /// @param deferred  messages that the batch before has left.
  template <u32 Bytes>
  void start(const front& there, u32 deferred) {
    constexpr u32 words = abi::words_for(Bytes);
    shape s;
    s.lanes = Kind::lanes;
    s.ring_shift = 12;
    s.claim_slots = 64;
    w = std::make_unique<world>(
        s, std::vector<type_spec>{{sizeof(cell)}, {sizeof(cell)}},
        std::vector<abi::handler_entry>{{cell_type, 0, Bytes}, {cold_type, 0, Bytes}});
    w->template begin_all<typename Kind::block>();
    const u64 hot = w->spawn(cell_type, 0), cold = w->spawn(cold_type, 0);
    on_chip& c = *w->chips[0];
    const u64 first = 4'000;  // not at the ring's beginning, so that it wraps
    w->m.tails[0].value = w->m.heads[0].value = c.ring_head = first;
    u32 number = 0;
    const auto push = [&](u64 to, u32 handler) {
      payload<Bytes> p{};
      for (u32 i = 0; i < Bytes; ++i) p.at[i] = static_cast<unsigned char>(number * 31 + i);
      // stamps that fall and rise, so that the latest is not the last
      ASSERT_TRUE(w->push(to, handler, p, abi::make_ref(number, 1, cold_type, 0),
                          local + number * 7919 % 1000));
      ++number;
    };
    for (u32 i = 0; i < there.hers; ++i) push(hot, on_hers);
    if (there.stranger) push(cold, on_cold);
    for (u32 i = 0; there.stranger && i < there.hers; ++i) push(hot, on_hers);
    const u64 mask = (u64{1} << w->m.ring_shift) - 1;
    if (there.end_is_missing) w->m.rings[(w->m.tails[0].value - 1) & mask] = {0, 0};
    c.stream.lo = abi::envelope_lo(abi::ref_index(hot), abi::ref_generation(hot), on_hers, words);
    c.deferred = deferred;
    c.deferred_words = 2 * deferred;
    for (u32 i = 0; i < deferred; ++i) c[w->m.start][i] = 2 * i;
    for (u32 i = 0; i < 2 * deferred; ++i) c[w->m.in][i] = {i, ~u64{i}};
  }

  /// That much is taken, in order, each as take_apart() has it, and nothing else is touched.
  template <u32 Bytes>
  void expect_taken(const front& there, u32 deferred) {
    constexpr u32 words = abi::words_for(Bytes);
    SCOPED_TRACE(::testing::Message() << Bytes << " bytes, " << there.hers << " hers, stranger "
                                      << there.stranger << ", deferred " << deferred);
    this->template start<Bytes>(there, deferred);
    on_chip& c = *w->chips[0];
    const memory& m = w->m;
    const u32 most = (m.in_words - 2 * deferred) / words;
    u32 wanted = there.hers - (there.end_is_missing ? 1 : 0);
    wanted = wanted < most ? wanted : most;
    if (wanted < least_of_stream(m) || wanted * 4 < most) wanted = 0;
    typename Kind::block b{m.lanes};
    const landed_part got = land_hers(b, c, m, local);
    ASSERT_EQ(got.taken.messages, wanted);
    EXPECT_EQ(got.taken.words, wanted * words);
    for (u32 i = 0; i < 2 * deferred; ++i) EXPECT_EQ(c[m.in][i].hi, ~u64{i});
    if (wanted == 0) return;
    EXPECT_EQ(got.others, deferred);
    u64 latest = 0;
    for (u32 n = 0; n < wanted; ++n) {
      word as_it_came[row_words];
      for (u32 k = 0; k < words; ++k)
        as_it_came[k] = m.rings[(c.ring_head + n * words + k) & ((u64{1} << m.ring_shift) - 1)];
      latest = std::max(latest, abi::stamp_from_wire(abi::wire_stamp(as_it_came[1]), local));
      take_apart(as_it_came, words, m.system);
      const u32 at = c[m.start][deferred + n];
      EXPECT_EQ(at, 2 * deferred + n * words);
      EXPECT_EQ(std::memcmp(c[m.in] + at, as_it_came, words * sizeof(word)), 0) << n;
    }
    EXPECT_EQ(got.received, latest);
    for (u32 i = 0; i < deferred; ++i) EXPECT_EQ(c[m.late][i], i);
  }

  void expect_taken(const front& there) {
    const u32 most_deferred_here = std::min(most_deferred, Kind::lanes / lanes_a_deferred);
    for (const u32 deferred : {0U, most_deferred_here}) {
      this->template expect_taken<4>(there, deferred);
      this->template expect_taken<20>(there, deferred);
      this->template expect_taken<38>(there, deferred);
    }
  }

  std::unique_ptr<world> w;
};
using part_kinds = ::testing::Types<loops<false, 3>, loops<false, 8>, loops<false, 96>>;
TYPED_TEST_SUITE(HotPart, part_kinds, kind_names);

TYPED_TEST(HotPart, TakesWhatStandsAtTheFrontAndIsHers) {
  for (u32 hers = 0; hers <= 3 * TypeParam::lanes; hers += 1 + TypeParam::lanes / 8) {
    this->expect_taken(front{hers});
    this->expect_taken(front{hers, true});
    if (hers != 0) this->expect_taken(front{hers, false, true});
  }
}
TYPED_TEST(HotPart, TakesNothingOfAnEmptyRingOrOneThatBeginsWithAStranger) {
  this->expect_taken(front{0});
  this->expect_taken(front{0, true});
}

}  // namespace
