// tests/kernels/hot_part_test.cpp - a part of a hot actor's stream that is landed and taken apart at once.
// Why: what a turn would find and sort is held beside what the ring holds, word by word.
// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 cold_type = 2, on_hers = 0, on_cold = 1;
constexpr u64 local = u64{1} << 40U;  ///< the worker's clock, which stamps on the wire are near to

enum class stranger { none, another_type, another_index, another_life };
/// What stands in the ring: `hers`, then one for somebody else, if so, and as many of hers again.
struct front {
  u32 hers;
  stranger behind = stranger::none;
  bool end_is_missing = false;
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
    u64 &tail = w->m.tails[0].value, &head = w->m.heads[0].value;
    u32 number = 0;
    const auto push = [&](u64 to, u32 handler) {
      payload<Bytes> p{};
      for (u32 i = 0; i < Bytes; ++i) p.at[i] = static_cast<unsigned char>(number * 31 + i);
      // stamps that fall and rise, so that the latest is not the last
      ASSERT_TRUE(w->push(to, handler, p, abi::make_ref(number, 1, cold_type, 0),
                          local + number * 7919 % 1000));
      ++number;
    };
    // the lap before was full of hers; what is there now wraps within the first two messages
    const u64 ring = u64{1} << s.ring_shift, first = 3 * ring - words - 1;
    tail = head = first - ring / words * words;
    while (tail < first) push(hot, on_hers);
    tail = head = c.ring_head = first;
    for (u32 i = 0; i < there.hers; ++i) push(hot, on_hers);
    if (there.behind != stranger::none) {
      push(there.behind == stranger::another_type ? cold
           : there.behind == stranger::another_index
               ? abi::make_ref(1, 1, cell_type, system_number)
               : abi::make_ref(0, 2, cell_type, system_number),
           there.behind == stranger::another_type ? on_cold : on_hers);
      for (u32 i = 0; i < there.hers; ++i) push(hot, on_hers);
    }
    if (there.end_is_missing) w->m.rings[(tail - 1) & (ring - 1)] = {0, 0};
    c.clock = local;
    c.stream.lo = abi::envelope_lo(abi::ref_index(hot), abi::ref_generation(hot), on_hers, words);
    c.deferred = deferred;
    c.deferred_words = 2 * deferred;
    for (u32 i = 0; i < deferred; ++i) c[w->m.start][i] = 2 * i;
    for (u32 i = 0; i < 2 * deferred; ++i) c[w->m.in][i] = {i, ~u64{i}};
  }
  std::vector<char> all_on_chip() const {
    const char* at = reinterpret_cast<const char*>(w->chips[0]);
    return {at, at + w->m.chip_bytes};
  }

  /// That much is taken, in order, each as take_apart() has it; what is deferred stays.
  template <u32 Bytes>
  void expect_taken(const front& there, u32 deferred) {
    constexpr u32 words = abi::words_for(Bytes);
    SCOPED_TRACE(::testing::Message()
                 << Bytes << " bytes, " << there.hers << " hers, stranger "
                 << static_cast<int>(there.behind) << ", deferred " << deferred);
    this->template start<Bytes>(there, deferred);
    on_chip& c = *w->chips[0];
    const memory& m = w->m;
    const u32 most = (m.in_words - 2 * deferred) / words;
    u32 wanted = there.hers - (there.end_is_missing ? 1 : 0);
    wanted = wanted < most ? wanted : most;
    const bool few = wanted < least_of_stream(m) || wanted * 4 < most;
    if (there.behind != stranger::none && few) wanted = 0;
    const std::vector<char> before = all_on_chip();
    typename Kind::block b{m.lanes};
    const landed_part got = land_hers(b, c, m);
    ASSERT_EQ(got.taken.messages, wanted);
    EXPECT_EQ(got.taken.words, wanted * words);
    EXPECT_EQ(got.may_sort, wanted == 0 && there.behind != stranger::none);
    if (wanted == 0) {
      EXPECT_EQ(all_on_chip(), before);
      return;
    }
    EXPECT_EQ(got.others, deferred);
    for (u32 i = 0; i < 2 * deferred; ++i)
      EXPECT_TRUE((c[m.in][i].lo == i && c[m.in][i].hi == ~u64{i}));
    for (u32 i = 0; i < deferred; ++i) EXPECT_TRUE(c[m.start][i] == 2 * i && c[m.late][i] == i);
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
    EXPECT_GE(latest, local);
    EXPECT_EQ(got.clock, merge_clock(local, latest, 0));
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

TYPED_TEST(HotPart, TakesWhatStandsAtTheFrontAndIsHersOrChangesNothing) {
  for (u32 hers = 0; hers <= 3 * TypeParam::lanes; hers += 1 + TypeParam::lanes / 8) {
    this->expect_taken(front{hers});
    for (const stranger one :
         {stranger::another_type, stranger::another_index, stranger::another_life})
      this->expect_taken(front{hers, one});
    if (hers != 0) this->expect_taken(front{hers, stranger::none, true});
  }
}

}  // namespace
