// tests/dsl/log_test.cpp - log values travel as 64 bits and a kind, and come back as they were.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "actors/bank.hpp"
#include "perdure/context.hpp"
#include "recording_lane.hpp"

namespace {

using perdure::test::recording_lane;
enum class colour : std::int8_t { red = -1 };
enum class shape : std::uint16_t { round = 60'000 };

TEST(Log, EachKindHasItsNumberInCallOrder) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("{}{}{}{}{}", -1, 1U, 0.5F, true, perdure::ref<account>{7U});
  ASSERT_EQ(lane.calls.size(), 1U);
  EXPECT_EQ(lane.calls[0].number, 5U);
  EXPECT_EQ(lane.calls[0].kinds, 0x54321U) << "4 bits a value, the first lowest";
}

TEST(Log, IntegersKeepSignAndWidth) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("{}{}{}{}", std::int8_t{-1}, std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::uint64_t>::max(), std::uint8_t{200});
  const auto& v = lane.calls.at(0).values;
  EXPECT_EQ(static_cast<std::int64_t>(v[0]), -1);
  EXPECT_EQ(static_cast<std::int64_t>(v[1]), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(v[2], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(v[3], 200U);
}

TEST(Log, FloatsTravelAsDoubles) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("{}{}", 0.1F, 0.1);
  const auto& v = lane.calls.at(0).values;
  EXPECT_EQ(std::bit_cast<double>(v[0]), static_cast<double>(0.1F));
  EXPECT_EQ(std::bit_cast<double>(v[1]), 0.1);
}

TEST(Log, EnumsAreTheirUnderlyingValue) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("{}{}", colour::red, shape::round);
  EXPECT_EQ(lane.calls.at(0).kinds, 0x21U);
  EXPECT_EQ(static_cast<std::int64_t>(lane.calls[0].values[0]), -1);
  EXPECT_EQ(lane.calls[0].values[1], 60'000U);
}

TEST(Log, TwelveValuesFitAndNoneIsFine) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("{}{}{}{}{}{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  ctx.log("nothing to add");
  ASSERT_EQ(lane.calls.size(), 2U);
  EXPECT_EQ(lane.calls[0].values.size(), 12U);
  EXPECT_EQ(lane.calls[0].values[11], 12U);
  EXPECT_EQ(lane.calls[0].kinds, 0x111111111111U);
  EXPECT_EQ(lane.calls[1].number, 0U);
}

TEST(Log, OnlyTheHashOfTheFormatTravels) {
  recording_lane lane;
  perdure::context ctx{lane};
  ctx.log("x={}", 1);
  EXPECT_EQ(lane.calls.at(0).key, perdure::detail::fnv1a("x={}"));
  EXPECT_NE(lane.calls[0].key, perdure::detail::fnv1a("y={}"));
}

}  // namespace
