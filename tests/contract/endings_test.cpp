// tests/contract/endings_test.cpp - how lives, asks and messages end, on every backend: clauses 3, 5, 6, 7 and 8.
// Why: the clauses' own tests run on CPU threads; what they say of failures and losses holds on a device as well.
// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "endings.actors.hpp"  // made by the build from actors/endings.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using namespace endings;
using perdure::errc;
using perdure::ref;
using reason = perdure::abi::dead_reason;

class Endings : public everywhere {
 protected:
  void SetUp() override { needs_device(endings::actors()); }

  static perdure::range<clerk> spawn(perdure::system& sys, std::size_t n, ref<clerk> to,
                                     std::uint32_t born = 0) {
    clerk c;
    c.to = to;
    c.born = born;
    return sys.spawn<clerk>(n, c).value();
  }
  static std::uint64_t dead(const perdure::stats& s, reason why) {
    return s.dead[static_cast<std::size_t>(why)];
  }
  /// Spawns one actor in the slot of one that stops: quiesce() has brought the news of its end.
  static ref<clerk> succeed(perdure::system& sys, ref<clerk> old, std::uint32_t born) {
    expect_ok(sys.quiesce(20s));
    const ref<clerk> fresh = spawn(sys, 1, {}, born)[0];
    EXPECT_EQ(perdure::abi::ref_index(fresh.bits), perdure::abi::ref_index(old.bits))
        << "the slot was not used again";
    return fresh;
  }
};

TEST_P(Endings, AFailureStopsItsOwnActorOnlyAndItsSendsStand) {
  show(300, 20, [](perdure::options o) {
    constexpr std::uint32_t population = 30;
    auto sys = perdure::system::start(endings::actors(), o).value();
    const ref<clerk> head = spawn(sys, 1, {})[0];
    const auto hands = spawn(sys, population, head);
    // every third one fails at its second message of five
    std::uint64_t sum = 0, handled = 0;
    for (std::uint32_t round = 1; round <= 5; ++round) {
      for (std::uint32_t i = 0; i < population; ++i) {
        const bool broken = i % 3 == 0;
        expect_ok(sys.send(hands[i], work{round, broken && round == 2}));
        if (broken && round > 2) continue;
        sum += round + 1'000'000;
        ++handled;
      }
    }
    expect_ok(sys.quiesce(20s));
    const clerk all = sys.view(head).value();
    EXPECT_EQ(all.told, 2 * handled);
    EXPECT_EQ(all.sum, sum);
    std::vector<clerk> states(population);
    expect_ok(sys.view(hands, std::span{states}));
    for (std::uint32_t i = 0; i < population; ++i)
      EXPECT_EQ(states[i].handled, i % 3 == 0 ? 2U : 5U) << "hand " << i;
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.failed, population / 3);
    EXPECT_EQ(s.stopped, population / 3);
    EXPECT_EQ(dead(s, reason::stopped), population / 3 * 3U);
    EXPECT_EQ(s.dead_total(), population / 3 * 3U);
    expect_exact_books(sys);
  });
}
TEST_P(Endings, TheFirstReplyCountsAndOneGivenByAnActorThatFailsStands) {
  show(300, 20, [](perdure::options o) {
    auto sys = perdure::system::start(endings::actors(), o).value();
    const auto clerks = spawn(sys, 5, {});
    std::vector<std::future<perdure::result<answer>>> open;
    for (std::uint32_t i = 0; i < 40; ++i)
      open.push_back(sys.ask_async<answer>(clerks[i % 4], question{i, 1 + i % 3, false}, 60s));
    auto last = sys.ask_async<answer>(clerks[4], question{7, 1, true}, 60s);
    auto none = sys.ask_async<answer>(clerks[4], question{8, 1, false}, 60s);
    expect_ok(sys.quiesce(20s));  // then all replies are there
    std::uint64_t late = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
      ASSERT_EQ(open[i].wait_for(0s), std::future_status::ready) << i;
      EXPECT_EQ(open[i].get().value().number, i);
      late += i % 3;
    }
    ASSERT_EQ(last.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(last.get().value().number, 7U);
    ASSERT_EQ(none.wait_for(0s), std::future_status::ready);
    expect_error(none.get(), errc::receiver_down);
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.late_replies, late);
    EXPECT_EQ(s.unasked, 0U);
    expect_exact_books(sys);
  });
}
TEST_P(Endings, LossesAreCountedAndToldWithSenderTypesAndReason) {
  show(100, 10, [](perdure::options o) {
    std::mutex mutex;
    std::vector<perdure::dead_letter> told;
    o.on_dead_letter = [&](const perdure::dead_letter& d) {
      const std::lock_guard lock{mutex};
      told.push_back(d);
    };
    auto sys = perdure::system::start(endings::actors(), o).value();
    std::optional<perdure::mailbox<done>> box{sys.make_mailbox<done>(4).value()};
    clerk c;
    c.box = box->ref();
    c.to = spawn(sys, 1, {})[0];
    const auto writers = sys.spawn<clerk>(3, c).value();
    box.reset();
    expect_ok(sys.send(writers[0], write_to{stray::null}));
    expect_ok(sys.send(writers[1], write_to{stray::foreign}));
    expect_ok(sys.send(writers[2], write_to{stray::other_box}));
    expect_ok(sys.quiesce(20s));
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(dead(s, reason::null_ref), 1U);
    EXPECT_EQ(dead(s, reason::foreign), 1U);
    EXPECT_EQ(dead(s, reason::no_mailbox), 1U);
    EXPECT_EQ(s.dead_total(), 3U);
    expect_exact_books(sys);
    // the service thread may be about to call
    for (int i = 0; i < 5'000 && (std::lock_guard{mutex}, told.size() < 2); ++i) {
      (void)sys.quiesce(1s);
      if (o.schedule == perdure::schedule::parallel) std::this_thread::sleep_for(1ms);
    }
    const std::lock_guard lock{mutex};
    ASSERT_EQ(told.size(), 2U) << "a letter to a closed mailbox is counted only";
    for (const perdure::dead_letter& d : told) {
      const bool null = d.reason == reason::null_ref;
      EXPECT_TRUE(null || d.reason == reason::foreign);
      EXPECT_EQ(d.sender, perdure::any_ref{writers[null ? 0 : 1].bits});
      EXPECT_EQ(bool{d.receiver}, !null);
      EXPECT_EQ(d.actor_type, "endings::clerk");
      EXPECT_EQ(d.message_type, "endings::done");
    }
  });
}
TEST_P(Endings, AStaleReferenceNeverReachesTheSuccessor) {
  show(100, 10, [](perdure::options o) {
    auto sys = perdure::system::start(endings::actors(), o).value();
    ref<clerk> old = spawn(sys, 1, {}, 100)[0];
    std::uint64_t lost = 0;
    for (std::uint32_t born = 101; born < 105; ++born) {
      expect_ok(sys.send(old, leave{}));
      for (int i = 0; i < 5; ++i) expect_ok(sys.send(old, done{1}));  // queued behind its end
      const ref<clerk> fresh = succeed(sys, old, born);
      const ref<clerk> friend_of = spawn(sys, 1, old)[0];
      expect_ok(sys.send(friend_of, work{1, false}));  // two
      expect_error(sys.ask<answer>(old, question{1, 1, false}, 20s), errc::receiver_down);
      expect_ok(sys.quiesce(20s));
      lost += 5 + 2 + 1;
      expect_error(sys.view(old), errc::receiver_down);
      EXPECT_EQ(sys.view(fresh).value().told, 0U) << "a stale reference reached the new actor";
      EXPECT_EQ(sys.ask<answer>(fresh, question{1, 1, false}, 20s).value().number, born + 1);
      old = fresh;
    }
    EXPECT_EQ(dead(sys.statistics(), reason::stopped), lost);
    EXPECT_EQ(sys.statistics().dead_total(), lost);
    expect_exact_books(sys);
  });
}
TEST_P(Endings, AStopOfAPausedSystemHandlesItsQueueAndWhatThatSends) {
  show(100, 10, [](perdure::options o) {
    auto sys = perdure::system::start(endings::actors(), o).value();
    const ref<clerk> head = spawn(sys, 1, {})[0];
    const auto hands = spawn(sys, 5, head);
    expect_ok(sys.pause(20s));
    for (std::uint32_t i = 0; i < 10; ++i) expect_ok(sys.send(hands[i % 5], work{i, false}));
    expect_exact_books(sys, 10);
    expect_ok(sys.stop(20s));
    EXPECT_EQ(sys.statistics().handled, 10U + 20U);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
    EXPECT_EQ(sys.view(head).value().told, 20U) << "states can be read after the end";
    expect_error(sys.send(hands[0], work{1, false}), errc::closed);
  });
}

PERDURE_SHOW_EVERYWHERE(Endings);

}  // namespace
