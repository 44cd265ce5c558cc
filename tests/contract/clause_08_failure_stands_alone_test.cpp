// tests/contract/clause_08_failure_stands_alone_test.cpp - an actor that fails stops itself only.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;
using reason = perdure::abi::dead_reason;

constexpr std::uint32_t population = 30;

struct work {
  std::uint32_t number;
  bool fails;
};
struct done {
  std::uint32_t number;
};
struct collector : actor<collector> {
  std::uint64_t got = 0;
  std::uint64_t sum = 0;
  void on(const done& m, context&) {
    ++got;
    sum += m.number;
  }
};
struct hand : actor<hand> {
  ref<collector> to;
  std::uint64_t handled = 0;
  std::uint64_t guard = 0x1234'5678'9abc'def0U;
  void on(const work& m, context& ctx) {
    ++handled;
    ctx.send(to, done{m.number});
    if (m.fails) ctx.fail(m.number);
    ctx.send(to, done{1'000'000});  // also what it sends after fail() and before it returns
  }
};

using Clause08 = program_of<handles<hand, work>, handles<collector, done>>;

TEST_F(Clause08, AFailureStopsItsOwnActorOnlyAndItsSendsStand) {
  under_every_schedule(60, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const ref<collector> all_done = sys.spawn<collector>(1).value()[0];
    auto hands = sys.spawn<hand>(population,
                                 [&](std::size_t) {
                                   hand h;
                                   h.to = all_done;
                                   return h;
                                 })
                     .value();
    // every third actor fails at its second message of five
    std::uint64_t sum = 0;
    std::uint64_t handled = 0;
    for (std::uint32_t round = 1; round <= 5; ++round) {
      for (std::uint32_t i = 0; i < population; ++i) {
        const bool broken = i % 3 == 0;
        expect_ok(sys.send(hands[i], work{round, broken && round == 2}));
        if (!broken || round <= 2) {
          sum += round + 1'000'000;
          ++handled;
        }
      }
    }
    expect_ok(sys.quiesce(20s));
    const collector c = sys.view(all_done).value();
    EXPECT_EQ(c.got, 2 * handled);
    EXPECT_EQ(c.sum, sum);
    std::vector<hand> states(population);
    expect_ok(sys.view(hands, std::span<hand>{states}));
    for (std::uint32_t i = 0; i < population; ++i) {
      EXPECT_EQ(states[i].handled, i % 3 == 0 ? 2U : 5U);
      EXPECT_EQ(states[i].guard, hand{}.guard);
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.failed, population / 3);
    EXPECT_EQ(s.stopped, population / 3);
    EXPECT_EQ(dead(s, reason::stopped), population / 3 * 3U);
    EXPECT_EQ(s.dead_total(), population / 3 * 3U);
    expect_exact_books(sys);
  });
}

}  // namespace
