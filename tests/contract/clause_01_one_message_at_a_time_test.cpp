// tests/contract/clause_01_one_message_at_a_time_test.cpp - an actor handles one message at a time; its state is its own.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;

struct nudge {
  std::uint32_t hops;
};

/// `inside` is plain memory: a second handler call at the same time would see it set (and TSan would see a race).
struct busy : actor<busy> {
  ref<busy> first;
  std::uint32_t population = 1;
  std::uint32_t inside = 0;
  std::uint32_t overlaps = 0;
  std::uint64_t handled = 0;
  std::uint64_t guard[4] = {1, 2, 3, 4};

  void on(const nudge& m, context& ctx) {
    overlaps += inside;
    inside = 1;
    if (handled % 16 == 0) std::this_thread::yield();
    const std::uint64_t dice = ctx.random();
    // one in two goes to the hot actor, which all workers send to at once
    const std::uint64_t to = dice % 2 == 0 ? 0 : dice / 2 % population;
    if (m.hops != 0) ctx.send(ref<busy>{first.bits + to}, nudge{m.hops - 1});
    ++handled;
    inside = 0;
  }
};

TEST(Clause01, AnActorHandlesOneMessageAtATimeAndNobodyElseTouchesItsState) {
  registry program;
  program.actor<busy, nudge>();
  const perdure::program& actors = program.done();
  under_every_schedule(60, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    constexpr std::uint32_t population = 50;
    constexpr std::uint32_t messages = 100;
    constexpr std::uint32_t hops = 30;
    const std::uint64_t first = sys.spawn<busy>(1).value()[0].bits + 1;
    auto all = sys.spawn<busy>(population,
                               [&](std::size_t) {
                                 busy b;
                                 b.first = ref<busy>{first};
                                 b.population = population;
                                 return b;
                               })
                   .value();
    ASSERT_EQ(all[0].bits, first);
    for (std::uint32_t i = 0; i < messages; ++i)
      expect_ok(sys.send(all[i % population], nudge{hops}));
    expect_ok(sys.quiesce(20s));
    std::vector<busy> states(population);
    expect_ok(sys.view(all, std::span<busy>{states}));
    std::uint64_t handled = 0;
    for (const busy& b : states) {
      EXPECT_EQ(b.overlaps, 0U);
      EXPECT_EQ(b.inside, 0U);
      for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(b.guard[k], k + 1);
      handled += b.handled;
    }
    EXPECT_EQ(handled, messages * (hops + 1U));
    expect_exact_books(sys);
  });
}

}  // namespace
