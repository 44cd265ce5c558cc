// tests/kernels/buffers_test.cpp - pooled buffers: each has one owner, and none is lost.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "tests/kernels/kinds.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct large {
  u64 number;
  unsigned char bytes[392];
};
large make_large(u64 number) {
  large out{number, {}};
  for (u32 i = 0; i < sizeof(out.bytes); ++i)
    out.bytes[i] = static_cast<unsigned char>(number * 31 + i);
  return out;
}

class Buffers : public ::testing::Test {
 protected:
  static shape eight_buffers() {
    shape s;
    s.lanes = 8;
    s.buffers = 8;
    s.buffer_bytes = 512;
    return s;
  }
  world w{eight_buffers(), {{sizeof(cell)}}, {{cell_type, 0, sizeof(large)}}};
  void SetUp() override { w.begin_all<block_loops<false>>(); }
  void run(handle_function& handle) {
    for (int i = 0; i < 20; ++i) {
      block_loops<false> b{w.m.lanes};
      auto steady = [] { return u64{1'000}; };
      turn(b, *w.chips[0], w.m, handle, steady);
    }
  }
};

TEST_F(Buffers, AreDistinctUntilThePoolIsSpent) {
  std::set<u32> taken;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(taken.insert(take_buffer(w.m)).second);
  EXPECT_EQ(take_buffer(w.m), ~0U);
  EXPECT_EQ(take_buffer(w.m), ~0U) << "asking again changes nothing";
  give_buffer(w.m, 3);
  EXPECT_EQ(take_buffer(w.m), 3U);
  EXPECT_EQ(take_buffer(w.m), ~0U);
}
/// Rings that are larger than their pools, and tickets of laps that no longer fit into a place.
TEST(BufferPool, GivesAllThatItHasWhateverItsSizeAndLap) {
  for (const u32 buffers : {1U, 2U, 3U, 6U, 8U}) {
    for (const u64 laps : {u64{0}, (u64{1} << 32U) - 2}) {
      SCOPED_TRACE(std::to_string(buffers) + " buffers, " + std::to_string(laps) + " laps");
      shape s;
      s.buffers = buffers;
      s.buffer_bytes = 128;
      const world w{s, {{sizeof(cell)}}, {{cell_type, 0, sizeof(large)}}};
      const u64 size = u64{1} << w.m.buffer_shift;
      for (u64 i = 0; i < size; ++i)
        w.m.buffer_free[i] = free_place(lap_of_free(w.m, laps * size + i),
                                        i < buffers ? static_cast<u32>(i) + 1 : 0);
      w.m.buffer_ends[buffers_taken].value = laps * size;
      w.m.buffer_ends[buffers_given].value = laps * size + buffers;
      for (u32 round = 0; round < 5 * size; ++round) {
        std::set<u32> taken;
        for (u32 i = 0; i < buffers; ++i) taken.insert(take_buffer(w.m));
        EXPECT_EQ(taken.size(), buffers);
        EXPECT_LT(*taken.rbegin(), buffers);
        EXPECT_EQ(take_buffer(w.m), ~0U);
        for (const u32 one : taken) give_buffer(w.m, one);
        EXPECT_EQ(w.free_buffers(), buffers);
      }
    }
  }
}
TEST_F(Buffers, AHandleOpensTheBufferItWasMadeFor) {
  const u32 buffer = take_buffer(w.m);
  buffer_at(w.m, buffer)[5] = 'x';
  const u64 first = publish_buffer(w.m, buffer);
  EXPECT_EQ(open_buffer(w.m, first, 6)[5], 'x');
  give_buffer(w.m, buffer);
  const u64 second = publish_buffer(w.m, take_buffer(w.m));
  EXPECT_NE(first, second) << "a reused buffer has another handle";
}
TEST_F(Buffers, TravelWithTheMessageAndComeBack) {
  const u64 actor = w.spawn(cell_type, 0);
  u64 seen = 0;
  handle_function handle = [&](u32, void*, const message_view& view, lane_state& call) {
    const large m = message_of<large>(view);
    const large expected = make_large(m.number);
    EXPECT_EQ(std::memcmp(&m, &expected, sizeof(m)), 0);
    ++seen;
    if (m.number < 40) {
      const large next = make_large(m.number + 1);
      EXPECT_TRUE(send_bytes(call, actor, 0, &next, sizeof(next)));
    }
  };
  lane_state call{w.chips[0], &w.m, actor, 0, 1, 1, 0, 0, 1, 0};
  const large first = make_large(1);
  ASSERT_TRUE(send_bytes(call, actor, 0, &first, sizeof(first)));
  for (int i = 0; i < 10; ++i) run(handle);
  EXPECT_EQ(seen, 40U);
  EXPECT_EQ(w.free_buffers(), 8U);
}
TEST_F(Buffers, ASpentPoolIsACountedDeadLetter) {
  const u64 actor = w.spawn(cell_type, 0);
  lane_state call{w.chips[0], &w.m, actor, 0, 1, 1, 0, 0, 1, 0};
  const large m = make_large(1);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(send_bytes(call, actor, 0, &m, sizeof(m)));
  EXPECT_FALSE(send_bytes(call, actor, 0, &m, sizeof(m)));
  EXPECT_EQ(w.dead(abi::dead_reason::exhausted), 1U);
}
TEST_F(Buffers, ComeBackFromALostMessage) {
  const u64 actor = w.spawn(cell_type, 0);
  w.header(cell_type, 0).status = abi::slot_stopped;
  lane_state call{w.chips[0], &w.m, actor, 0, 1, 1, 0, 0, 1, 0};
  const large m = make_large(1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send_bytes(call, actor, 0, &m, sizeof(m)));
  EXPECT_FALSE(send_bytes(call, 0, 0, &m, sizeof(m)));
  EXPECT_EQ(w.free_buffers(), 3U);
  block_loops<false> b{w.m.lanes};
  reserve(b, *w.chips[0], w.m);
  ASSERT_EQ(write(b, *w.chips[0], w.m), 0U);
  clear_outbox(*w.chips[0]);
  handle_function handle = [](u32, void*, const message_view&, lane_state&) {
    FAIL() << "a stopped actor";
  };
  run(handle);
  EXPECT_EQ(w.dead(abi::dead_reason::stopped), 5U);
  EXPECT_EQ(w.free_buffers(), 8U);
}

/// Under TSan: the writes come before the reads, though the handle itself travels relaxed, as ring words do.
TEST_F(Buffers, WhatWasWrittenBeforePublishIsThereForWhoOpens) {
  u64 handles[8] = {};
  std::thread writer{[&] {
    for (u64& h : handles) {
      const u32 buffer = take_buffer(w.m);
      std::memset(buffer_at(w.m, buffer), 'w', 100);
      store<order::relaxed, scope::device>(&h, publish_buffer(w.m, buffer));
    }
  }};
  for (u64& h : handles) {
    u64 handle = 0;
    while ((handle = load<order::relaxed, scope::device>(&h)) == 0) std::this_thread::yield();
    const char* bytes = open_buffer(w.m, handle, 100);
    for (int k = 0; k < 100; ++k) ASSERT_EQ(bytes[k], 'w');
  }
  writer.join();
}
/// Under TSan: a buffer is the sender's until its handle is sent, then the receiver's, then the
/// pool's, and whoever takes it next writes at once. The handle itself travels relaxed.
TEST_F(Buffers, OwnershipGoesFromThreadToThreadWithTheMessage) {
  constexpr u64 threads = 4, messages = 6, hops = 1'200;
  u64 slots[threads][messages] = {};  // handles under way to a thread, by message; 0: none
  const auto send = [&](u64 to, u64 message, u64 number) {
    u32 buffer = take_buffer(w.m);  // often one that was given back just now
    EXPECT_NE(buffer, ~0U) << "fewer messages than buffers";
    if (buffer == ~0U) buffer = 0;
    const large l = make_large(number);
    std::memcpy(buffer_at(w.m, buffer), &l, sizeof(l));
    store<order::relaxed, scope::device>(&slots[to][message], publish_buffer(w.m, buffer));
  };
  std::atomic<u64> left{messages};
  std::vector<std::thread> running;
  for (u64 t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      while (left.load(std::memory_order_relaxed) != 0) {
        for (u64 i = 0; i < messages; ++i) {
          const u64 handle = load<order::relaxed, scope::device>(&slots[t][i]);
          if (handle == 0) continue;
          store<order::relaxed, scope::device>(&slots[t][i], u64{0});
          large got;
          std::memcpy(&got, open_buffer(w.m, handle, sizeof(got)), sizeof(got));
          give_buffer(w.m, static_cast<u32>(handle));
          const large expected = make_large(got.number);
          EXPECT_EQ(std::memcmp(&got, &expected, sizeof(got)), 0) << "torn";
          EXPECT_EQ(got.number % messages, i) << "another message's buffer";
          if (got.number / messages + 1 < hops) {
            send((t + 1) % threads, i, got.number + messages);
          } else {
            left.fetch_sub(1, std::memory_order_relaxed);
          }
        }
        std::this_thread::yield();
      }
    });
  }
  for (u64 i = 0; i < messages; ++i) send(i % threads, i, i);
  for (auto& t : running) t.join();
  EXPECT_EQ(w.free_buffers(), 8U);
}
/// Under TSan this also shows that a new owner's writes come after the former owner's reads.
TEST_F(Buffers, ThreadsNeverShareOneAndLoseNone) {
  std::vector<std::thread> threads;
  std::atomic<u64> taken{0};
  std::atomic<int> owners[8] = {};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3'000; ++i) {
        const u32 mine = take_buffer(w.m);
        if (mine == ~0U) continue;
        EXPECT_EQ(owners[mine].fetch_add(1, std::memory_order_relaxed), 0);
        std::memset(buffer_at(w.m, mine), t, 64);
        for (int k = 0; k < 64; ++k) ASSERT_EQ(buffer_at(w.m, mine)[k], t);
        owners[mine].fetch_sub(1, std::memory_order_relaxed);
        give_buffer(w.m, mine);
        taken.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_GT(taken.load(), 0U);
  EXPECT_EQ(w.free_buffers(), 8U);
}

}  // namespace
