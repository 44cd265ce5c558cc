// tests/runtime/replay/cut_short_test.cpp - a handler that never returned is in the recording: its call is the last one.
// Why: it is what a recording is looked at for; here it is let go before the replay, which would not return either.
// SPDX-License-Identifier: Apache-2.0
#include <perdure/replay.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/contract/schedules.hpp"

namespace replay_test {
namespace {

using contract::expect_ok;
using namespace std::chrono_literals;

std::atomic<bool> let_go{false};

struct step {
  std::uint32_t left;
};
struct walker : perdure::actor<walker> {
  std::uint32_t steps = 0;
  void on(const step& m, perdure::context& ctx) {
    ++steps;
    if (m.left != 0) return ctx.send(ctx.self(*this), step{m.left - 1});
    while (!let_go.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
};

TEST(CutShort, TheCallThatNeverReturnedIsTheLastOneOfTheReplay) {
  auto& program = contract::kept_registry().actor<walker, step>().done();
  const auto file =
      std::filesystem::temp_directory_path() / ("perdure_cut_short_" + std::to_string(::getpid()));
  let_go = false;
  perdure::options o = contract::tight(perdure::schedule::parallel, 0);
  o.record = file;
  o.record_slots = 64;
  {
    auto sys = perdure::system::start(program, o).value();
    const auto one = sys.spawn<walker>(1).value()[0];
    expect_ok(sys.send(one, step{5}));
    const auto stopped = sys.stop(1s);
    ASSERT_FALSE(stopped.has_value());
    EXPECT_EQ(stopped.error().code(), perdure::errc::stuck) << stopped.error().message();
    let_go = true;
  }
  std::uint32_t last = ~0U;
  perdure::replay_options look;
  look.on_call = [&](const perdure::replayed_call& c) {
    last = static_cast<const step*>(c.message)->left;
    return true;
  };
  const auto again = perdure::replay(program, file, look);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(last, 0U);
  EXPECT_EQ(again->messages, 6U);
  EXPECT_FALSE(again->whole);
  EXPECT_EQ(again->compared, 0U);
  std::error_code none;
  std::filesystem::remove(file, none);
}

}  // namespace
}  // namespace replay_test
