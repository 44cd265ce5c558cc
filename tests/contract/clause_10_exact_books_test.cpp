// tests/contract/clause_10_exact_books_test.cpp - sent = handled + dead letters + still queued, whenever idle or paused.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;
using reason = perdure::abi::dead_reason;

constexpr std::uint32_t population = 16;

/// Twice the size of what fits beside an envelope in 64 bytes.
struct spark {
  std::uint32_t hops;
  std::uint32_t width;  ///< messages sent for each taken
  std::array<std::uint32_t, 12> fill;
};
struct large_spark {
  std::uint32_t hops;
  std::array<std::uint32_t, 100> fill;
};
struct tinder : actor<tinder> {
  ref<tinder> first;
  std::uint64_t handled = 0;
  std::uint64_t torn = 0;
  void on(const spark& m, context& ctx) {
    ++handled;
    for (std::uint32_t f : m.fill) torn += f != m.hops ? 1 : 0;
    for (std::uint32_t i = 0; m.hops != 0 && i < m.width; ++i) {
      spark next{m.hops - 1, m.width, {}};
      next.fill.fill(next.hops);
      ctx.send(ref<tinder>{first.bits + ctx.random() % population}, next);
    }
  }
  void on(const large_spark& m, context& ctx) {
    ++handled;
    for (std::uint32_t f : m.fill) torn += f != m.hops ? 1 : 0;
    for (int i = 0; m.hops != 0 && i < 2; ++i) {
      large_spark next{m.hops - 1, {}};
      next.fill.fill(next.hops);
      ctx.send(ref<tinder>{first.bits + ctx.random() % population}, next);
    }
  }
};

class Clause10 : public program_of<handles<tinder, spark, large_spark>> {
 protected:
  static perdure::range<tinder> spawn(perdure::system& sys) {
    return spawn_peers<tinder>(sys, population, [](ref<tinder> first, std::size_t) {
      tinder t;
      t.first = first;
      return t;
    });
  }
  static spark first_spark(std::uint32_t hops, std::uint32_t width) {
    spark s{hops, width, {}};
    s.fill.fill(hops);
    return s;
  }
  static void expect_whole(perdure::system& sys, perdure::range<tinder> all) {
    std::vector<tinder> states(population);
    expect_ok(sys.view(all, std::span<tinder>{states}));
    std::uint64_t handled = 0;
    for (const tinder& t : states) {
      EXPECT_EQ(t.torn, 0U);
      handled += t.handled;
    }
    EXPECT_EQ(handled, sys.statistics().handled);
  }
};

TEST_F(Clause10, AnAmplifyingProgramEndsWithExhaustedCountedAndExactBooks) {
  std::uint64_t exhausted = 0;
  under_every_schedule(15, 10, [&](perdure::options o) {
    o.spill_slots = 64;
    o.stall_time = 50us;
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    // what survives is bounded by what the stocks hold: so it is their generations that must be too many
    for (std::uint32_t i = 0; i < 4; ++i)
      expect_ok(sys.send(all[i], first_spark(1'000'000'000, 2)));
    perdure::stats seen = sys.statistics();
    // how soon depends on the machine, that it does not: the bound is only there to say so rather than to hang
    for (const auto end = std::chrono::steady_clock::now() + 60s;
         dead(seen, reason::exhausted) == 0 && std::chrono::steady_clock::now() < end;) {
      seen = sys.statistics();
    }
    EXPECT_GT(dead(seen, reason::exhausted), 0U) << "it never ran out";
    EXPECT_EQ(seen.exhausted_pair, "tinder -> tinder");
    exhausted += dead(seen, reason::exhausted);
    // the rest are dead letters `shutdown`
    const auto outcome = sys.stop(10ms);
    not_kept_waiting(outcome);
    expect_error(outcome, perdure::errc::timeout);
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.sent, s.handled + s.dead_total());
    EXPECT_EQ(s.queued, 0U);
    expect_whole(sys, all);
  });
  EXPECT_GT(exhausted, 0U);
}
TEST_F(Clause10, AnAmplifyingProgramThatEndsComesToRestWithExactBooks) {
  std::uint64_t exhausted = 0;
  std::uint64_t buffers = 0;
  under_every_schedule(30, 20, [&](perdure::options o) {
    o.spill_slots = 64;
    o.buffer_slots = 32;
    o.stall_time = 20us;
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    for (std::uint32_t i = 0; i < 4; ++i) expect_ok(sys.send(all[i], first_spark(10, 2)));
    expect_ok(sys.quiesce(30s));
    expect_exact_books(sys);
    for (std::uint32_t i = 0; i < population; ++i) expect_ok(sys.send(all[i], first_spark(3, 3)));
    expect_ok(sys.quiesce(30s));
    const perdure::stats s = sys.statistics();
    exhausted += dead(s, reason::exhausted);
    EXPECT_EQ(s.dead_total(), dead(s, reason::exhausted));
    expect_exact_books(sys);
    expect_whole(sys, all);
    buffers += s.handled;
  });
  EXPECT_GT(exhausted, 0U) << "nothing ran out, so this tested little";
  EXPECT_GT(buffers, 0U);
}
TEST_F(Clause10, WhileAProgramHasRoomNothingIsLost) {
  std::uint64_t spilled = 0;
  under_every_schedule(30, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    for (std::uint32_t i = 0; i < 100; ++i)
      expect_ok(sys.send(all[i % population], first_spark(100, 1)));
    expect_ok(sys.quiesce(30s));
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.handled, 100U * 101U);
    EXPECT_EQ(s.dead_total(), 0U) << "one message for each taken must lose nothing";
    EXPECT_GT(s.wraps, 0U);
    spilled += s.spilled;
    expect_exact_books(sys);
    expect_whole(sys, all);
  });
  EXPECT_GT(spilled, 0U);
}
TEST_F(Clause10, WhatIsQueuedWhilePausedIsCountedExactly) {
  under_every_schedule(30, 20,
                       [&](perdure::options o) {
                         auto sys = perdure::system::start(actors, o).value();
                         auto all = spawn(sys);
                         expect_ok(sys.pause(5s));
                         for (std::uint32_t i = 0; i < 20; ++i)
                           expect_ok(sys.send(all[i % population], first_spark(20, 1)));
                         expect_exact_books(sys, 20);
                         expect_ok(sys.resume());
                         expect_ok(sys.pause(5s));
                         const perdure::stats half = sys.statistics();
                         EXPECT_LE(half.queued, 20U)
                             << "each chain has one message under way, or none when it has ended";
                         EXPECT_EQ(half.sent, half.handled + half.dead_total() + half.queued);
                         const perdure::stats still = sys.statistics();
                         EXPECT_EQ(half.handled, still.handled) << "a paused system does nothing";
                         expect_ok(sys.resume());
                         expect_ok(sys.quiesce(20s));
                         EXPECT_EQ(sys.statistics().handled, 20U * 21U);
                         expect_exact_books(sys);
                       });
}
TEST_F(Clause10, LargeMessagesThatRunOutOfBuffersAreCounted) {
  under_every_schedule(20, 10, [&](perdure::options o) {
    o.buffer_slots = 4;
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys);
    constexpr std::uint32_t hops = 30, chains = 12;
    large_spark one{hops, {}};
    one.fill.fill(hops);
    for (std::uint32_t i = 0; i < chains; ++i) expect_ok(sys.send(all[i % population], one));
    expect_ok(sys.quiesce(20s));
    // of those that are handled first each sends two, and four are all that there are
    const auto exhausted = static_cast<std::size_t>(perdure::abi::dead_reason::exhausted);
    EXPECT_GT(sys.statistics().dead[exhausted], 0U);
    EXPECT_GT(sys.statistics().handled, chains);
    for (std::uint32_t i = 0; i < population; ++i) EXPECT_EQ(sys.view(all[i]).value().torn, 0U);
    expect_exact_books(sys);
  });
}

}  // namespace
