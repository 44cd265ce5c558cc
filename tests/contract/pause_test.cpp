// tests/contract/pause_test.cpp - a pause that fails leaves a running system behind, and says who would not rest.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;

struct hold {};
struct greeting {
  std::uint32_t number;
};
struct reply {
  std::uint32_t number;
};
std::atomic<bool> held{false}, let_go{false};

struct sleeper : actor<sleeper> {
  std::uint64_t handled = 0;
  void on(const hold&, context&) {
    ++handled;
    held = true;
    while (!let_go.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  void on(const greeting& m, context& ctx) {
    ++handled;
    ctx.reply(reply{m.number + 1});
  }
};

class Pause : public ::testing::Test {
 protected:
  registry& program = kept_registry();  // a worker in hold() still reads it
  void SetUp() override {
    program.actor<sleeper, hold, greeting>().also<reply>();
    held = let_go = false;
  }
  void TearDown() override { let_go = true; }
};

TEST_F(Pause, ThatFailsNamesWhoDoesNotRestAndIsUndone) {
  auto sys = perdure::system::start(program.done(), tight(perdure::schedule::parallel, 1)).value();
  auto sleepers = sys.spawn<sleeper>(3).value();  // one a worker
  expect_ok(sys.send(sleepers[1], hold{}));
  while (!held) std::this_thread::yield();

  const auto outcome = sys.pause(10ms);
  ASSERT_FALSE(outcome.has_value()) << "one of them does not rest";
  EXPECT_EQ(outcome.error().code(), errc::stuck) << outcome.error().message();
  for (const char* part : {"worker 1", "sleeper[1]", "hold"})
    EXPECT_NE(outcome.error().context().find(part), std::string::npos) << outcome.error().context();
  // those that had paused go on at once, and not only when the one that is held is free
  for (const std::uint32_t free : {0U, 2U}) {
    const auto answer = sys.ask<reply>(sleepers[free], greeting{free}, 20s);
    expect_ok(answer);
    EXPECT_EQ(answer.value().number, free + 1);
  }
  let_go = true;

  expect_ok(sys.quiesce(20s));  // `busy`, were it taken for paused
  EXPECT_EQ(sys.view(sleepers[1]).value().handled, 1U);
  expect_exact_books(sys);
  expect_ok(sys.pause(20s));  // and a pause is still a pause
  expect_ok(sys.send(sleepers[1], greeting{7}));
  expect_error(sys.quiesce(1s), errc::busy);
  expect_exact_books(sys, 1);
  expect_ok(sys.resume());
  expect_ok(sys.quiesce(20s));
  EXPECT_EQ(sys.view(sleepers[1]).value().handled, 2U);
  expect_exact_books(sys);
}

}  // namespace
