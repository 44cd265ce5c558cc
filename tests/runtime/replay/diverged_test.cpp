// tests/runtime/replay/diverged_test.cpp - a replay by handlers that do something else says where that is first seen.
// Why: it is what finds a handler that depends on more than its state and its message.
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/replay/passing_on.hpp"

namespace replay_test {
namespace {

using perdure::errc;

class Changed : public PassingOn {
 protected:
  /// The program with another function for its one handler.
  perdure::program with(void (*invoke)(void*, const void*, perdure::context&)) {
    perdure::program p = program.done();
    changed_.assign(p.handlers.begin(), p.handlers.end());
    changed_[0].invoke = invoke;
    p.handlers = changed_;
    return p;
  }

 private:
  std::vector<perdure::handler_info> changed_;
};

TEST_F(Changed, AMessageThatIsNotSentIsMissedByWhoTookIt) {
  record();
  const auto silent = with([](void* self, const void* m, perdure::context& ctx) {
    const auto& got = *static_cast<const ball*>(m);
    if (got.left == 5) return;
    static_cast<player*>(self)->on(got, ctx);
  });
  const auto report = perdure::replay(silent, file);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), errc::diverged);
  for (const char* text : {"call 7, of player#", "a message that player#", "has not sent one then"})
    EXPECT_NE(report.error().context().find(text), std::string::npos) << report.error().context();
}

/// One event more, and what follows has another stamp.
TEST_F(Changed, ATimeThatIsAskedForOnceMoreIsSeen) {
  record();
  const auto asks = with([](void* self, const void* m, perdure::context& ctx) {
    (void)ctx.now();
    static_cast<player*>(self)->on(*static_cast<const ball*>(m), ctx);
  });
  const auto report = perdure::replay(asks, file);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), errc::diverged);
}

TEST_F(Changed, AStateThatIsAnotherIsShownBesideWhatWasRecorded) {
  record();
  const auto draws = with([](void* self, const void* m, perdure::context& ctx) {
    static_cast<player*>(self)->on(*static_cast<const ball*>(m), ctx);
    static_cast<player*>(self)->drawn += 1;
  });
  const auto report = perdure::replay(draws, file);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(report->compared, 3U);
  EXPECT_EQ(report->differ, 2U);
  ASSERT_EQ(report->different.size(), 2U);
  EXPECT_NE(report->different[0].actor, report->different[1].actor);
}

TEST_F(Changed, WhatAHandlerThrowsGoesThrough) {
  record();
  const auto throws =
      with([](void*, const void*, perdure::context&) { throw std::runtime_error{"here"}; });
  EXPECT_THROW((void)perdure::replay(throws, file), std::runtime_error);
}

}  // namespace
}  // namespace replay_test
