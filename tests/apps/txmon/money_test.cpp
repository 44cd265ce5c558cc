// tests/apps/txmon/money_test.cpp - decimal text becomes cents exactly, or is refused.
// SPDX-License-Identifier: Apache-2.0
#include "money.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using txmon::parse_cents;

TEST(Money, WholeAndFractionalAmountsAreExact) {
  EXPECT_EQ(parse_cents("181"), 18'100);
  EXPECT_EQ(parse_cents("9839.64"), 983'964);
  EXPECT_EQ(parse_cents("0.07"), 7);
  EXPECT_EQ(parse_cents("10.5"), 1'050);
  EXPECT_EQ(parse_cents("10.500"), 1'050);
  EXPECT_EQ(parse_cents("000100"), 10'000);
  EXPECT_EQ(parse_cents("0"), 0);
  EXPECT_EQ(parse_cents("0.000"), 0);
}

TEST(Money, SpreadsheetExponentsAreReadAsWritten) {
  EXPECT_EQ(parse_cents("1.92E+07"), 1'920'000'000);
  EXPECT_EQ(parse_cents("1.00E+07"), 1'000'000'000);
  EXPECT_EQ(parse_cents("5e3"), 500'000);
  EXPECT_EQ(parse_cents("1250E-2"), 1'250);
  EXPECT_EQ(parse_cents("0E+99"), 0);
}

TEST(Money, FractionsOfACentAreRefusedNotRounded) {
  EXPECT_FALSE(parse_cents("0.001"));
  EXPECT_FALSE(parse_cents("1.005"));
  EXPECT_FALSE(parse_cents("1E-3"));
}

TEST(Money, TheLargestAmountIsTakenAndTheNextIsRefused) {
  EXPECT_EQ(parse_cents("90000000000.00"), txmon::max_cents);
  EXPECT_FALSE(parse_cents("90000000000.01"));
  EXPECT_FALSE(parse_cents("9E99"));
  EXPECT_FALSE(parse_cents("99999999999999999999999999999999999999"));
}

TEST(Money, WhatIsNoPlainNumberIsRefused) {
  for (const char* text :
       {"",    ".",  "-1", "+1",  "1.",     ".5",    "1,5",  "1.2.3", "abc", "12a",  " 12",
        "12 ", "E5", "1E", "1E+", "1E+100", "1E5.0", "0x10", "nan",   "inf", "1e+-5"}) {
    EXPECT_FALSE(parse_cents(text)) << "'" << text << "'";
  }
}

TEST(Money, EveryPrintedAmountIsReadBack) {
  std::mt19937_64 random{20'261'121};
  for (int i = 0; i < 20'000; ++i) {
    const auto cents =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(txmon::max_cents)) >>
        (i % 40);
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%02lld", static_cast<long long>(cents / 100),
                  static_cast<long long>(cents % 100));
    ASSERT_EQ(parse_cents(text), cents) << text;
  }
}
