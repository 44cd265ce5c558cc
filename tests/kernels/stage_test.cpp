// tests/kernels/stage_test.cpp - what one lane writes down while all others wait becomes the messages that it would have sent.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 cold_type = 2, on_cold = 2;

/// A staged message becomes the words that it has when it is sent at once, whatever stood in its unit before.
template <u32 Bytes, class Payload>
void expect_same_words(world& w, u64 to, Payload payload) {
  SCOPED_TRACE(Bytes);
  on_chip& c = *w.chips[0];
  const u64 self = abi::make_ref(5, 3, cell_type, system_number);
  constexpr u32 words = abi::words_for(Bytes);
  std::memset(c[w.m.out], 0xa5, 2 * unit_words * sizeof(word));
  c.out_top = 0;
  c[w.m.out_count][0] = 0;
  lane_state staged{&c, &w.m, self, 0, 100, 1, 0, 0, abi::slot_alive, 0};
  staged.begin_staging(true);
  EXPECT_TRUE(staged.send(to, on_cold, payload));
  staged.end_staging();
  place_staged_alone(c, w.m);
  lane_state at_once{&c, &w.m, self, 0, 100, 1, 0, 0, abi::slot_alive, 0};
  EXPECT_TRUE(at_once.send(to, on_cold, payload));
  EXPECT_EQ(staged.last_stamp(), at_once.last_stamp());
  const outbox_entry first = entry_at(c, w.m, 0), second = entry_at(c, w.m, 1);
  EXPECT_EQ(first.words, words);
  EXPECT_EQ(second.words, words);
  EXPECT_EQ(first.dst, second.dst);
  EXPECT_EQ(second.offset, first.offset + words);
  for (u32 k = 0; k < words; ++k) {
    EXPECT_EQ(c[w.m.out][k].lo, c[w.m.out][unit_words + k].lo) << k;
    EXPECT_EQ(c[w.m.out][k].hi, c[w.m.out][unit_words + k].hi) << k;
  }
}
TEST(Stage, AStagedMessageBecomesTheWordsOfOneThatIsSentAtOnce) {
  shape s;
  s.workers = 1;
  s.lanes = 1;
  world w(s, {{sizeof(cell)}, {sizeof(cell)}},
          {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(note)}, {cold_type, 0, 38}});
  w.begin_all<loops<true, 1>::block>();
  const u64 to = w.spawn(cold_type, 0);
  unsigned char bytes[40];
  for (u32 i = 0; i < 40; ++i) bytes[i] = static_cast<unsigned char>(0xf1 + 37 * i);
  const auto both = [&]<u32 Bytes>() {
    expect_same_words<Bytes>(w, to, payload_bytes{bytes, Bytes});
    payload_sent<abi::words_for(Bytes), Bytes> sent{};
    std::memcpy(sent.pieces.at, bytes, Bytes);
    expect_same_words<Bytes>(w, to, sent);
  };
  [&]<u32... I>(std::integer_sequence<u32, I...>) {
    (both.template operator()<I + 1>(), ...);
  }(std::make_integer_sequence<u32, 38>{});
}

/// A device stages what is for nobody as well, and finds that out behind.
TEST(Stage, AStagedMessageForNobodyIsADeadLetterAndTheOthersKeepTheirStamps) {
  shape s;
  s.workers = 1;
  s.lanes = 1;
  world w(s, {{sizeof(cell)}, {sizeof(cell)}},
          {{cell_type, 0, sizeof(note)}, {cell_type, 1, sizeof(note)}, {cold_type, 0, 38}});
  w.begin_all<loops<true, 1>::block>();
  on_chip& c = *w.chips[0];
  const u64 to = w.spawn(cold_type, 0);
  const u64 foreign = to ^ u64 { 1 } << 56U;
  lane_state call{
      &c, &w.m, abi::make_ref(5, 3, cell_type, system_number), 0, 100, 1, 0, 0, abi::slot_alive, 0};
  const u64 body = 7;
  const payload_bytes payload{&body, sizeof(body)};
  call.begin_staging(true);
  for (const u64 receiver : {u64{0}, to, foreign, to}) call.next.put(receiver, 0, on_cold, payload);
  call.end_staging();
  EXPECT_EQ(call.last_stamp(), 104U);
  place_staged_alone(c, w.m);
  EXPECT_EQ(w.dead(abi::dead_reason::null_ref), 1U);
  EXPECT_EQ(w.dead(abi::dead_reason::foreign), 1U);
  EXPECT_EQ(w.total(abi::counter::sent), 2U) << "the others count when they are reserved";
  for (const u32 unit : {0U, 2U}) EXPECT_EQ(entry_at(c, w.m, unit).words, 0U);
  for (const u32 unit : {1U, 3U}) {
    EXPECT_EQ(entry_at(c, w.m, unit).words, abi::words_for(sizeof(body)));
    EXPECT_EQ(abi::wire_stamp(c[w.m.out][unit * unit_words + 1]), 101 + unit);
  }
  u32 notes = 0;
  for (u32 unit = 4; unit < outbox_used(c, w.m); ++unit)
    notes += entry_at(c, w.m, unit).words != 0 ? 1 : 0;
  EXPECT_EQ(notes, 2U) << "the host is told behind them";
}

}  // namespace
