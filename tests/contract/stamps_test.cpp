// tests/contract/stamps_test.cpp - clause 4 for all events together: one order, and no stamp twice.
// Why: each actor's stamps rise, but a trace of a whole system needs that no two events are equal.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/contract/crowd_run.hpp"

namespace {

using namespace contract;
using perdure::event_time;
using perdure::ref;

class Stamps : public crowd_test {
 protected:
  template <class A, class Make>
  static perdure::range<A> spawn(perdure::system& sys, const Make& make) {
    const ref<A> first{sys.spawn<A>(1).value()[0].bits + 1};
    return sys.spawn<A>(population, [&](std::size_t) { return make(first); }).value();
  }
};

/// Batons go from runner to runner, and each runner writes to the host: legs of one baton, and
/// letters of one runner, have an order that the stamps must show.
TEST_P(Stamps, AllEventsHaveOneOrderInWhichEqualStampsAreOrderedByActor) {
  std::uint64_t ties = 0, seeded = 0;
  show(500, 20, [&](perdure::options o) {
    constexpr std::uint32_t batons = 12, legs = 12;
    auto sys = perdure::system::start(crowd::actors(), o).value();
    auto desk = sys.make_mailbox<leg>(batons * (legs + 1)).value();
    const auto runners = spawn<runner>(sys, [&](ref<runner> first) {
      runner r;
      r.first = first;
      r.desk = desk.ref();
      return r;
    });
    for (std::uint32_t i = 0; i < batons; ++i) expect_ok(sys.send(runners[i], baton{i, 0, legs}));
    struct event {
      event_time time;
      leg body;
    };
    std::vector<event> events;
    std::array<perdure::letter<leg>, 16> got;
    while (events.size() < batons * (legs + 1)) {
      const std::size_t n = desk.receive(got, 20s).value();
      ASSERT_GT(n, 0U) << events.size() << " letters came";
      for (std::size_t i = 0; i < n; ++i)
        events.push_back({{got[i].at, got[i].sender}, got[i].body});
    }
    std::sort(events.begin(), events.end(),
              [](const event& a, const event& b) { return a.time < b.time; });
    std::array<std::uint32_t, batons> position{};
    std::array<std::uint32_t, population> written{};
    for (std::size_t i = 0; i < events.size(); ++i) {
      const leg& l = events[i].body;
      EXPECT_EQ(l.position, position[l.baton]++) << "a leg before the one that caused it";
      EXPECT_EQ(l.written, ++written[events[i].time.actor.bits - runners[0].bits]);
      if (i == 0) continue;
      EXPECT_TRUE(events[i - 1].time != events[i].time) << "two events are one";
      ties += events[i - 1].time.at == events[i].time.at ? 1 : 0;
    }
    seeded += o.schedule == perdure::schedule::seeded ? 1 : 0;
  });
  EXPECT_TRUE(ties > 0 || seeded == 0) << "no two stamps were equal, so this tested little";
}

#ifdef PERDURE_SLOWED_DOWN
constexpr std::uint64_t stamps_wanted = 10'000'000;
#else
constexpr std::uint64_t stamps_wanted = 1'000'000'000;
#endif

/// An actor's stamps rise, within a call and from call to call: with the actor, each is there once.
TEST_P(Stamps, OfABillionNoneIsGivenTwice) {
  show(0, blocks, [](perdure::options o) {
    auto sys = perdure::system::start(crowd::actors(), o).value();
    const auto all = sys.spawn<stamper>(population).value();
    constexpr std::uint64_t calls = 50;
    for (const auto to : all)
      expect_ok(sys.send(to, draw{calls - 1, stamps_wanted / (blocks * population * calls) + 1}));
    expect_ok(sys.quiesce(100s));
    std::vector<stamper> states(population);
    expect_ok(sys.view(all, std::span<stamper>{states}));
    std::uint64_t drawn = 0;
    for (const stamper& s : states) {
      EXPECT_EQ(s.not_after_the_last, 0U);
      drawn += s.drawn;
    }
    EXPECT_GE(drawn, stamps_wanted / blocks);
  });
}

PERDURE_SHOW_EVERYWHERE(Stamps);

}  // namespace
