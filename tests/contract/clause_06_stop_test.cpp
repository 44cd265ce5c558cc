// tests/contract/clause_06_stop_test.cpp - stop handles what is queued, is bounded, and names who is stuck.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;
using reason = perdure::abi::dead_reason;

struct ball {
  std::uint32_t hops;
};
struct forever {};
std::atomic<bool> let_go{
    false};  ///< frees stuck handlers, so that no thread outlives the test for long

struct player : actor<player> {
  ref<player> other;
  std::uint64_t handled = 0;
  void on(const ball& m, context& ctx) {
    ++handled;
    if (m.hops != 0) ctx.send(other ? other : ctx.self(*this), ball{m.hops - 1});
  }
  void on(const forever&, context&) {
    while (!let_go.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
};

class Clause06 : public ::testing::Test {
 protected:
  registry& program = kept_registry();  // a stuck handler's thread still reads it
  void SetUp() override {
    program.actor<player, ball, forever>();
    let_go = false;
  }
  void TearDown() override { let_go = true; }
  /// Real seconds bound a call only against hanging: a busy machine may add to them what it likes. Where time is
  /// virtual, the wait is bounded exactly (system_ms).
  static constexpr double hangs = 60.0;
  static double seconds_of(const std::function<void()>& f) {
    const auto begun = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
  /// Milliseconds by the system's own clock.
  static double system_ms(perdure::system& sys, const std::function<void()>& f) {
    const std::uint64_t begun = sys.now().microseconds();
    f();
    return static_cast<double>(sys.now().microseconds() - begun) / 1000.0;
  }
};

TEST_F(Clause06, StopHandlesWhatIsQueuedAndWhatThatSends) {
  const perdure::program& actors = program.done();
  under_every_schedule(40, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(20).value();
    for (std::uint32_t i = 0; i < 60; ++i) expect_ok(sys.send(players[i % 20], ball{50}));
    expect_ok(sys.stop(20s));
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.handled, 60U * 51U);
    EXPECT_EQ(s.dead_total(), 0U);
    expect_exact_books(sys);
    expect_error(sys.send(players[0], ball{1}), errc::closed);
    expect_error(sys.spawn<player>(1), errc::closed);
    expect_error(sys.make_mailbox<ball>(1), errc::closed);
    expect_ok(sys.stop(1s));  // again: nothing to do
    EXPECT_EQ(sys.view(players[0]).value().handled, 3U * 51U) << "states can be read after the end";
  });
}
TEST_F(Clause06, StopOfAPausedSystemHandlesItsQueue) {
  const perdure::program& actors = program.done();
  under_every_schedule(10, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(5).value();
    expect_ok(sys.pause());
    for (std::uint32_t i = 0; i < 10; ++i) expect_ok(sys.send(players[i % 5], ball{3}));
    expect_ok(sys.stop(20s));
    EXPECT_EQ(sys.statistics().handled, 40U);
  });
}
TEST_F(Clause06, WhatNeverEndsIsCutShortInTimeAndTheRestAreDeadLetters) {
  const perdure::program& actors = program.done();
  under_every_schedule(5, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(8).value();
    for (std::uint32_t i = 0; i < 8; ++i) expect_ok(sys.send(players[i], ball{~0U}));
    perdure::result<void> outcome;
    const double took_ms = system_ms(sys, [&] { outcome = sys.stop(30ms); });
    not_kept_waiting(outcome);
    expect_error(outcome, errc::timeout);
    if (o.schedule == perdure::schedule::seeded) {
      EXPECT_GT(took_ms, 29.9);
      EXPECT_LT(took_ms, 40.0) << "the time given, and no more than a few turns behind it";
    } else {
      EXPECT_LT(took_ms, 1000.0 * hangs);
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.dead[static_cast<std::size_t>(reason::shutdown)], 8U)
        << "one ball each was under way";
    expect_exact_books(sys);
  });
}
TEST_F(Clause06, AStopWithNoTimeAtAllStillLeavesExactBooks) {
  const perdure::program& actors = program.done();
  under_every_schedule(10, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(8).value();
    for (std::uint32_t i = 0; i < 8; ++i) expect_ok(sys.send(players[i], ball{~0U}));
    const auto outcome = sys.stop(0s);
    not_kept_waiting(outcome);
    expect_error(outcome, errc::timeout);
    EXPECT_EQ(sys.statistics().dead[static_cast<std::size_t>(reason::shutdown)], 8U);
    expect_exact_books(sys);
  });
}
TEST_F(Clause06, AHandlerThatNeverReturnsIsNamedWithinTheBound) {
  const perdure::program& actors = program.done();
  auto sys = perdure::system::start(actors, tight(perdure::schedule::parallel, 1)).value();
  auto players = sys.spawn<player>(9).value();
  expect_ok(sys.send(players[4], forever{}));
  perdure::result<void> outcome;
  const double took = seconds_of([&] { outcome = sys.stop(300ms); });
  expect_error(outcome, errc::stuck);
  EXPECT_LT(took, hangs);
  const std::string& text = outcome.error().context();
  EXPECT_NE(text.find("worker 1"), std::string::npos) << text;  // index 4 of 3 workers
  EXPECT_NE(text.find("player[4]"), std::string::npos) << text;
  EXPECT_NE(text.find("forever"), std::string::npos) << text;
}
TEST_F(Clause06, TheDestructorDoesNotWaitForAStuckHandlerLongerThanItSays) {
  const perdure::program& actors = program.done();
  auto o = tight(perdure::schedule::parallel, 1);
  o.stop_timeout = 200ms;
  const double took = seconds_of([&] {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(3).value();
    expect_ok(sys.send(players[0], forever{}));
    expect_ok(sys.send(players[1], forever{}));
    expect_ok(sys.send(players[2], ball{100}));
  });
  EXPECT_LT(took, hangs);
}
TEST_F(Clause06, TheDestructorStopsARunningProgramInTime) {
  const perdure::program& actors = program.done();
  under_every_schedule(3, 5, [&](perdure::options o) {
    o.stop_timeout = 20ms;
    const double took = seconds_of([&] {
      auto sys = perdure::system::start(actors, o).value();
      auto players = sys.spawn<player>(3).value();
      for (auto p : players) expect_ok(sys.send(p, ball{~0U}));
    });
    EXPECT_LT(took, hangs);
  });
}
TEST_F(Clause06, SendersAreRefusedWhileAStopIsUnderWay) {
  const perdure::program& actors = program.done();
  under_every_schedule(0, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto players = sys.spawn<player>(3).value();
    std::atomic<std::uint64_t> accepted{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (;;) {
          auto sent = sys.send(players[t], ball{0});
          if (!sent && sent.error().code() == errc::closed) return;
          if (sent) accepted.fetch_add(1);
        }
      });
    }
    std::this_thread::sleep_for(3ms);
    expect_ok(sys.stop(20s));
    for (auto& t : threads) t.join();
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.handled, accepted.load()) << "what was accepted was handled, and nothing else";
    EXPECT_EQ(s.sent, s.handled);
  });
}

}  // namespace
