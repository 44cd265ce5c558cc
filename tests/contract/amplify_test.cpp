// tests/contract/amplify_test.cpp - each handler sends two; what finds no room is counted.
// Why: no bounded system can hold what doubles; the contract is that it says how much it lost.
// Invariant: actors count what they send and handle, so that the loss is known without the
//            library's books.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/crowd_run.hpp"

namespace {

using namespace contract;

class Amplify : public crowd_test {
 protected:
  static constexpr std::uint32_t roots = 4;

  /// Sends the first sparks. @return their receivers.
  static perdure::range<splitter> ignite(perdure::system& sys, std::uint32_t depth) {
    const perdure::ref<splitter> first{sys.spawn<splitter>(1).value()[0].bits + 1};
    auto all = sys.spawn<splitter>(population,
                                   [&](std::size_t) {
                                     splitter s;
                                     s.first = first;
                                     return s;
                                   })
                   .value();
    spark start{depth, {}};
    start.fill.fill(depth);
    for (std::uint32_t i = 0; i < roots; ++i) expect_ok(sys.send(all[i], start));
    return all;
  }
  struct account {
    std::uint64_t sent = roots, handled = 0, torn = 0;
  };
  static account account_of(perdure::system& sys, perdure::range<splitter> all) {
    std::vector<splitter> states(all.size());
    expect_ok(sys.view(all, std::span<splitter>{states}));
    account a;
    for (const splitter& s : states) {
      a.sent += s.sent;
      a.handled += s.handled;
      a.torn += s.torn;
    }
    return a;
  }
  static perdure::options little(perdure::options o) {
    o.spill_slots = std::max(64U, 2 * o.lanes);  // the least there may be
    o.stall_time = 20us;
    return o;
  }
};

TEST_P(Amplify, WhatFindsNoRoomIsExhaustedCountedExactly) {
  std::uint64_t lost = 0, runs = 0;
  show(all_seeds, 60, [&](perdure::options o) {
    auto sys = perdure::system::start(crowd::actors(), little(o)).value();
    const auto all = ignite(sys, 8);
    expect_ok(sys.quiesce(60s));
    const account truth = account_of(sys, all);
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(truth.torn, 0U);
    EXPECT_EQ(s.sent, truth.sent);
    EXPECT_EQ(s.handled, truth.handled);
    EXPECT_EQ(dead_of(s, reason::exhausted), truth.sent - truth.handled);
    EXPECT_EQ(s.dead_total(), dead_of(s, reason::exhausted)) << "lost for no other reason";
    EXPECT_EQ(s.queued, 0U);
    EXPECT_EQ(s.exhausted_pair.empty(), truth.sent == truth.handled);
    lost += truth.sent - truth.handled;
    ++runs;
  });
  EXPECT_TRUE(lost > 0 || runs == 0) << "nothing ever ran out";
}

TEST_P(Amplify, WhatDoublesForEverIsCutShortByAStopWithExactBooks) {
  show(100, 30, [&](perdure::options o) {
    auto sys = perdure::system::start(crowd::actors(), little(o)).value();
    const auto all = ignite(sys, ~0U);
    // how soon it runs out depends on the machine, that it does not: the bound is there to say so
    // rather than to hang
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (dead_of(sys.statistics(), reason::exhausted) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it never ran out";
    }
    const auto outcome = sys.stop(1ms);
    not_kept_waiting(outcome);
    expect_error(outcome, perdure::errc::timeout);
    const account truth = account_of(sys, all);
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(truth.torn, 0U);
    EXPECT_EQ(s.exhausted_pair, "crowd::splitter -> crowd::splitter");
    EXPECT_EQ(s.handled, truth.handled);
    EXPECT_EQ(s.dead_total(), dead_of(s, reason::exhausted) + dead_of(s, reason::shutdown));
    EXPECT_GT(dead_of(s, reason::shutdown), 0U) << "what was under way when the time was up";
    EXPECT_EQ(s.sent, s.handled + s.dead_total());
    EXPECT_EQ(s.sent, truth.sent);
  });
}

PERDURE_SHOW_EVERYWHERE(Amplify);

}  // namespace
