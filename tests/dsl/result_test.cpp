// tests/dsl/result_test.cpp - result: a value or why not, with std::expected's member names.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace {

using perdure::errc;
using perdure::error;
using perdure::result;

static_assert(std::is_base_of_v<std::runtime_error, perdure::bad_result>);
static_assert(!std::is_convertible_v<result<int>, bool>, "a test for success is explicit");
static_assert(std::is_nothrow_move_constructible_v<result<std::unique_ptr<int>>>);

TEST(Result, HoldsAValue) {
  result<int> r{7};
  ASSERT_TRUE(r);
  EXPECT_TRUE(r.has_value());
  EXPECT_EQ(*r, 7);
  EXPECT_EQ(r.value(), 7);
  EXPECT_EQ(r.value_or(9), 7);
  *r = 8;
  EXPECT_EQ(r.value(), 8);
}

TEST(Result, HoldsAnErrorAndValueOrGivesTheOther) {
  const result<int> r{error{errc::timeout, "ask"}};
  EXPECT_FALSE(r);
  EXPECT_EQ(r.error().code(), errc::timeout);
  EXPECT_EQ(r.value_or(9), 9);
}

TEST(Result, ValueThrowsBadResultWithTheError) {
  const result<int> r{error{errc::inbox_full, "account 3"}};
  try {
    (void)r.value();
    FAIL() << "value() of an error must throw";
  } catch (const perdure::bad_result& e) {
    EXPECT_EQ(e.error().code(), errc::inbox_full);
    EXPECT_NE(std::string{e.what()}.find("account 3"), std::string::npos) << e.what();
  }
}

TEST(Result, MovesAValueThatCannotBeCopied) {
  auto make = [] { return result<std::unique_ptr<int>>{std::make_unique<int>(5)}; };
  const std::unique_ptr<int> owner = make().value();
  EXPECT_EQ(*owner, 5);
}

TEST(Result, ArrowReachesAMember) {
  result<std::string> r{std::string{"four"}};
  EXPECT_EQ(r->size(), 4U);
}

TEST(Result, OfVoidIsSuccessByDefault) {
  const result<void> good;
  EXPECT_TRUE(good);
  EXPECT_NO_THROW(good.value());
  const result<void> bad{error{errc::closed}};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), errc::closed);
  EXPECT_THROW(bad.value(), perdure::bad_result);
}

}  // namespace
