// tests/dsl/context_test.cpp - what a handler asks of its context reaches the backend as it was said.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/context.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "actors/bank.hpp"
#include "recording_lane.hpp"

namespace {

using namespace std::chrono_literals;
using perdure::ref;
using perdure::test::recording_lane;

TEST(Context, SelfAndSenderAreTheLanes) {
  recording_lane lane;
  lane.self = 11;
  perdure::context ctx{lane};
  const account me;
  EXPECT_EQ(ctx.self(me), ref<account>{11U});
  EXPECT_FALSE(ctx.sender()) << "a host's message has no sender";
  lane.sender = 12;
  EXPECT_EQ(ctx.sender(), perdure::any_ref{12U});
}

TEST(Context, AHandlerChangesItsStateAndReplies) {
  recording_lane lane;
  perdure::context ctx{lane};
  account a;
  a.on(deposit{30}, ctx);
  a.on(deposit{12}, ctx);
  EXPECT_EQ(a.cents, 42);
  ASSERT_EQ(lane.calls.size(), 2U);
  EXPECT_EQ(lane.calls[1].what, "reply");
  EXPECT_EQ(lane.calls[1].key, perdure::detail::type_key<balance>());
  EXPECT_EQ(lane.calls[1].as<balance>().cents, 42);
}

TEST(Context, SendCarriesReceiverHandlerAndACopy) {
  recording_lane lane;
  perdure::context ctx{lane};
  deposit m{5};
  ctx.send(ref<account>{9U}, m);
  m.cents = 6;
  ASSERT_EQ(lane.calls.size(), 1U);
  EXPECT_EQ(lane.calls[0].what, "send");
  EXPECT_EQ(lane.calls[0].to, 9U);
  EXPECT_EQ(lane.calls[0].key, (perdure::detail::handler_key<account, deposit>()));
  EXPECT_EQ(lane.calls[0].as<deposit>().cents, 5);
}

TEST(Context, SendToAHostMailboxGoesByMessage) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.send(ref<perdure::host<balance, deposit>>{3U}, deposit{1});
  ASSERT_EQ(lane.calls.size(), 1U);
  EXPECT_EQ(lane.calls[0].what, "send_host");
  EXPECT_EQ(lane.calls[0].key, perdure::detail::type_key<deposit>());
}

TEST(Context, SendNIsAsManySendsInOrder) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.send_n(ref<account>{9U}, 3,
             [](std::uint32_t i) { return deposit{10 * static_cast<int>(i)}; });
  ctx.send_n(ref<account>{9U}, 0, [](std::uint32_t) { return deposit{1}; });
  ctx.send_n(ref<perdure::host<balance, deposit>>{3U}, 2, [](std::uint32_t) { return deposit{7}; });
  ASSERT_EQ(lane.calls.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lane.calls[i].what, "send");
    EXPECT_EQ(lane.calls[i].to, 9U);
    EXPECT_EQ(lane.calls[i].key, (perdure::detail::handler_key<account, deposit>()));
    EXPECT_EQ(lane.calls[i].as<deposit>().cents, 10 * static_cast<int>(i));
  }
  EXPECT_EQ(lane.calls[4].what, "send_host");
}

TEST(Context, SendInPlaceSendsWhatWasFilled) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.send_in_place<deposit>(ref<account>{9U}, [](deposit& m) { m.cents = 13; });
  ASSERT_EQ(lane.calls.size(), 1U);
  EXPECT_EQ(lane.calls[0].what, "send");
  EXPECT_EQ(lane.calls[0].to, 9U);
  EXPECT_EQ(lane.calls[0].key, (perdure::detail::handler_key<account, deposit>()));
  EXPECT_EQ(lane.calls[0].as<deposit>().cents, 13);
}

TEST(Context, SendToNullReachesTheBackendWhichCountsIt) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.send(ref<account>{}, deposit{1});
  ASSERT_EQ(lane.calls.size(), 1U);
  EXPECT_EQ(lane.calls[0].to, 0U);
}

TEST(Context, AfterTakesAnyUnitAndNeverAPastTime) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.after(2ms, ref<account>{1U}, deposit{1});
  ctx.after(std::chrono::duration<double>{1.5}, ref<account>{1U}, deposit{1});
  ctx.after(-1s, ref<account>{1U}, deposit{1});
  ASSERT_EQ(lane.calls.size(), 3U);
  EXPECT_EQ(lane.calls[0].number, 2'000'000U);
  EXPECT_EQ(lane.calls[1].number, 1'500'000'000U);
  EXPECT_EQ(lane.calls[2].number, 0U);
}

TEST(Context, NowRisesWithEachCall) {
  recording_lane lane;
  perdure::context ctx{lane};
  const auto first = ctx.now();
  EXPECT_TRUE(first < ctx.now());
}

TEST(Context, StopAndFailWithItsReasonReachTheBackend) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.stop();
  ctx.fail(77);
  ASSERT_EQ(lane.calls.size(), 2U);
  EXPECT_EQ(lane.calls[0].what, "stop");
  EXPECT_EQ(lane.calls[1].what, "fail");
  EXPECT_EQ(lane.calls[1].number, 77U);
}

TEST(Hlc, SplitsIntoMicrosecondsAndCount) {
  const perdure::hlc t{(123'456ULL << 16U) | 0xfffeULL};
  EXPECT_EQ(t.microseconds(), 123'456U);
  EXPECT_EQ(t.logical(), 0xfffeU);
  EXPECT_TRUE((perdure::hlc{1} < perdure::hlc{2}));
}

}  // namespace
