// tests/apps/txmon/batch_pool_test.cpp - memory that was used before says nothing of what was in it.
// SPDX-License-Identifier: Apache-2.0
#include "batch_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "event_order.hpp"
#include "records.hpp"

namespace {

using namespace txmon;
using test::rows_at;

TEST(BatchPool, ABatchThatWasUsedBeforeIsCutAsANewOne) {
  batch_pool pool;
  const batch* before = nullptr;
  {
    const auto used = pool.take();
    before = used.get();
    used->rows = rows_at({500, 100, 900, 300});
    cut(*used, 7);
    event_order{0}.admit(*used);
    EXPECT_EQ(used->late.size(), 2U);
  }
  const auto again = pool.take();
  EXPECT_EQ(again.get(), before);
  EXPECT_NE(pool.take().get(), before);
  again->rows = rows_at({20, 10});
  cut(*again, 3);
  const batch fresh = cut(rows_at({20, 10}), 3);
  EXPECT_EQ(again->ends, fresh.ends);
  ASSERT_EQ(again->postings.size(), 4U);
  EXPECT_EQ(std::memcmp(again->postings.data(), fresh.postings.data(), 4 * sizeof(transaction)), 0);
  EXPECT_EQ(again->earliest, 10);
  EXPECT_EQ(again->greatest, 20);
  EXPECT_EQ(again->deepest, 10);
  EXPECT_TRUE(again->late.empty());
}

}  // namespace
