// tests/kernels/wide/calls_test.cpp - what a wide handler sends, commits and ends with, its lanes being threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "tests/kernels/wide/team.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct start {
  static constexpr u32 id = 0;
  u32 what;
};
struct note {
  static constexpr u32 id = 1;
  u32 index;
  u32 which;
  u64 fill;
};
struct pulse {
  static constexpr u32 id = 2;
  u32 value[6];
};
/// Over 240 bytes: it travels in a pooled buffer.
struct page {
  static constexpr u32 id = 3;
  u32 number;
  u32 filled[99];
};
/// The receiver of notes and pages, at the other worker.
struct listener {
  template <class M>
  static constexpr u32 handler = M::id == page::id ? 2 : 1;
};
struct talker {
  static constexpr int lanes = 32;
  u64 calls;
};
struct two_groups {
  static constexpr int lanes = 64;
};
constexpr u32 wide_type = 1, small_type = 2, lanes = 32, of_a_page = 77;

struct heard {
  u32 index, which;
  u64 stamp;
};

class Calls : public ::testing::Test {
 protected:
  void make(u32 out_units = 512, u32 buffers = 0, u32 block_lanes = lanes) {
    lanes_ = block_lanes;
    shape s;
    s.buffers = buffers;
    s.buffer_bytes = 512;
    s.workers = 2;
    s.lanes = block_lanes;
    s.ring_shift = 11;
    s.out_units = out_units;
    w = std::make_unique<wide_world>(
        s, std::vector<wide_spec>{{sizeof(talker), block_lanes, 3, 0, true, 0}, {8}},
        std::vector<abi::handler_entry>{{wide_type, start::id, sizeof(start)},
                                        {small_type, note::id, sizeof(note)},
                                        {small_type, page::id, sizeof(page)}});
    w->begin_all<block_loops<false>>();
    for (u32 i : {0U, 2U, 4U}) w->spawn(wide_type, i);  // all at worker 0
    listening = w->spawn(small_type, 1);
  }
  void tell(u32 index, u32 what = 0) {
    ASSERT_TRUE(w->push(abi::make_ref(index, 1, wide_type, system_number), 0, start{what}));
  }
  /// Turns of worker 0 with threads for lanes; then worker 1 listens to what came out of them.
  template <class Block = block_threads, class Body>
  void run(Body body, u32 turns = 3) {
    on_all_lanes<Block>(lanes_, [&](Block b) {
      thread_handle<Body, Block> handle{body};
      auto steady = [] { return u64{1'000'000}; };
      for (u32 i = 0; i < turns; ++i) turn(b, *w->chips[0], w->m, handle, steady);
      put_back(b, *w->chips[0], w->m);
    });
    block_loops<false> b{lanes};
    loop_handle<block_loops<false>> listen;
    listen.small = [&](u32 handler, void*, const message_view& view, lane_state&) {
      if (handler == listener::handler<page>) {
        const page p = message_of<page>(view);
        for (u32 i = 0; i < 99; ++i) EXPECT_EQ(p.filled[i], p.number * 1'000 + i);
        got.push_back({p.number, of_a_page, abi::wire_stamp(view.words[1])});
        return;
      }
      const note n = message_of<note>(view);
      EXPECT_EQ(n.fill, n.index * 1'000'003ULL);
      got.push_back({n.index, n.which, abi::wire_stamp(view.words[1])});
    };
    auto steady = [] { return u64{1'000'000}; };
    for (u32 i = 0; i < 30; ++i) turn(b, *w->chips[1], w->m, listen, steady);
  }
  void expect_rising_stamps() {
    for (std::size_t i = 1; i < got.size(); ++i)
      ASSERT_GT(got[i].stamp, got[i - 1].stamp) << "message " << i;
  }
  static bool whole_is_there(abi::link_end end, u64 number) {
    end.count = number - 1;
    return is_whole(end);
  }
  static note note_of(u32 index, u32 which) { return {index, which, index * 1'000'003ULL}; }

  std::unique_ptr<wide_world> w;
  u64 listening = 0;
  std::vector<heard> got;
  u32 lanes_ = lanes;
};

TEST_F(Calls, ARegionsMessagesComeByRisingIndexAndAllStampsRise) {
  make();
  tell(0);
  run([&](thread_lane& lane, u32, const void*, const abi::landed_messages&) {
    talker me{};
    lane.send<listener>(listening, note_of(1000, 0));
    auto some = [&](talker&, int i, int) {
      if (i % 3 == 1) return;
      for (u32 k = 0; k < 2; ++k) lane.send<listener>(listening, note_of(static_cast<u32>(i), k));
    };
    lane.for_each<70, 0, 0>(me, some);
    lane.send<listener>(listening, note_of(2000, 0));
    lane.for_each<5, 0, 0>(me, some);
    lane.send<listener>(listening, note_of(3000, 0));
  });
  std::vector<std::pair<u32, u32>> want{{1000, 0}};
  const auto add = [&](u32 n) {
    for (u32 i = 0; i < n; ++i) {
      if (i % 3 != 1) want.insert(want.end(), {{i, 0}, {i, 1}});
    }
  };
  add(70);
  want.push_back({2000, 0});
  add(5);
  want.push_back({3000, 0});
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ((std::pair{got[i].index, got[i].which}), want[i]) << "message " << i;
  expect_rising_stamps();
  EXPECT_EQ(w->total(abi::counter::sent), want.size());
}

TEST_F(Calls, WhatARegionSendsBeyondTheOutboxIsCountedAndTheRestKeepsItsOrder) {
  make(64);
  tell(0);
  run([&](thread_lane& lane, u32, const void*, const abi::landed_messages&) {
    talker me{};
    auto all = [&](talker&, int i, int) {
      lane.send<listener>(listening, note_of(static_cast<u32>(i), 0));
    };
    lane.for_each<100, 0, 0>(me, all);
  });
  EXPECT_GT(w->dead(abi::dead_reason::exhausted), 30U);
  EXPECT_EQ(got.size() + w->dead(abi::dead_reason::exhausted), 100U);
  EXPECT_EQ(w->total(abi::counter::sent), 100U);
  for (std::size_t i = 1; i < got.size(); ++i) EXPECT_GT(got[i].index, got[i - 1].index);
  expect_rising_stamps();
}

TEST_F(Calls, WhatAllLanesFillInPlaceIsWholeAndOneEventAndWithoutABufferADeadLetter) {
  make(512, 3, two_groups::lanes);
  tell(0);
  std::atomic<u32> filled{0};
  u64 last = 0;
  run([&](thread_lane& lane, u32, const void*, const abi::landed_messages&) {
    two_groups me{};
    lane.send<listener>(listening, note_of(1000, 0));
    for (u32 number = 1; number <= 4; ++number) {
      const page* made = nullptr;
      const u32 regions = lane.region;
      auto fill = [&](page& m) {
        made = &m;
        auto one = [&](two_groups&) { m.number = number; };
        lane.once(me, one);
        auto own = [&](two_groups&, int i, int) {
          m.filled[i] = number * 1'000 + static_cast<u32>(i);
        };
        lane.keeps_to_groups();  // the block does not meet behind it
        lane.for_each<99, 0, 0>(me, own);
        ++filled;
      };
      lane.send_in_place<listener, page>(number == 2 ? 0 : listening, fill);
      EXPECT_EQ(lane.region, regions) << "random() behind it depends on whether there was a buffer";
      if (lane.block->lane() != 0) continue;  // which has sent it: as a receiver sees it
      for (u32 i = 0; i < 99; ++i) EXPECT_EQ(made->filled[i], number * 1'000 + i);
    }
    lane.send<listener>(listening, note_of(2000, 0));
    lane.send_in_place<listener, page>(listening, [](page&) { FAIL() << "no buffer is left"; });
    if (lane.block->lane() == 0) last = lane.call.stamp;
  });
  EXPECT_EQ(filled.load(), 4 * two_groups::lanes);
  std::vector<std::pair<u32, u32>> seen;
  for (const heard& h : got) seen.emplace_back(h.index, h.which);
  EXPECT_EQ(seen, (std::vector<std::pair<u32, u32>>{
                      {1000, 0}, {1, of_a_page}, {3, of_a_page}, {4, of_a_page}, {2000, 0}}));
  expect_rising_stamps();
  ASSERT_EQ(got.size(), 5U);
  EXPECT_EQ(got[4].stamp, got[0].stamp + 5) << "an event each";
  EXPECT_EQ(last, got[4].stamp + 1);
  EXPECT_EQ(w->dead(abi::dead_reason::null_ref), 1U);
  EXPECT_EQ(w->dead(abi::dead_reason::exhausted), 1U);
  EXPECT_EQ(w->free_buffers(), 3U) << "taken and read, or given back at once";
}

TEST_F(Calls, AStopBeforeInTheBatchLeavesTheLanesOfOneMind) {
  make();
  tell(0, 1);
  tell(2, 2);
  tell(4, 3);
  run([&](thread_lane& lane, u32, const void* message, const abi::landed_messages&) {
    talker me{};
    if (static_cast<const start*>(message)->what == 1) return lane.stop();
    auto all = [&](talker&, int i, int) {
      lane.send<listener>(listening, note_of(static_cast<u32>(i), 0));
    };
    lane.for_each<64, 0, 0>(me, all);
  });
  ASSERT_EQ(got.size(), 128U);
  expect_rising_stamps();
}

TEST_F(Calls, AFailInARegionCountsWhenItEndsWithTheHighestIndexsReason) {
  make();
  tell(0, 1);
  tell(2, 2);
  tell(4, 3);
  run([&](thread_lane& lane, u32, const void* message, const abi::landed_messages&) {
    talker me{};
    const u32 what = static_cast<const start*>(message)->what;
    auto all = [&](talker&, int i, int) {
      lane.send<listener>(listening, note_of(static_cast<u32>(i), what));
      if (i == 50 && what != 3) lane.stop();
      if (i == 33 && what == 2) lane.fail(7);
      if (i == 20 && what == 2) lane.fail(9);
    };
    lane.for_each<64, 0, 0>(me, all);
    lane.send<listener>(listening, note_of(1000, what));
  });
  EXPECT_EQ(got.size(), 3U * 65U) << "what was sent stands, and the handler goes on to its end";
  EXPECT_EQ(w->header(wide_type, 0).status, abi::slot_stopped);
  EXPECT_EQ(w->header(wide_type, 2).status, abi::slot_failed);
  EXPECT_EQ(w->header(wide_type, 4).status, abi::slot_alive);
  EXPECT_EQ(w->total(abi::counter::stopped), 2U);
  EXPECT_EQ(w->total(abi::counter::failed), 1U);
  perdure::runtime::inbound_message m;
  std::vector<std::array<u32, 4>> notes;
  while (w->host_take(0, m)) {
    if (m.kind != abi::host_kind::stopped) continue;
    u32 raw[4];
    std::memcpy(raw, m.payload, sizeof(raw));
    notes.push_back({raw[0], raw[1], raw[2], raw[3]});
  }
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0][2], u32{abi::slot_stopped});
  EXPECT_EQ(notes[1][2], u32{abi::slot_failed});
  EXPECT_EQ(notes[1][3], 7U);
}

TEST_F(Calls, CommitSendsOnceAPortWhereThereIsRoomAndCountsWhatIsLost) {
  make();
  w->link(wide_type, 0, 1, 2, 0, sizeof(pulse));
  for (abi::link_end* end : {&w->end(wide_type, 0, 1, false), &w->end(wide_type, 2, 0, true)})
    end->message = pulse::id;
  for (u32 i = 0; i < 3; ++i) tell(0, i);
  std::array<bool, 9> linked{};
  run(
      [&](thread_lane& lane, u32, const void* message, const abi::landed_messages&) {
        talker me{};
        const u32 what = static_cast<const start*>(message)->what;
        for (u32 port = 0; port < 3; ++port) {
          bool is = false;
          pulse* const out = lane.open<pulse>(port, is);
          if (lane.block->lane() == 0) linked[what * 3 + port] = is;
          auto fill = [&](talker&, int i, int) {
            out->value[i] = what * 100 + static_cast<u32>(i);
          };
          lane.for_each<6, 0, 0>(me, fill);
          lane.commit(port, out);
          auto more = [](talker&, int, int) {};
          lane.for_each<6, 0, 0>(me, more);  // the message is under way
          lane.commit(port, out);
        }
        bool other = true;
        (void)lane.open<note>(1, other);
        EXPECT_FALSE(other) << "the link carries another type";
      },
      4);
  EXPECT_EQ(linked,
            (std::array<bool, 9>{false, true, false, false, true, false, false, false, false}))
      << "room for two";
  const abi::link_end& out = w->end(wide_type, 0, 1, false);
  EXPECT_EQ(out.count, 2U);
  for (u32 n = 0; n < 2; ++n) {
    for (u32 k = 0; k < 2; ++k) {
      const word at = out.words[n * out.words_a_message + k];
      EXPECT_EQ(abi::number_of(at), n + 1);
      EXPECT_EQ(static_cast<u32>(at.lo), n * 100 + 3 * k);
    }
  }
  EXPECT_EQ(w->total(abi::counter::link_lost), 1U) << "the third call found no room";
  EXPECT_EQ(w->total(abi::counter::link_sent), 3U);
  EXPECT_EQ(w->dead(abi::dead_reason::exhausted), 1U);
}

// As above, where messages stay in their links: one that is committed may be its receiver's, so the second one is filled aside.
TEST_F(Calls, WhatIsFilledInItsLinkIsThereWhenItIsCommittedAndNotChangedBehindThat) {
  make();
  w->link(wide_type, 0, 1, 2, 0, sizeof(pulse));
  for (abi::link_end* end : {&w->end(wide_type, 0, 1, false), &w->end(wide_type, 2, 0, true)})
    end->message = pulse::id;
  for (u32 i = 0; i < 3; ++i) tell(0, i);
  std::array<u64, 3> committed{};
  std::array<bool, 3> early{};
  run<whole_threads>(
      [&](auto& lane, u32, const void* message, const abi::landed_messages&) {
        talker me{};
        const u32 what = static_cast<const start*>(message)->what;
        for (u32 round = 0; round < 2; ++round) {
          bool is = false;
          pulse* const out = lane.template open<pulse>(1, is);
          auto fill = [&](talker&, int i, int) {
            out->value[i] = what * 100 + round * 1000 + static_cast<u32>(i);
          };
          lane.template for_each<6, 0, 0>(me, fill);
          if (what == 1) {  // its stamp comes too many events behind the first commit's
            if (round == 0) lane.commit(0, out);
            for (u32 n = 0; n < 40; ++n) (void)lane.now();
          }
          lane.commit(1, out);
          if (round == 0 && lane.block->lane() == 0) committed[what] = lane.call.stamp;
          auto more = [&](talker&, int i, int) {
            const abi::link_end& end = (*lane.chip)[lane.mem->ends][abi::max_ports + 1];
            if (i == 0 && is) early[what] = whole_is_there(end, end.count + 1);
          };
          lane.template for_each<6, 0, 0>(me, more);
          lane.template for_each<6, 0, 0>(me, more);
        }
        bool other = true;
        (void)lane.template open<note>(1, other);
        EXPECT_FALSE(other) << "the link carries another type";
      },
      4);
  const abi::link_end& out = w->end(wide_type, 0, 1, false);
  EXPECT_EQ(out.count, 2U);
  for (u32 n = 0; n < 2; ++n) {
    EXPECT_TRUE(early[n]) << "under way while the next region runs";
    abi::link_end in = out;
    in.count = n;
    ASSERT_TRUE(is_whole(in));
    EXPECT_EQ(stamp_of_whole(in), committed[n]) << "message " << n;
    pulse got{};
    std::memcpy(&got, whole_message(out, n + 1), sizeof(got));
    for (u32 i = 0; i < 6; ++i) EXPECT_EQ(got.value[i], n * 100 + i);
  }
  EXPECT_EQ(w->total(abi::counter::link_lost), 1U) << "the third call found no room";
  EXPECT_EQ(w->total(abi::counter::link_sent), 3U);
}

TEST_F(Calls, AMessageIsStampedWhenItIsCommittedHoweverManyEventsComeBefore) {
  make();
  w->link(wide_type, 0, 1, 2, 0, sizeof(pulse));
  for (abi::link_end* end : {&w->end(wide_type, 0, 1, false), &w->end(wide_type, 2, 0, true)})
    end->message = pulse::id;
  tell(0, 0);
  tell(0, 40);
  std::array<u64, 2> committed{};
  u32 calls = 0;
  run([&](thread_lane& lane, u32, const void* message, const abi::landed_messages&) {
    talker me{};
    const u32 events = static_cast<const start*>(message)->what;
    bool is = false;
    pulse* const out = lane.open<pulse>(1, is);
    auto fill = [&](talker&, int i, int) { out->value[i] = events + static_cast<u32>(i); };
    lane.for_each<6, 0, 0>(me, fill);
    lane.commit(0, out);  // nothing is linked there
    for (u32 n = 0; n < events; ++n) (void)lane.now();
    lane.commit(1, out);
    if (lane.block->lane() == 0) committed[calls++] = lane.call.stamp;
  });
  const abi::link_end& out = w->end(wide_type, 0, 1, false);
  ASSERT_EQ(out.count, 2U);
  ASSERT_EQ(calls, 2U);
  EXPECT_GT(committed[1], committed[0] + 40);
  for (u32 n = 0; n < 2; ++n) {
    const word* at = out.words + n * out.words_a_message;  // six values, then the stamp
    EXPECT_EQ(static_cast<u32>(at[1].hi), n * 40 + 5);
    EXPECT_EQ(at[2].lo, committed[n]) << "message " << n;
  }
}

}  // namespace
