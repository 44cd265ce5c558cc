// tests/contract/crowd_test.cpp - clauses 1-6, 9 and 10 at once, with all that is hard.
// Why: a clause by itself may hold where all of them together do not.
// Shown by: counts that are written late (1), numbers of pairs (2), what a plain loop has summed
// (3, 9), stamps along each chain and through the host (4), asks that end each in their own way
// (5), the books (6, 10).
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/contract/crowd_run.hpp"

namespace {

using namespace contract;
using perdure::errc;

using Crowd = crowd_test;

TEST_P(Crowd, EveryClauseHoldsWithAHotActorCyclesAndASlowHost) {
  show(all_seeds, 60, [](perdure::options o) {
    o.stall_time = 10s;  // the host is slow, not gone
    const std::uint64_t salt = o.seed * 7919;
    crowd_run run{o};
    perdure::system& sys = run.sys;
    const auto leaver = sys.spawn<walker>(1).value()[0];

    std::vector<std::future<perdure::result<answer>>> answers;
    std::vector<perdure::hlc> asked;
    for (std::uint32_t i = 0; i < 44; ++i) {
      run.walk(i % population, static_cast<std::uint32_t>(salt + i * 40503U), 15, true);
      if (i % 11 != 0) continue;
      asked.push_back(sys.now());
      answers.push_back(run.ask<answer>(run.all[i % population], question{i, asked.back()}, 20s));
    }
    auto wrong = run.ask<note>(run.all[1], question{1, sys.now()}, 20s);
    auto late = run.ask<answer>(run.all[2], ignored{}, 1ms);
    auto open = run.ask<answer>(run.all[3], ignored{}, 1h);
    expect_ok(sys.send(leaver, leave{}));
    expect_ok(sys.send(leaver, leave{}));
    run.host_sent += 2;
    auto down = run.ask<answer>(leaver, question{1, sys.now()}, 20s);

    run.read_slowly(run.letters / 4, o.seed % 3);
    expect_ok(sys.pause(20s));
    EXPECT_LT(sys.statistics().to_mailboxes, run.letters) << "nobody was held back by the host";
    run.expect_books_like_states(sys.view(leaver).value().answered);
    expect_ok(sys.resume());
    run.read_slowly(run.letters, o.seed % 2);
    expect_ok(sys.quiesce(20s));
    run.expect_all_walked();
    run.expect_books_like_states(1);

    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto got = answers[i].get();
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(got->number, 11 * i + 1);
      EXPECT_TRUE(asked[i] < got->at && got->at < sys.now());
    }
    expect_error(wrong.get(), errc::wrong_reply);
    expect_error(down.get(), errc::receiver_down);
    crowd_run::letter none[1];
    EXPECT_EQ(run.desk.receive(none, 2ms).value(),
              0U);  // and 2 ms of the system's time have passed
    ASSERT_EQ(late.wait_for(20s), std::future_status::ready);
    expect_error(late.get(), errc::timeout);
    EXPECT_EQ(open.wait_for(0s), std::future_status::timeout);

    // a stop while much is under way
    for (std::uint32_t i = 0; i < population; ++i)
      run.walk(i, static_cast<std::uint32_t>(salt + i), 7, false);
    expect_ok(sys.stop(20s));
    expect_error(open.get(), errc::cancelled);
    expect_error(sys.send(run.all[0], ignored{}), errc::closed);
    run.expect_all_walked();
    run.expect_books_like_states(1);
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.queued, 0U);
    EXPECT_EQ(dead_of(s, reason::stopped), 2U);
    EXPECT_EQ(s.dead_total(), 2U);
    EXPECT_EQ(s.to_mailboxes, run.letters);
  });
}

/// A thread has no way to give its lane back, and need not have one: it may end at any time.
TEST_P(Crowd, WhatAThreadHasSentBeforeItEndsArrivesAndItsLaneServesOthers) {
  show(0, 30, [](perdure::options o) {
    crowd_run run{o};
    for (std::uint32_t generation = 0; generation < 3; ++generation) {
      expect_ok(run.sys.pause(20s));  // nothing of it has been taken when it ends
      std::thread{[&] {
        for (std::uint32_t i = 0; i < 20; ++i)
          run.walk(i % population, generation * 977 + i, 5, false, generation);
      }}.join();
      run.expect_books_like_states(0);
      expect_ok(run.sys.resume());
    }
    std::vector<std::thread> many;  // more of them than lanes
    std::array<std::uint64_t, 8> sent{};
    for (std::uint64_t& mine : sent) {
      many.emplace_back([&] {
        for (std::uint32_t i = 0; i < 30; ++i)
          if (run.sys.send(run.all[i % population], ignored{})) ++mine;
      });
    }
    for (std::thread& t : many) t.join();
    for (const std::uint64_t n : sent) {
      EXPECT_EQ(n, 30U);
      run.host_sent += n;
    }
    expect_ok(run.sys.quiesce(20s));
    run.expect_all_walked();
    run.expect_books_like_states(0);
    EXPECT_EQ(run.sys.statistics().queued, 0U);
    EXPECT_EQ(run.sys.statistics().dead_total(), 0U);
  });
}

PERDURE_SHOW_EVERYWHERE(Crowd);

}  // namespace
