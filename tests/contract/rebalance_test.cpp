// tests/contract/rebalance_test.cpp - actors that are moved at rest: everything that was so stays so, and messages go less far.
// Shown by: traffic that depends on no schedule, walked again after the move; what was predicted is what is counted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tests/contract/talk_world.hpp"

namespace {

using namespace contract;
using namespace talk;
using perdure::errc;
using perdure::placement_report;
using reason = perdure::abi::dead_reason;

void expect_same(const perdure::tiers& a, const perdure::tiers& b) {
  EXPECT_EQ(a.same_worker, b.same_worker);
  EXPECT_EQ(a.same_cluster, b.same_cluster);
  EXPECT_EQ(a.elsewhere, b.elsewhere);
}

class Rebalance : public everywhere {
 protected:
  void SetUp() override { needs_device(talk::actors()); }
};

TEST_P(Rebalance, ThoseWhoTalkToEachOtherComeTogetherAndMessagesGoAsPredicted) {
  show(1'500, 60, [](perdure::options o) {
    world w{o};
    w.talk_all();
    const std::vector<talker> before = w.states();
    const std::uint32_t workers = w.sys.layout().workers;
    const placement_report counted = w.sys.placement().value();
    const auto r = w.sys.rebalance(20s);
    expect_ok(r);
    EXPECT_TRUE(r->counted);
    expect_same(r->sent, counted.sent);
    expect_same(r->sent, r->seen);  // so few messages are all sampled
    EXPECT_EQ(r->samples, r->sent.total());
    EXPECT_EQ(r->sent.total(), 2 * population * 20);
    EXPECT_EQ(r->from_hosts, 2 * population);
    EXPECT_EQ(r->predicted.total(), r->seen.total());
    EXPECT_GE(r->predicted.same_worker, r->seen.same_worker);
    if (workers > 1) {
      EXPECT_LT(r->seen.share_of_own_worker(), 0.7);
      EXPECT_GT(w.moved(*r), 0U);
      EXPECT_GT(r->predicted.share_of_own_worker(), r->seen.share_of_own_worker() + 0.15);
    }
    const std::vector<std::uint32_t> seats = w.seats();
    if (workers == 3) {  // two groups a worker: it can be had that nobody talks across workers
      EXPECT_EQ(r->predicted.same_worker, r->predicted.total());
      for (std::uint32_t i = 0; i < population; ++i) EXPECT_EQ(seats[i], seats[i / group * group]);
    }
    std::uint64_t busiest = 0, all = 0;
    for (const auto& load : r->workers) {
      busiest = std::max(busiest, load.after);
      all += load.after;
    }
    EXPECT_EQ(all, 2 * r->seen.total());
    EXPECT_LE(busiest * workers, all * 3 / 2 + all / 4);

    const std::vector<talker> after = w.states();
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(talker)), 0)
        << "a state has changed on its way";
    for (std::uint32_t i = 0; i < population; ++i) {
      const talker one = w.sys.view(w.all[i]).value();
      EXPECT_EQ(one.own, i);
      EXPECT_EQ(one.heard, before[i].heard);
      const auto said = w.sys.ask<answer>(w.all[i], question{}, 20s);
      expect_ok(said);
      EXPECT_EQ(said->own, i);
      EXPECT_EQ(said->heard, before[i].heard);
    }
    w.talk_all();
    w.expect_all_heard();
    expect_same(w.sys.placement()->sent, r->predicted);

    const auto again = w.sys.rebalance(20s);
    expect_ok(again);
    expect_same(again->seen, r->predicted);
    EXPECT_GE(again->predicted.same_worker, again->seen.same_worker);
    if (workers == 3) {
      EXPECT_EQ(w.moved(*again), 0U) << "all are well placed";
      EXPECT_EQ(w.seats(), seats);
    }
    const auto idle = w.sys.rebalance(20s);
    expect_ok(idle);
    EXPECT_EQ(w.moved(*idle), 0U) << "nothing was sent";
    EXPECT_EQ(idle->samples, 0U);
    w.talk_all();
    expect_same(w.sys.placement()->sent, again->predicted);
    w.expect_all_heard();
    expect_ok(w.sys.stop(20s));
    w.expect_all_heard();
  });
}

TEST_P(Rebalance, SlotsOfTheStoppedAndOfTheMovedAreUsedAgainAndOldReferencesStayDead) {
  show(800, 30, [](perdure::options o) {
    world w{o};
    constexpr std::uint32_t some = 10;
    // more who never talk and leave before the move, and more who talk and leave behind it
    const auto early = w.spawn(some, w.all[0]);
    const auto late = w.spawn(some, perdure::ref<talker>{early[0].bits + some});
    for (std::uint32_t i = 0; i < some; ++i) expect_ok(w.sys.send(early[i], leave{}));
    for (std::uint32_t n = 1; n <= 8; ++n)
      for (std::uint32_t i = 0; i < some / group * group; ++i)
        expect_ok(w.sys.send(late[i], word{population, n, 20, n * 40503U + i, w.sys.now()}));
    w.talk_all();
    const auto r = w.sys.rebalance(20s);
    expect_ok(r);
    if (w.sys.layout().workers == 3) {
      EXPECT_EQ(w.sys.worker_of(late[0]).value(), w.sys.worker_of(late[1]).value());
    }
    for (std::uint32_t i = 0; i < some; ++i) expect_ok(w.sys.send(late[i], leave{}));
    expect_ok(w.sys.quiesce(20s));
    for (const auto& gone : {early, late}) {
      const auto reused = w.spawn(some, w.all[0]);
      EXPECT_EQ(perdure::abi::ref_index(reused[0].bits), perdure::abi::ref_index(gone[0].bits));
      for (std::uint32_t i = 0; i < some; ++i) {
        EXPECT_NE(reused[i].bits, gone[i].bits);
        expect_error(w.sys.ask<answer>(gone[i], question{}, 20s), errc::receiver_down);
        const auto said = w.sys.ask<answer>(reused[i], question{}, 20s);
        expect_ok(said);
        EXPECT_EQ(said->own, i);
        EXPECT_EQ(said->heard, 0U);
      }
      std::vector<talker> states(some);
      expect_ok(w.sys.view(reused, std::span<talker>{states}));
      for (std::uint32_t i = 0; i < some; ++i) EXPECT_EQ(states[i].own, i);
    }
    // those who are new have no place in the table of the first move
    constexpr std::uint32_t many = 400;
    const auto young = w.spawn(many, w.all[0]);
    for (std::uint32_t i = 0; i < many; i += 7)
      EXPECT_EQ(w.sys.ask<answer>(young[i], question{}, 20s)->own, i);
    w.talk_all();
    for (int round = 0; round < 2; ++round) {
      for (std::uint32_t i = 0; i < group; ++i) expect_ok(w.sys.send(young[i * 9 + 3], hush{}));
      w.talk_all();
      expect_ok(w.sys.rebalance(20s));
      std::vector<talker> states(many);
      expect_ok(w.sys.view(young, std::span<talker>{states}));
      for (std::uint32_t i = 0; i < many; ++i) EXPECT_EQ(states[i].own, i);
    }
    w.talk_all();
    const std::vector<talker> now = w.states();
    for (const talker& t : now) EXPECT_EQ(t.out_of_order + t.out_of_time, 0U);
    const perdure::stats s = w.sys.statistics();
    EXPECT_EQ(s.dead[static_cast<std::size_t>(reason::stopped)], 2 * some);
    EXPECT_EQ(s.dead_total(), 2 * some);
    EXPECT_EQ(s.sent, s.handled + s.dead_total());
    expect_ok(w.sys.stop(20s));
  });
}

TEST_P(Rebalance, ASystemThatDoesNotRestIsLeftAsItIs) {
  show(300, 15, [](perdure::options o) {
    world w{o};
    w.talk_all();
    const std::vector<std::uint32_t> seats = w.seats();
    const std::vector<talker> before = w.states();
    for (std::uint32_t i = 0; i < population; i += group)
      expect_ok(w.sys.send(w.all[i], chatter{}));
    const auto r = w.sys.rebalance(5ms);
    expect_error(r, errc::timeout);
    EXPECT_NE(r.error().context().find("messages were queued"), std::string::npos)
        << r.error().context();
    EXPECT_EQ(w.seats(), seats);
    for (std::uint32_t i = 0; i < population; ++i) expect_ok(w.sys.send(w.all[i], hush{}));
    expect_ok(w.sys.quiesce(20s));
    EXPECT_EQ(w.states()[0].heard, before[0].heard);
    w.talk_all();
    expect_ok(w.sys.rebalance(20s));
    w.talk_all();
    w.expect_all_heard();
    EXPECT_EQ(w.sys.statistics().dead_total(), 0U);
  });
}

TEST_P(Rebalance, WhoseTimerIsPendingStaysUntilItHasFired) {
  show(600, 15, [](perdure::options o) {
    world w{o};
    const bool slow = o.schedule == perdure::schedule::parallel;
    w.talk_all();
    for (std::uint32_t i = 0; i < group; ++i)
      expect_ok(w.sys.send(w.all[i], sleep_for{slow ? 200'000'000U : 500'000'000U}));
    expect_ok(w.sys.quiesce(20s));
    const std::vector<std::uint32_t> seats = w.seats();
    const auto r = w.sys.rebalance(20s);
    expect_ok(r);
    const std::vector<std::uint32_t> now = w.seats();
    expect_ok(w.sys.pause(20s));  // a timer may fire at any moment, and then nothing can be viewed
    const std::vector<talker> behind = w.states();
    expect_ok(w.sys.resume());
    if (std::none_of(behind.begin(), behind.end(), [](const talker& t) { return t.woken != 0; })) {
      EXPECT_EQ(r->kept, group);
      EXPECT_TRUE(std::equal(seats.begin(), seats.begin() + group, now.begin()));
    } else {
      EXPECT_TRUE(slow) << "no machine is too slow for time that it makes itself";
    }
    w.talk_all();
    std::uint32_t woken = 0;
    for (int tries = 0; tries < 200'000 && woken < group; ++tries) {
      woken = 0;
      for (std::uint32_t i = 0; i < group; ++i)
        woken += w.sys.view(w.all[i]).value_or(talker{}).woken;
      if (slow) std::this_thread::sleep_for(1ms);
      (void)w.sys.quiesce(20s);
    }
    EXPECT_EQ(woken, group);
    const auto free = w.sys.rebalance(20s);
    expect_ok(free);
    EXPECT_EQ(free->kept, 0U);
    if (w.sys.layout().workers == 3) {
      const std::vector<std::uint32_t> together = w.seats();
      EXPECT_EQ(std::count(together.begin(), together.begin() + group, together[0]), group);
    }
    w.talk_all();
    w.expect_all_heard();
  });
}

/// With time that passes only when workers turn, a worker's clock can be far ahead of it, and of another worker's.
TEST_P(Rebalance, WhoIsMovedAwayFromAClockThatIsAheadStillHasStampsThatRise) {
  int runs = 0, moves = 0;
  show(20, 0, [&](perdure::options o) {
    world w{o};
    w.talk_all();
    const std::vector<std::uint32_t> seats = w.seats();
    expect_ok(w.sys.send(w.all[5], draw{40'000'000}));  // 600 us
    expect_ok(w.sys.quiesce(20s));
    expect_ok(w.sys.rebalance(20s));
    const std::vector<std::uint32_t> now = w.seats();
    ++runs;
    if (now[5] == seats[5]) return;
    ++moves;
    EXPECT_EQ(w.sys.ask<answer>(w.all[5], question{}, 20s)->own, 5U);
    w.talk_all();
    w.expect_all_heard();
  });
  if (runs > 2) {
    EXPECT_GT(moves, 0) << "of " << runs;
  }
}

TEST_P(Rebalance, WhereItCannotBeItIsSaidWhy) {
  show(30, 10, [](perdure::options o) {
    {
      world w{o, perdure::placement::fixed};
      w.talk_all();
      const auto r = w.sys.rebalance(20s);
      expect_error(r, errc::bad_option);
      EXPECT_NE(r.error().context().find("options.placement"), std::string::npos);
      const placement_report p = w.sys.placement().value();
      EXPECT_FALSE(p.counted);
      EXPECT_EQ(p.sent.total(), 0U);
      ASSERT_EQ(p.types.size(), 1U);
      EXPECT_EQ(p.types[0].name, "talk::talker");
      EXPECT_EQ(p.types[0].actors, population + 1);
      std::uint64_t at = 0;
      for (const std::uint64_t n : p.types[0].at) at += n;
      EXPECT_EQ(at, population + 1);
      EXPECT_EQ(w.sys.worker_of(w.all[0]).value(), 1 % w.sys.layout().workers);
      w.expect_all_heard();
    }
    world w{o};
    expect_error(w.sys.worker_of(perdure::any_ref{}), errc::null_ref);
    expect_error(w.sys.worker_of(perdure::any_ref{w.all[0].bits + 1000}), errc::receiver_down);
    expect_ok(w.sys.pause(20s));
    expect_error(w.sys.rebalance(20s), errc::busy);
    expect_ok(w.sys.placement());
    expect_ok(w.sys.resume());
    w.talk_all();
    expect_ok(w.sys.rebalance(20s));
    expect_ok(w.sys.stop(20s));
    expect_error(w.sys.rebalance(20s), errc::closed);
    EXPECT_EQ(w.sys.placement()->sent.total(), 0U) << "counted anew";
  });
}

PERDURE_SHOW_EVERYWHERE(Rebalance);

}  // namespace
