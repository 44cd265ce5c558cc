// tests/contract/clause_04_hybrid_time_test.cpp - if e happened before f, hlc(e) < hlc(f).
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::hlc;
using perdure::ref;

constexpr std::uint32_t population = 9;

/// Carries the stamp of an event that happened before it was sent.
struct stamped {
  hlc before;
  std::uint32_t hops;
  std::uint32_t draws;  ///< looks at the clock that the receiver makes: a fast clock
};
struct seen {
  hlc at;
};
struct watcher : actor<watcher> {
  ref<watcher> first;
  ref<perdure::host<seen>> desk{};
  hlc last;
  std::uint32_t errors = 0;
  void on(const stamped& m, context& ctx) {
    const hlc now = ctx.now();
    if (!(m.before < now)) ++errors;
    if (!(last < now)) ++errors;  // also: no two events of one actor share a stamp
    last = now;
    for (std::uint32_t i = 0; i < m.draws; ++i) {
      const hlc next = ctx.now();
      if (!(last < next)) ++errors;
      last = next;
    }
    if (m.hops != 0) {
      const std::uint64_t dice = ctx.random();
      const hlc before = ctx.now();
      ctx.send(ref<watcher>{first.bits + dice % population},
               stamped{before, m.hops - 1,
                       dice % 16 == 0 ? static_cast<std::uint32_t>(dice >> 20U & 0xfffU) : 0});
      last = ctx.now();
    }
    if (desk) ctx.send(desk, seen{last});
    ctx.reply(seen{last});
  }
};

class Clause04 : public program_of<handles<watcher, stamped>, letters<seen>> {
 protected:
  static perdure::range<watcher> spawn(perdure::system& sys) {
    const std::uint64_t first = sys.spawn<watcher>(1).value()[0].bits + 1;
    return sys
        .spawn<watcher>(population,
                        [&](std::size_t) {
                          watcher w;
                          w.first = ref<watcher>{first};
                          return w;
                        })
        .value();
  }
};

TEST_F(Clause04, TimeRisesAlongEveryChainOfMessages) {
  under_every_schedule(60, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    for (std::uint32_t i = 0; i < 40; ++i)
      expect_ok(sys.send(all[i % population], stamped{sys.now(), 40, i == 0 ? 70'000U : 0U}));
    expect_ok(sys.quiesce(20s));
    std::vector<watcher> states(population);
    expect_ok(sys.view(all, std::span<watcher>{states}));
    for (const watcher& w : states) EXPECT_EQ(w.errors, 0U);
    expect_exact_books(sys);
  });
}
TEST_F(Clause04, ARequestComesAfterTheHostsPastAndAReplyBeforeItsFuture) {
  under_every_schedule(20, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    hlc last{};
    for (std::uint32_t i = 0; i < 50; ++i) {
      const hlc before = sys.now();
      EXPECT_TRUE(last < before) << "a host that has seen a reply is past it";
      // every fifth actor runs far ahead of the wall clock
      const auto r =
          sys.ask<seen>(all[i % population], stamped{before, 0, i % 5 == 0 ? 100'000U : 0U}, 20s);
      ASSERT_TRUE(r.has_value()) << r.error().message();
      EXPECT_TRUE(before < r->at);
      last = r->at;
    }
    std::vector<watcher> states(population);
    expect_ok(sys.quiesce(10s));
    expect_ok(sys.view(all, std::span<watcher>{states}));
    for (const watcher& w : states) EXPECT_EQ(w.errors, 0U);
  });
}
TEST_F(Clause04, AHostIsPastWhatItHasReadThoughTheActorsClockIsFarAhead) {
  auto sys = perdure::system::start(actors, tight(perdure::schedule::seeded, 1)).value();
  auto desk = sys.make_mailbox<seen>(4).value();
  watcher writes;
  writes.desk = desk.ref();
  const auto ahead = sys.spawn<watcher>(1, writes).value()[0];
  const auto behind = sys.spawn<watcher>(1).value()[0];  // of another worker
  constexpr std::uint32_t draws = 20'000'000;            // 300 microseconds in a turn of one
  hlc last{};
  for (int i = 0; i < 2; ++i) {
    const hlc asked = sys.now();
    EXPECT_TRUE(last < asked);
    expect_ok(sys.send(ahead, stamped{asked, 0, i == 0 ? draws : 0}));
    perdure::letter<seen> got[1];
    ASSERT_EQ(desk.receive(got, 20s).value(), 1U);
    EXPECT_TRUE(asked < got[0].body.at && got[0].body.at < got[0].at);
    const hlc read = sys.now();
    EXPECT_TRUE(got[0].at < read);
    const auto answer = sys.ask<seen>(behind, stamped{read, 0, 0}, 20s);
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    EXPECT_TRUE(read < answer->at);
    last = answer->at;
  }
  EXPECT_GT(last.microseconds(), 1'000'000U + 250U);
  EXPECT_EQ(sys.view(behind).value().errors, 0U);
}
TEST_F(Clause04, WhatAHostTellsAnotherSystemComesAfterWhatItHasSeenOfTheFirst) {
  const auto o = tight(perdure::schedule::parallel, 1);
  auto one = perdure::system::start(actors, o).value();
  auto other = perdure::system::start(actors, o).value();
  auto here = spawn(one);
  auto there = spawn(other);
  hlc last{};
  for (std::uint32_t i = 0; i < 5'000; ++i) {  // several within each microsecond
    for (perdure::system* sys : {&one, &other}) {
      const hlc now = sys->now();
      ASSERT_TRUE(last < now) << "at " << i;
      last = now;
    }
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto first = one.ask<seen>(here[i % population], stamped{last, 0, 1'000}, 20s);
    ASSERT_TRUE(first.has_value()) << first.error().message();
    EXPECT_TRUE(last < first->at);
    const auto second = other.ask<seen>(there[i % population], stamped{first->at, 0, 1'000}, 20s);
    ASSERT_TRUE(second.has_value()) << second.error().message();
    EXPECT_TRUE(first->at < second->at);
    last = second->at;
  }
  expect_ok(one.quiesce(20s));
  expect_ok(other.quiesce(20s));
  for (auto w : here) EXPECT_EQ(one.view(w).value().errors, 0U);
  for (auto w : there) EXPECT_EQ(other.view(w).value().errors, 0U);
}
TEST_F(Clause04, TheHostsOwnTimeRisesAndIsNearTheWallClock) {
  auto sys = perdure::system::start(actors, tight(perdure::schedule::parallel, 1)).value();
  hlc last{};
  for (int i = 0; i < 10'000; ++i) {
    const hlc now = sys.now();
    ASSERT_TRUE(last < now);
    last = now;
  }
  const auto wall = std::chrono::duration_cast<std::chrono::microseconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count() -
                    1'767'225'600'000'000;
  EXPECT_NEAR(static_cast<double>(last.microseconds()), static_cast<double>(wall), 1e6);
}

}  // namespace
