// tests/contract/park_test.cpp - workers that leave while there is nothing to do: whoever needs them has them back.
// Why: a parked system must be told from a resident one by its counter of parks only.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::execution;

struct add {
  std::uint32_t n;
};
struct sum {
  std::uint64_t n;
};
struct later {
  std::uint64_t delay_ns;
  perdure::ref<perdure::host<sum>> to;
};
struct note {};
struct hold {};
std::atomic<bool> held{false}, let_go{false};
struct due {
  perdure::ref<perdure::host<sum>> to;
};

struct adder : actor<adder> {
  std::uint64_t total = 0;
  void on(const add& m, context& ctx) {
    total += m.n;
    ctx.reply(sum{total});
  }
  void on(const later& m, context& ctx) {
    ctx.after(std::chrono::nanoseconds{m.delay_ns}, ctx.self(*this), due{m.to});
  }
  void on(const due& m, context& ctx) { ctx.send(m.to, sum{total}); }
  void on(const note&, context& ctx) { ctx.log("noted"); }
  void on(const hold&, context&) {
    held = true;
    while (!let_go.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
};

class Park : public ::testing::Test {
 protected:
  registry& program = kept_registry();  // a worker in hold() still reads it
  void SetUp() override {
    program.actor<adder, add, later, due, note, hold>().also<sum>();
    held = let_go = false;
  }
  void TearDown() override { let_go = true; }

  perdure::system start(perdure::schedule how, execution when, std::uint64_t seed = 1,
                        std::chrono::nanoseconds after = 0ns) {
    auto o = tight(how, seed);
    o.execution = when;
    o.park_after = after;
    return perdure::system::start(program.done(), o).value();
  }
  static void wait_until_parked(const perdure::system& sys) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!sys.statistics().parked) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "they do not leave";
      std::this_thread::sleep_for(1ms);
    }
  }
};

TEST_F(Park, TheNextMessageHasThemBackWithAllTheirStates) {
  auto sys = start(perdure::schedule::parallel, execution::graph);
  auto adders = sys.spawn<adder>(6).value();
  for (std::uint32_t round = 1; round <= 20; ++round) {
    wait_until_parked(sys);
    for (std::size_t i = 0; i < adders.size(); ++i) {
      const auto answer = sys.ask<sum>(adders[i], add{1}, 20s);
      expect_ok(answer);
      EXPECT_EQ(answer.value().n, round);
    }
  }
  EXPECT_GE(sys.statistics().parks, 20U);
  expect_ok(sys.quiesce(20s));
  expect_exact_books(sys);
}
TEST_F(Park, LookingAtTheCountersLeavesThemAway) {
  auto sys = start(perdure::schedule::parallel, execution::graph);
  wait_until_parked(sys);
  for (int i = 0; i < 100; ++i) {
    expect_exact_books(sys);
    std::this_thread::sleep_for(100us);
  }
  EXPECT_EQ(sys.statistics().parks, 1U);
}
TEST_F(Park, AResidentSystemNeverParks) {
  auto sys = start(perdure::schedule::parallel, execution::resident);
  auto adders = sys.spawn<adder>(3).value();
  expect_ok(sys.ask<sum>(adders[1], add{1}, 20s));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(sys.statistics().parks, 0U);
}
TEST_F(Park, AutomaticWaitsForItsTime) {
  auto sys = start(perdure::schedule::parallel, execution::automatic, 1, std::chrono::hours{1});
  auto adders = sys.spawn<adder>(3).value();
  expect_ok(sys.ask<sum>(adders[1], add{1}, 20s));
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(sys.statistics().parks, 0U);
  auto quick = start(perdure::schedule::parallel, execution::automatic, 1, 5ms);
  (void)quick.spawn<adder>(3).value();
  wait_until_parked(quick);
}
TEST_F(Park, ATimerHasThemBack) {
  for (const auto how : {perdure::schedule::parallel, perdure::schedule::seeded}) {
    auto sys = start(how, execution::graph);
    auto adders = sys.spawn<adder>(3).value();
    auto box = sys.make_mailbox<sum>(4).value();
    const auto until = std::chrono::steady_clock::now() + 60s;
    std::uint64_t round = 0, delay_ns = 20'000'000;
    for (std::uint64_t away = 0; away < 5;) {  // rounds in which they were
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "they stay until the timer is due";
      const std::uint64_t before = sys.statistics().parks;
      expect_ok(sys.send(adders[2], add{3}));
      expect_ok(sys.send(adders[2], later{delay_ns, box.ref()}));
      perdure::letter<sum> letter;
      const auto came = box.receive({&letter, 1}, 60s);
      expect_ok(came);
      ASSERT_EQ(came.value(), 1U) << "the timer did not come";
      EXPECT_EQ(letter.body.n, 3 * ++round);
      if (sys.statistics().parks > before) {
        ++away;
      } else {
        delay_ns *= 2;  // a busy machine
      }
    }
    expect_ok(sys.quiesce(20s));
    expect_exact_books(sys);
  }
}
TEST_F(Park, ATimerHasThemBackThoughACallbackWaitsForIt) {
  std::atomic<bool> came{false};
  std::atomic<perdure::mailbox<sum>*> box{nullptr};
  auto o = tight(perdure::schedule::parallel, 1);
  o.execution = execution::graph;
  o.on_log = [&](const perdure::log_record&) {
    perdure::letter<sum> letter;
    came = box.load()->receive({&letter, 1}, 60s).value() == 1;
  };
  auto sys = perdure::system::start(program.done(), o).value();
  auto made = sys.make_mailbox<sum>(4).value();
  box = &made;
  auto adders = sys.spawn<adder>(1).value();
  expect_ok(sys.send(adders[0], note{}));
  expect_ok(sys.send(adders[0], later{50'000'000, made.ref()}));
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!came && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(came) << "the callback waited in vain";
}
TEST_F(Park, SpawningPausingLookingAndStoppingHaveThemBack) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const auto how : {perdure::schedule::parallel, perdure::schedule::seeded}) {
      auto sys = start(how, execution::graph, seed);
      const auto rest = [&] {
        if (how == perdure::schedule::parallel) wait_until_parked(sys);
      };
      auto adders = sys.spawn<adder>(3).value();
      rest();
      auto more = sys.spawn<adder>(400).value();
      rest();
      expect_ok(sys.pause(20s));
      expect_ok(sys.send(more[399], add{7}));
      expect_exact_books(sys, 1);
      expect_ok(sys.resume());
      expect_ok(sys.quiesce(20s));
      rest();
      EXPECT_EQ(sys.view(more[399]).value().total, 7U);
      rest();
      expect_ok(sys.send(adders[0], add{1}));
      expect_ok(sys.stop(20s));
      expect_exact_books(sys);
      EXPECT_EQ(sys.statistics().handled, 2U);
      EXPECT_GT(sys.statistics().parks, 0U);
      if (HasFailure()) return;
    }
  }
}
/// Threads that have waited until the workers were away send all at once.
TEST_F(Park, NoMessageIsLeftBehindByThreadsThatMeet) {
  constexpr std::uint32_t threads = 3, rounds = 60;
  auto sys = start(perdure::schedule::parallel, execution::graph);
  auto adders = sys.spawn<adder>(threads * 2).value();
  std::barrier meet{threads};
  std::vector<std::thread> senders;
  for (std::uint32_t t = 0; t < threads; ++t) {
    senders.emplace_back([&, t] {
      for (std::uint32_t i = 1; i <= rounds; ++i) {
        wait_until_parked(sys);
        meet.arrive_and_wait();
        expect_ok(sys.send(adders[threads + t], add{1}));
        const auto answer = sys.ask<sum>(adders[t], add{1}, 60s);
        expect_ok(answer);
        EXPECT_EQ(answer.value().n, i);
        meet.arrive_and_wait();
      }
    });
  }
  for (auto& s : senders) s.join();
  expect_ok(sys.quiesce(20s));
  for (std::uint32_t t = 0; t < 2 * threads; ++t)
    EXPECT_EQ(sys.view(adders[t]).value().total, rounds);
  expect_exact_books(sys);
  EXPECT_GE(sys.statistics().parks, rounds);
}
TEST_F(Park, WhoMakesActorsMaySendWhileTheyAreAway) {
  auto sys = start(perdure::schedule::parallel, execution::graph);
  auto first = sys.spawn<adder>(1).value();
  wait_until_parked(sys);
  auto more = sys.spawn<adder>(5, [&](std::size_t i) {
    expect_ok(sys.try_send(first[0], add{static_cast<std::uint32_t>(i)}));
    return adder{};
  });
  expect_ok(more);
  expect_ok(sys.quiesce(20s));
  EXPECT_EQ(sys.view(first[0]).value().total, 10U);
}
/// A handler that does not return keeps all here, and the others answer.
TEST_F(Park, NobodyLeavesWhileAHandlerIsHeld) {
  auto sys = start(perdure::schedule::parallel, execution::graph);
  auto adders = sys.spawn<adder>(3).value();
  for (std::uint32_t round = 1; round <= 10; ++round) {
    wait_until_parked(sys);
    held = false;
    let_go = false;
    expect_ok(sys.send(adders[1], hold{}));
    while (!held) std::this_thread::yield();
    const auto answer = sys.ask<sum>(adders[2], add{1}, 60s);
    expect_ok(answer);
    EXPECT_EQ(answer.value().n, round);
    let_go = true;
    expect_ok(sys.quiesce(60s));
  }
  held = false;
  let_go = false;
  expect_ok(sys.send(adders[1], hold{}));
  while (!held) std::this_thread::yield();
  const auto stopped = sys.stop(10ms);
  let_go = true;
  expect_error(stopped, errc::stuck);
  EXPECT_NE(stopped.error().context().find("adder[1]"), std::string::npos)
      << stopped.error().context();
}
TEST_F(Park, ANegativePatienceIsRefused) {
  auto o = tight(perdure::schedule::parallel, 1);
  o.execution = execution::automatic;
  o.park_after = -1ns;
  const auto made = perdure::system::start(program.done(), o);
  expect_error(made, errc::bad_option);
  EXPECT_NE(made.error().context().find("park_after"), std::string::npos);
}

}  // namespace
