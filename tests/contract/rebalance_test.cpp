// tests/contract/rebalance_test.cpp - actors that are moved at rest: everything that was so stays so, and messages go less far.
// Shown by: traffic that depends on no schedule, walked again after the move; what was predicted is what is counted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "talk.actors.hpp"  // made by the build from actors/talk.hpp
#include "tests/contract/places.hpp"

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

struct world {
  explicit world(perdure::options o, perdure::placement how = perdure::placement::counted)
      : sys{[&] {
          o.placement = how;
          return perdure::system::start(talk::actors(), o).value();
        }()} {
    const perdure::ref<talker> first{sys.spawn<talker>(1).value()[0].bits + 1};
    all = spawn(population, first);
  }
  perdure::range<talker> spawn(std::size_t n, perdure::ref<talker> first) {
    return sys
        .spawn<talker>(n,
                       [&](std::size_t i) {
                         talker t;
                         t.first = first;
                         t.own = static_cast<std::uint32_t>(i);
                         return t;
                       })
        .value();
  }
  void say(std::uint32_t to, std::uint32_t value, std::uint32_t hops, std::uint32_t host = 0) {
    expect_ok(
        sys.send(all[to], word{population + host, ++numbers[host][to], hops, value, sys.now()}));
    words[host] += hops + 1;
  }
  /// The same traffic, whenever and wherever; some 1,000 words.
  void talk_all() {
    for (std::uint32_t i = 0; i < 2 * population; ++i) say(i % population, i * 40503U, 20);
    expect_ok(sys.quiesce(20s));
  }
  std::vector<talker> states() {
    std::vector<talker> out(population);
    expect_ok(sys.view(all, std::span<talker>{out}));
    return out;
  }
  std::vector<std::uint32_t> seats() {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < population; ++i) out.push_back(sys.worker_of(all[i]).value());
    return out;
  }
  /// Of an idle system: nothing lost, nothing twice, in order of pairs and of causes.
  void expect_all_heard() {
    const std::vector<talker> now = states();
    std::uint64_t heard = 0;
    for (std::uint32_t i = 0; i < population; ++i) {
      SCOPED_TRACE("talker " + std::to_string(i));
      heard += now[i].heard;
      EXPECT_EQ(now[i].own, i);
      EXPECT_EQ(now[i].out_of_order, 0U);
      EXPECT_EQ(now[i].out_of_time, 0U);
      for (std::uint32_t from = 0; from < population; ++from)
        EXPECT_EQ(now[i].got[from], now[from].said[i]) << "from " << from;
      for (std::uint32_t host = 0; host < hosts; ++host)
        EXPECT_EQ(now[i].got[population + host], numbers[host][i]) << "from host thread " << host;
    }
    std::uint64_t said = 0;
    for (const std::uint64_t n : words) said += n;
    EXPECT_EQ(heard, said);
    expect_exact_books(sys);
  }
  std::uint64_t moved(const placement_report& r) const { return r.types[0].moved; }

  perdure::system sys;
  perdure::range<talker> all;
  std::array<std::uint64_t, hosts> words{};
  std::array<std::array<std::uint32_t, population>, hosts> numbers{};
};

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

TEST_P(Rebalance, HostsThatSendMeanwhileWaitAndNothingIsLost) {
  show(0, 30, [](perdure::options o) {
    o.send_timeout = 20s;
    world w{o};
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&, host] {
        for (std::uint32_t i = 0; !done.load() || i < 60; ++i) {
          const std::uint32_t to = (i * 7 + host) % population;
          if (host == 0) {
            EXPECT_EQ(w.sys.ask<answer>(w.all[to], question{}, 20s).value().own, to);
          } else {
            w.say(to, i * 7919, 9, host);
          }
          if (i % 4 != 0) continue;
          const auto tried = w.sys.try_send(w.all[to], hush{});
          if (!tried) {
            EXPECT_EQ(tried.error().code(), errc::inbox_full);
          }
        }
      });
    }
    for (int i = 0; i < 6; ++i) {
      const auto r = w.sys.rebalance(20s);
      expect_ok(r);
      std::this_thread::sleep_for(1ms);
    }
    done.store(true);
    for (std::thread& t : threads) t.join();
    expect_ok(w.sys.quiesce(20s));
    w.expect_all_heard();
    EXPECT_EQ(w.sys.statistics().dead_total(), 0U);
    expect_ok(w.sys.stop(20s));
  });
}

/// Chatterers do not come to rest, so senders are held back for all of the time that rebalance() has. With a seed no time
/// passes for who is held back.
TEST_P(Rebalance, WhoIsHeldBackHasItsOwnTime) {
  show(0, 12, [](perdure::options o) {
    o.send_timeout = 1ms;
    world w{o};
    for (std::uint32_t i = 0; i < population; i += group) w.sys.send(w.all[i], chatter{}).value();
    std::atomic<bool> enough{false}, over{false};
    std::thread other{[&] {
      for (int i = 0; i < 400 && !enough.load(); ++i) {
        const auto r = w.sys.rebalance(50ms);
        EXPECT_FALSE(r.has_value());
      }
      over.store(true);
    }};
    const auto held = [](const auto& r) {
      return !r && r.error().code() == errc::inbox_full &&
             r.error().context().find("rebalance") != std::string::npos;
    };
    bool tried = false, sent = false, asked = false;
    while (!over.load() && !(tried && sent && asked)) {
      tried = tried || held(w.sys.try_send(w.all[1], question{}));
      sent = sent || held(w.sys.send(w.all[1], question{}));
      asked = asked || held(w.sys.ask<answer>(w.all[1], question{}, 1ms));
    }
    enough.store(true);
    other.join();
    EXPECT_TRUE(tried && sent && asked) << tried << sent << asked;
    for (std::uint32_t i = 0; i < population; ++i)
      expect_ok(w.sys.ask<answer>(w.all[i], question{}, 20s));
    for (std::uint32_t i = 0; i < population; ++i) {
      while (!w.sys.send(w.all[i], hush{})) {
      }
    }
    expect_ok(w.sys.quiesce(20s));
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
    const std::vector<talker> behind = w.states();
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
