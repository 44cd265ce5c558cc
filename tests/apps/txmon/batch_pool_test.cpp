// tests/apps/txmon/batch_pool_test.cpp - memory that was used before says nothing of what was in it.
// SPDX-License-Identifier: Apache-2.0
#include "batch_pool.hpp"

#include <gtest/gtest.h>

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
    used->own = rows_at({500, 100, 900, 300});
    used->rows = used->own;
    cut(*used, 7);
    event_order{0}.admit(*used);
    EXPECT_EQ(used->late.size(), 2U);
  }
  const auto again = pool.take();
  EXPECT_EQ(again.get(), before);
  EXPECT_NE(pool.take().get(), before);
  again->own = rows_at({20, 10});
  again->rows = again->own;
  cut(*again, 3);
  const batch fresh = cut(rows_at({20, 10}), 3);
  EXPECT_EQ(again->counts, fresh.counts);
  for (std::uint32_t l = 0; l < 3; ++l) {
    const auto a = again->postings_of(l), b = fresh.postings_of(l);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].row(), b[i].row());
      EXPECT_EQ(a[i].of(), b[i].of());
    }
  }
  EXPECT_EQ(again->earliest, 10);
  EXPECT_EQ(again->greatest, 20);
  EXPECT_EQ(again->deepest, 10);
  EXPECT_TRUE(again->late.empty());
}

}  // namespace
