// tests/apps/txmon/event_order_test.cpp - numbers, lateness and watermark depend on the rows alone, not on the blocks.
// SPDX-License-Identifier: Apache-2.0
#include "event_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "records.hpp"

namespace {

using namespace txmon;
using test::rows_at;

TEST(EventOrder, LateIsBelowTheGreatestSoFarLessTheLateness) {
  event_order order{10};
  batch a = cut(rows_at({100, 95, 89, 90, 120}), 1), b = cut(rows_at({109, 110, 130}), 1);
  order.admit(a);
  order.admit(b);
  EXPECT_EQ(a.late, std::vector<std::uint16_t>{2});
  EXPECT_EQ(b.late, std::vector<std::uint16_t>{0});
  EXPECT_EQ(a.first, 1U);
  EXPECT_EQ(b.first, 6U);
  EXPECT_EQ(a.watermark, 110);
  EXPECT_EQ(b.watermark, 120);
  EXPECT_EQ(b.numbered(2).number.get(), 8U);
}

TEST(EventOrder, WhatIsLateDoesNotDependOnHowTheRowsAreCutIntoBlocks) {
  std::mt19937 random{5};
  std::vector<std::int64_t> times;
  for (int i = 0; i < 3'000; ++i)
    times.push_back(i * 10 + static_cast<std::int64_t>(random() % 200));
  std::set<std::vector<std::uint64_t>> answers;
  for (const std::size_t size : {1U, 7U, 100U, 3'000U}) {
    event_order order{60};
    std::vector<std::uint64_t> late;
    for (std::size_t from = 0; from < times.size(); from += size) {
      const auto to = std::min(times.size(), from + size);
      batch b = cut(rows_at({times.begin() + static_cast<std::ptrdiff_t>(from),
                             times.begin() + static_cast<std::ptrdiff_t>(to)}),
                    1);
      order.admit(b);
      for (const auto r : b.late) late.push_back(b.first + r);
    }
    EXPECT_GT(late.size(), 100U);
    answers.insert(late);
  }
  EXPECT_EQ(answers.size(), 1U);
}

TEST(EventOrder, TooFarIsAboveTheGreatestThatIsNotTooFarItself) {
  const auto far = [](const event_order& order, const std::vector<std::int64_t>& times) {
    return order.too_far(cut(rows_at(times), 1), 100);
  };
  using rows = std::vector<std::uint16_t>;
  event_order order{10};
  EXPECT_EQ(far(order, {5'000, 5'100, 9'000, 5'201, 5'200, 5'300}), (rows{2, 3}));
  batch first = cut(rows_at({5'000, 4'000}), 1);
  order.admit(first);
  EXPECT_EQ(far(order, {5'101, 5'100, 5'200, 5'301}), (rows{0, 3}));
  EXPECT_EQ(far(order, {5'100, 1}), rows{});
}

TEST(EventOrder, EveryPostingLiesInTheLaneOfItsAccountOnce) {
  std::mt19937 random{6};
  std::vector<transaction> rows;
  for (int i = 0; i < 4'096; ++i)
    rows.push_back(test::record(
        {0, i, 1, static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())}));
  const batch b = cut(rows, 5);
  std::set<std::pair<std::uint64_t, side>> seen;
  for (std::uint32_t l = 0; l < 5; ++l) {
    EXPECT_GT(b.postings_of(l).size(), 1'000U);
    std::size_t before = 0;
    for (const posting p : b.postings_of(l)) {
      const transaction& t = rows[p.row()];
      EXPECT_EQ(lane_share{5}.of(p.of() == side::debit ? t.account.get() : t.counterparty.get()),
                l);
      EXPECT_TRUE(seen.insert({p.row(), p.of()}).second);
      EXPECT_LE(before, p.row());
      before = p.row();
    }
  }
  EXPECT_EQ(seen.size(), 2U * 4'096U);
}

}  // namespace
