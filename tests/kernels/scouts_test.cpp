// tests/kernels/scouts_test.cpp - who takes a message when several poll, as threads: TSan sees every access.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dispatch/baton.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace perdure::loop;
namespace abi = perdure::abi;

/// A worker of which only the host lanes exist: message n of a lane begins at word 3 n. What is taken is written down in
/// plain memory, which only the baton guards.
struct polled_worker {
  static constexpr u32 lanes = 3;
  on_chip c{};
  u64 taken[lanes] = {};
  u64 doubled = 0;  ///< taken although somebody else had taken it
  std::atomic<u64> sent[lanes] = {};

  polled_worker() { begin_scouts(c); }
  /// With the baton.
  void take(u32 lane, u64 at) {
    if (at != 3 * taken[lane]) ++doubled;
    ++taken[lane];
    store<order::relaxed, scope::block>(&c.lane_head[lane], 3 * taken[lane]);
  }
  u64 all() const {
    u64 n = 0;
    for (u64 t : taken) n += t;
    return n;
  }
};

/// A scout as a thread: looks, is slow now and then, and takes what it has seen if it still may.
class scout_thread {
 public:
  scout_thread(polled_worker& w, unsigned seed)
      : w_{w}, random_{seed}, thread_{[this] { run(); }} {}
  ~scout_thread() { thread_.join(); }
  u64 took() const { return took_.load(); }
  u64 late() const { return late_.load(); }

 private:
  void run() {
    for (;;) {
      const u32 ask = read_ask(w_.c);
      if (ask == scout_leave) return;
      const u32 lane = random_() % polled_worker::lanes;
      const u64 at = load<order::relaxed, scope::block>(&w_.c.lane_head[lane]);
      if (ask == 0 || 3 * w_.sent[lane].load() <= at) {
        std::this_thread::yield();
        continue;
      }
      if (random_() % 4 == 0) std::this_thread::yield();  // others may take it meanwhile
      if (!take_baton_for(w_.c, lane_alone{}, ask, lane, at)) {
        late_.fetch_add(1);
        continue;
      }
      if (random_() % 16 == 0) {
        leave_to_turn(w_.c, lane);
      } else {
        w_.take(lane, at);
        took_.fetch_add(1);
      }
      give_baton(w_.c);
    }
  }
  polled_worker& w_;
  std::mt19937 random_;
  std::atomic<u64> took_{0}, late_{0};
  std::thread thread_;
};

TEST(Baton, OfSeveralThatSeeAMessageOneTakesItAndTurnsAreNotDisturbed) {
  constexpr u64 messages = 20'000;
  polled_worker w;
  std::mt19937 random{1};
  u64 turns = 0;
  {
    scout_thread one{w, 2}, other{w, 3};
    for (u32 lane = 0; lane < polled_worker::lanes; ++lane) w.sent[lane] = messages;
    for (bool done = false; !done;) {
      send_scouts(w.c);
      for (u32 polls = random() % 64; polls > 0 && !turn_is_wanted(w.c); --polls) {
        if (random() % 8 == 0) {  // something for the first warp, which is no host lane's
          wait_for_baton(w.c, lane_alone{});
          w.c.own_tail += 1;
          give_baton(w.c);
        }
        std::this_thread::yield();
      }
      rest_scouts(w.c);
      wait_for_baton(w.c, lane_alone{});
      // a turn: nobody else touches anything
      ++turns;
      const u64 before = w.all();
      std::this_thread::yield();
      EXPECT_EQ(w.all(), before) << "a scout took something during a turn";
      w.c.pending = random() % 16 == 0 ? 1 : 0;  // then nobody but the first warp may have it
      if (const u32 lane = w.c.lane_ready; lane != 0) {
        w.c.lane_ready = 0;
        // another scout may have taken the lane's last message before the poll ended
        if (w.taken[lane - 1] < messages)
          w.take(lane - 1, load<order::relaxed, scope::block>(&w.c.lane_head[lane - 1]));
      }
      done = w.all() == polled_worker::lanes * messages;
    }
    call_scouts(w.c);  // with the baton kept, as in front of the block's barrier
    while (read_ask(w.c) != scout_leave) {
    }
    EXPECT_GT(one.took() + other.took(), messages);  // a busy machine may keep one of them waiting
  }
  EXPECT_EQ(w.doubled, 0U);
  for (u64 t : w.taken) EXPECT_EQ(t, messages);
  EXPECT_GT(turns, 0U);
}
TEST(Baton, WhoIsToRestOrLeaveGivesUpWaiting) {
  const auto c = std::make_unique<on_chip>();
  begin_scouts(*c);  // the first warp has it
  EXPECT_FALSE(take_baton_for(*c, lane_alone{}, 5, 0, 0)) << "nobody has been sent";
  call_scouts(*c);
  EXPECT_FALSE(take_baton_for(*c, lane_alone{}, 5, 0, 0));
  send_scouts(*c);
  const u32 poll = read_ask(*c);
  EXPECT_FALSE(take_baton_for(*c, lane_alone{}, poll + 1, 0, 0)) << "a poll that is not this one";
  EXPECT_FALSE(take_baton_for(*c, lane_alone{}, poll, 0, 3)) << "the host lane is somewhere else";
  EXPECT_TRUE(take_baton_for(*c, lane_alone{}, poll, 0, 0));
  EXPECT_EQ(claim(&c->baton, poll, baton_held), baton_held) << "a second holder";
  rest_scouts(*c);
  EXPECT_FALSE(take_baton_for(*c, lane_alone{}, poll, 0, 0)) << "it is held, and the poll over";
  give_baton(*c);
  EXPECT_TRUE(wait_for_baton(*c, lane_alone{}));
}
TEST(Baton, IsTheFirstWarpsAloneWhereATurnIsDue) {
  for (const bool pending : {false, true}) {
    const auto c = std::make_unique<on_chip>();
    begin_scouts(*c);
    send_scouts(*c);
    const u32 poll = read_ask(*c);
    ASSERT_TRUE(take_baton_for(*c, lane_alone{}, poll, 0, 0));
    (pending ? c->pending : c->commanded) = 1;
    give_baton(*c);
    EXPECT_FALSE(take_baton_for(*c, lane_alone{}, poll, 0, 0));
    EXPECT_FALSE(wait_for_baton(*c, lane_alone{})) << "it has it, but may not handle anything";
    EXPECT_EQ(c->baton, baton_held);
  }
}
TEST(Baton, APollsNumberIsNeverAnotherWordAndEachIsAnother) {
  const auto c = std::make_unique<on_chip>();
  begin_scouts(*c);
  c->poll = scout_leave - 3;
  for (int i = 0; i < 6; ++i) {
    const u32 before = c->poll;
    want_turn(*c);
    send_scouts(*c);
    EXPECT_FALSE(turn_is_wanted(*c)) << "of the poll before";
    EXPECT_EQ(read_ask(*c), c->poll);
    EXPECT_NE(c->poll, before);
    EXPECT_NE(c->poll, baton_held);
    EXPECT_NE(c->poll, baton_first_only);
    EXPECT_NE(c->poll, scout_leave);
    ASSERT_TRUE(wait_for_baton(*c, lane_alone{}));
  }
}

TEST(Scouts, OneMessageThatFillsALookIsHandledWhereItIs) {
  EXPECT_EQ(what_fills_a_look({1, scout_words}, scout_words, true, false), lane_find::alone);
}
TEST(Scouts, WhatDoesNotFillALookHasNothingBehindIt) {
  for (const bool in_a_row : {false, true})
    EXPECT_EQ(what_fills_a_look({1, 3}, 3, false, in_a_row), lane_find::alone);
}
TEST(Scouts, OneThatIsLongerIsReadToItsEndAndHandledIfNothingStandsBehindIt) {
  EXPECT_EQ(what_fills_a_look({0, 0}, scout_words, true, false), lane_find::longer);
  EXPECT_EQ(what_fills_a_look({1, abi::max_words}, abi::max_words, true, false), lane_find::alone);
  EXPECT_EQ(what_fills_a_look({1, abi::max_words}, abi::max_words + 1, true, false),
            lane_find::many);
}
TEST(Scouts, ManyAndWhatComesInARowAreForATurn) {
  EXPECT_EQ(what_fills_a_look({1, 4}, scout_words, true, false), lane_find::many);
  EXPECT_EQ(what_fills_a_look({2, scout_words}, scout_words, true, false), lane_find::many);
  for (u32 messages : {0U, 1U, 2U}) {
    EXPECT_EQ(what_fills_a_look({messages, messages * 3}, scout_words, true, true),
              lane_find::many);
  }
  EXPECT_EQ(what_fills_a_look({1, scout_words}, scout_words, true, true), lane_find::many);
}

}  // namespace
