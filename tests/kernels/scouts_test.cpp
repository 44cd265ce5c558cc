// tests/kernels/scouts_test.cpp - what a scout tells the warp that asks it, as two threads: TSan sees every access.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dispatch/scouts.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>

namespace {

using namespace perdure::loop;
namespace abi = perdure::abi;

/// The scout as a thread: what it "finds" is the head that it read after the ask. It is slow now and then.
class scout_thread {
 public:
  explicit scout_thread(on_chip& c) : c_{c}, thread_{[this] { run(); }} {}
  ~scout_thread() {
    call_scout(c_);
    thread_.join();
  }
  u64 looks() const { return looks_.load(); }

 private:
  void run() {
    std::mt19937 random{7};
    for (;;) {
      const u32 ask = read_ask(c_);
      if (ask == scout_leave) return;
      if (ask == 0 || load<order::relaxed, scope::block>(&c_.scout.answer) == ask) {
        std::this_thread::yield();
        continue;
      }
      const u64 head = load<order::relaxed, scope::block>(&c_.lane_head[0]);
      if (random() % 4 == 0) std::this_thread::yield();  // the first warp may move on meanwhile
      c_.scout.words[0] = word{head, ~head};
      c_.scout.which[0] = static_cast<u32>(head % max_host_lanes);
      answer_ask(c_, ask, 1);
      looks_.fetch_add(1);
    }
  }
  on_chip& c_;
  std::atomic<u64> looks_{0};
  std::thread thread_;
};

void advance(on_chip& c) {
  store<order::relaxed, scope::block>(&c.lane_head[0], c.lane_head[0] + 3);
}

TEST(Scouts, AnAnswerThatCountsWasFoundBehindWhatIsHandled) {
  const auto c = std::make_unique<on_chip>();
  std::mt19937 random{1};
  u64 taken = 0;
  {
    scout_thread scout{*c};
    while (taken < 20'000) {
      advance(*c);
      ask_scout(*c);
      if (random() % 3 == 0) continue;  // something else came: what was under way is for nobody
      if (random() % 5 == 0) {
        rest_scout(*c);
        advance(*c);
        ask_scout(*c);
      }
      while (!has_answered(*c)) std::this_thread::yield();
      ASSERT_EQ(c->scout.words[0].lo, c->lane_head[0])
          << "a look from before the host lane moved on";
      ASSERT_EQ(c->scout.words[0].hi, ~c->lane_head[0]);
      ASSERT_EQ(c->scout.which[0], c->lane_head[0] % max_host_lanes);
      ASSERT_EQ(c->scout.ready, 1U);
      ++taken;
    }
    EXPECT_GE(scout.looks(), taken);
  }
}
TEST(Scouts, AnAskIsNeverTheWordToRestOrToLeave) {
  const auto c = std::make_unique<on_chip>();
  c->scout_turn = scout_leave - 3;
  for (int i = 0; i < 6; ++i) {
    const u32 before = c->scout_turn;
    ask_scout(*c);
    EXPECT_EQ(read_ask(*c), c->scout_turn);
    EXPECT_NE(c->scout_turn, before);
    EXPECT_NE(c->scout_turn, 0U);
    EXPECT_NE(c->scout_turn, scout_leave);
    EXPECT_FALSE(has_answered(*c));
  }
}

TEST(Scouts, OneMessageThatFillsALookIsHandledWhereItIs) {
  EXPECT_EQ(what_fills_a_look({1, scout_words}, scout_words, false), lane_find::alone);
}
TEST(Scouts, OneThatIsLongerIsReadToItsEndAndHandledIfNothingStandsBehindIt) {
  EXPECT_EQ(what_fills_a_look({0, 0}, scout_words, false), lane_find::longer);
  EXPECT_EQ(what_fills_a_look({1, abi::max_words}, abi::max_words, false), lane_find::alone);
  EXPECT_EQ(what_fills_a_look({1, abi::max_words}, abi::max_words + 1, false), lane_find::many);
}
TEST(Scouts, ManyAndWhatComesInARowAreForATurn) {
  EXPECT_EQ(what_fills_a_look({1, 4}, scout_words, false), lane_find::many);
  EXPECT_EQ(what_fills_a_look({2, scout_words}, scout_words, false), lane_find::many);
  for (u32 messages : {0U, 1U, 2U}) {
    EXPECT_EQ(what_fills_a_look({messages, messages * 3}, scout_words, true), lane_find::many);
  }
  EXPECT_EQ(what_fills_a_look({1, scout_words}, scout_words, true), lane_find::many);
}

}  // namespace
