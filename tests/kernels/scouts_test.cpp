// tests/kernels/scouts_test.cpp - who takes a message when several poll, as threads: TSan sees every access.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dispatch/baton.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/platform/block_threads.hpp"

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
  u64 landed = 0;   ///< where, in the lane whose message a scout has handed over
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

/// All lanes of a warp that polls run this: they decide alike, lane 0 alone does what is to be done, and the others then see
/// it. One lane alone runs the same.
template <class Lanes>
struct polling_warp {
  polled_worker& w;
  const Lanes all;
  std::mt19937 random;  ///< all lanes draw the same

  /// What lane 0 did is seen by those beside it, and what they looked at stays until they have.
  void meet() const { (void)all.any(false); }
  void see_what_the_last_holder_did(u64& seen) const {
    meet();
    seen = w.all();
    meet();
  }
  /// A scout: looks, is slow now and then, and takes what it has seen if it still may.
  /// @param took  how often it did.
  void scout(std::atomic<u64>& took) {
    u64 seen = 0;
    for (;;) {
      const u32 ask = all.of_first(read_ask(w.c));
      if (ask == scout_leave) return;
      const u32 lane = random() % polled_worker::lanes;
      const u64 at =
          all.of_first(static_cast<u32>(load<order::relaxed, scope::block>(&w.c.lane_head[lane])));
      const bool slow = random() % 4 == 0, leaves = random() % 16 == 0, hands = random() % 16 == 0;
      if (ask == 0 || !all.any(all.leads && 3 * w.sent[lane].load() > at)) {
        std::this_thread::yield();
        continue;
      }
      if (slow) std::this_thread::yield();  // others may take it meanwhile
      const bool mine = take_baton_for(w.c, all, ask, lane, at);
      EXPECT_EQ(all.any(mine), mine) << "lanes have parted";
      if (!mine) continue;
      see_what_the_last_holder_did(seen);
      if (!all.leads) continue;
      if (leaves) {
        leave_to_turn(w.c, lane);
      } else if (hands) {
        EXPECT_EQ(w.c.handed, 0U) << "the first warp has not come for the last one";
        w.landed = at;
        hand_over(w.c, lane, {1, 3});
      } else {
        w.take(lane, at);
        took.fetch_add(1);
      }
      give_baton(w.c);
    }
  }
  /// The first warp. @return turns: lane 0's.
  u64 first(u64 messages) {
    u64 turns = 0, before = 0;
    bool pending =
        false;  // then nobody but the first warp may have it, and that one only for a turn
    for (bool done = false; !done; ++turns) {
      if (all.leads) send_scouts(w.c);
      meet();  // as the first look's vote is on a device
      for (u32 polls = random() % 64; polls > 0 && !all.any(turn_is_wanted(w.c)); --polls) {
        if (random() % 8 == 0) {  // something for the first warp, which is no host lane's
          const bool may = wait_for_baton(w.c, all);
          see_what_the_last_holder_did(before);
          EXPECT_EQ(may, !pending && w.c.handed == 0);
          meet();
          if (all.leads) {
            w.c.own_tail += 1;
            give_baton(w.c);
          }
        }
        std::this_thread::yield();
      }
      if (all.leads) rest_scouts(w.c);
      const bool may = wait_for_baton(w.c, all);
      // a turn: nobody else touches anything
      see_what_the_last_holder_did(before);
      EXPECT_EQ(may, !pending && w.c.handed == 0);
      std::this_thread::yield();
      EXPECT_EQ(w.all(), before) << "a scout took something during a turn";
      meet();
      pending = random() % 16 == 0;
      if (all.leads) {
        w.c.pending = pending ? 1 : 0;
        if (const u32 handed = std::exchange(w.c.handed, 0U); handed != 0) {
          EXPECT_EQ(handed >> 8U, 1U | 3U << 8U);
          w.take((handed & 0xffU) - 1, w.landed);
        }
        if (const u32 lane = w.c.lane_ready; lane != 0) {
          w.c.lane_ready = 0;
          // another scout may have taken the lane's last message before the poll ended
          if (w.taken[lane - 1] < messages)
            w.take(lane - 1, load<order::relaxed, scope::block>(&w.c.lane_head[lane - 1]));
        }
      }
      done = all.any(all.leads && w.all() == polled_worker::lanes * messages);
    }
    if (all.leads) call_scouts(w.c);  // with the baton kept, as in front of the block's barrier
    return turns;
  }
};

/// Three warps of so many lanes, each a thread; one lane a warp is lane_alone.
void poll_with(u32 lanes, u64 messages) {
  polled_worker w;
  std::atomic<u64> took{0}, turns{0};
  std::deque<lane_team> teams;
  std::vector<std::thread> threads;
  for (u32 warp = 0; warp < 3; ++warp) {
    lane_team& team = teams.emplace_back(lanes);
    const auto run = [&, warp](auto polling) {
      if (warp != 0) return polling.scout(took);
      const u64 made = polling.first(messages);
      if (polling.all.leads) turns = made;
    };
    for (u32 lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, run, warp, lane] {
        const std::mt19937 random{warp + 1};
        if (lanes == 1) return run(polling_warp<lane_alone>{w, {}, random});
        block_threads block{team, lane};
        run(polling_warp<lanes_of_threads>{w, lanes_of_threads{block}, random});
      });
    }
  }
  for (u32 lane = 0; lane < polled_worker::lanes; ++lane) w.sent[lane] = messages;
  for (std::thread& t : threads) t.join();
  EXPECT_GT(took, messages / 2);  // a busy machine may keep one of them waiting
  EXPECT_EQ(w.doubled, 0U);
  for (u64 t : w.taken) EXPECT_EQ(t, messages);
  EXPECT_GT(turns, 0U);
}

TEST(Baton, OfSeveralThatSeeAMessageOneTakesItAndTurnsAreNotDisturbed) { poll_with(1, 20'000); }
TEST(Baton, LanesThatPollSideBySideDecideAlikeAndSeeWhatTheLastHolderDid) { poll_with(3, 1'500); }
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
  for (u32 on_chip::* const why : {&on_chip::pending, &on_chip::commanded, &on_chip::handed}) {
    const auto c = std::make_unique<on_chip>();
    begin_scouts(*c);
    send_scouts(*c);
    const u32 poll = read_ask(*c);
    ASSERT_TRUE(take_baton_for(*c, lane_alone{}, poll, 0, 0));
    (*c).*why = 1;
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

/// A host whose next message is there so many cycles behind the last one's end, give or take; a look that comes before it is
/// followed by one a trip over the bus later. @return the share of looks that bring it at once, of the last 10,000 messages.
double share_of_first_looks(u32 host_takes, u32 give_or_take, u32& waits) {
  std::mt19937 random{host_takes};
  u32 hits = 0;
  for (int i = 0; i < 20'000; ++i) {
    const u32 there = host_takes - give_or_take + random() % (2 * give_or_take);
    const u32 in_vain = waits >= there ? 0 : 1;
    if (i >= 10'000) hits += 1 - in_vain;
    waits = wait_after(waits, in_vain);
  }
  return hits / 10'000.0;
}
TEST(Scouts, TheFirstLookBehindAMessageWaitsAsLongAsItsHostTakes) {
  u32 waits = first_wait;
  for (const u32 host_takes : {300U, 900U, 500U}) {
    EXPECT_GT(share_of_first_looks(host_takes, 100, waits), 0.9) << host_takes;
    EXPECT_LT(waits, host_takes + 400) << "it does not wait for nothing";
  }
}
TEST(Scouts, AWaitHasAnEndAndIsNotLearntFromThoseWhoDoNotAskInARow) {
  u32 waits = first_wait;
  for (int i = 0; i < 1'000; ++i) waits = wait_after(waits, 1);
  EXPECT_EQ(waits, longest_wait);
  EXPECT_EQ(wait_after(waits, 2), waits);
  EXPECT_EQ(wait_after(waits, 100), waits);
  for (int i = 0; i < 10'000; ++i) waits = wait_after(waits, 0);
  EXPECT_LT(waits, 64U) << "who is quicker than any look is not kept waiting";
}

TEST(Scouts, OneMessageThatFillsALookIsHandledWhereItIs) {
  EXPECT_EQ(what_fills_a_look({1, scout_words}, scout_words, true, false), lane_find::alone);
}
TEST(Scouts, WhatDoesNotFillALookHasNothingBehindIt) {
  for (const bool in_a_row : {false, true})
    EXPECT_EQ(what_fills_a_look({1, 3}, 3, false, in_a_row), lane_find::alone);
}
TEST(Scouts, ALookThatIsFilledIsReadOnUnlessOneMessageFillsIt) {
  EXPECT_EQ(what_fills_a_look({0, 0}, scout_words, true, false), lane_find::longer);
  EXPECT_EQ(what_fills_a_look({1, 4}, scout_words, true, false), lane_find::longer);
  EXPECT_EQ(what_fills_a_look({2, scout_words}, scout_words, true, false), lane_find::longer);
}
TEST(Scouts, WhereClientsAskInARowAFilledLookIsForATurn) {
  for (const u32 messages : {0U, 1U, 2U, 3U})
    EXPECT_EQ(what_fills_a_look({messages, messages * 2}, scout_words, true, true),
              lane_find::many);
}
TEST(Scouts, OfWhatWasReadOnFewAreHandledSeveralHandedOverAndManyATurns) {
  for (const u32 messages : {0U, 1U, 2U})
    EXPECT_EQ(what_was_behind_it({messages, messages * 4}, messages * 4 + 1, 32), lane_find::alone);
  EXPECT_EQ(what_was_behind_it({1, abi::max_words}, abi::max_words, 32), lane_find::alone);
  EXPECT_EQ(what_was_behind_it({3, 12}, 13, 32), lane_find::several);
  EXPECT_EQ(what_was_behind_it({15, 30}, 31, 32), lane_find::several);
  EXPECT_EQ(what_was_behind_it({8, 32}, 32, 32), lane_find::many);
  EXPECT_EQ(what_was_behind_it({1, 16}, 32, 32), lane_find::many);
}

}  // namespace
