// tests/contract/slow_callbacks_test.cpp - functions of the user that take their time hold nobody up but themselves.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <thread>

#include "runtime/system/callback_line.hpp"
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;
using perdure::runtime::callback_line;
using clock_of_test = std::chrono::steady_clock;

struct lose {
  std::uint32_t times;
};
struct question {};
struct answer {
  std::uint32_t lost;
};
struct loser : actor<loser> {
  std::uint32_t lost = 0;
  void on(const lose& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.times; ++i) ctx.send(ref<loser>{}, question{});
    lost += m.times;
  }
  void on(const question&, context& ctx) {
    if (lost != 0) ctx.reply(answer{lost});  // else nobody ever answers
  }
};

/// A function that returns when it is let go.
class gate {
 public:
  void wait() {
    ++waiting_;
    std::unique_lock lock{mutex_};
    open_.wait(lock, [&] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    open_.notify_all();
  }
  void until_somebody_waits() const {
    while (waiting_ == 0) std::this_thread::yield();
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  bool is_open_ = false;
  std::atomic<int> waiting_{0};
};

class SlowCallbacks : public program_of<handles<loser, lose, question>, letters<answer>> {
 protected:
  perdure::options watched(gate& held, std::atomic<std::uint64_t>& told) {
    auto o = tight(perdure::schedule::parallel, 1);
    o.on_dead_letter = [&](const perdure::dead_letter&) {
      held.wait();
      ++told;
    };
    return o;
  }
};

TEST_F(SlowCallbacks, HoldUpNoReplyAndNoAskWhoseTimeIsUp) {
  gate held;
  std::atomic<std::uint64_t> told{0};
  auto sys = perdure::system::start(actors, watched(held, told)).value();
  const auto both = sys.spawn<loser>(2).value();
  expect_ok(sys.send(both[0], lose{3}));
  held.until_somebody_waits();
  auto answered = sys.ask_async<answer>(both[0], question{}, 20s);
  auto unanswered = sys.ask_async<answer>(both[1], question{}, 50ms);
  ASSERT_EQ(answered.wait_for(10s), std::future_status::ready) << "a callback holds it up";
  EXPECT_EQ(answered.get().value().lost, 3U);
  ASSERT_EQ(unanswered.wait_for(10s), std::future_status::ready) << "a callback holds it up";
  expect_error(unanswered.get(), errc::timeout);
  EXPECT_EQ(told, 0U);
  held.open();
  expect_ok(sys.quiesce(10s));
  EXPECT_EQ(told, 3U) << "quiesce() waits for them";
  expect_exact_books(sys);
}

TEST_F(SlowCallbacks, AreWaitedForAsLongAsWhoWaitsHasTime) {
  gate held;
  std::atomic<std::uint64_t> told{0};
  auto o = watched(held, told);
  o.stop_timeout = 50ms;
  auto sys = perdure::system::start(actors, o).value();
  const auto one = sys.spawn<loser>(1).value();
  expect_ok(sys.send(one[0], lose{5}));
  held.until_somebody_waits();
  const auto begun = clock_of_test::now();
  expect_ok(sys.quiesce(100ms));
  expect_ok(sys.stop(100ms));
  EXPECT_LT(clock_of_test::now() - begun, 8s);
  std::jthread later{[&] {
    std::this_thread::sleep_for(300ms);
    held.open();
  }};
  {
    const perdure::system gone{std::move(sys)};
  }
  EXPECT_EQ(told, 1U) << "the one that was under way; the others are not begun any more";
}

TEST_F(SlowCallbacks, WaitInALineThatHasAnEnd) {
  callback_line line{[] {}};
  line.begin();
  gate held;
  std::atomic<std::size_t> called{0};
  line.put([&] { held.wait(); });
  held.until_somebody_waits();
  for (std::size_t i = 0; i < callback_line::room + 7; ++i) line.put([&] { ++called; });
  EXPECT_EQ(line.lost(), 7U);
  line.put([&] { ++called; }, 64);
  EXPECT_EQ(line.lost(), 8U) << "of those that may only be few";
  held.open();
  line.settle(20s);
  EXPECT_EQ(called, callback_line::room);
  line.end(0s);
  line.put([&] { ++called; });
  EXPECT_EQ(line.lost(), 9U) << "nothing is begun behind the end";
}

TEST_F(SlowCallbacks, MayWaitForTheLineThatTheyAreIn) {
  std::atomic<bool> came{false};
  callback_line line{[] {}};
  line.begin();
  line.put([&] {
    line.settle(60s);
    came = true;
  });
  const auto begun = clock_of_test::now();
  line.settle(60s);
  EXPECT_TRUE(came);
  EXPECT_LT(clock_of_test::now() - begun, 30s);
}

}  // namespace
