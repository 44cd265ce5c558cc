// tests/apps/txmon/lane_share_test.cpp - an account has one lane, and with many workers a worker has one, too.
// SPDX-License-Identifier: Apache-2.0
#include "lane_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace {

using txmon::lane_share;

TEST(LaneShare, WhereThereAreManyWorkersEachHasOneLaneAndLanesHaveEquallyMany) {
  for (const std::uint32_t workers : {64U, 108U, 132U, 1'000U}) {
    for (std::uint32_t lanes = 2; lanes <= workers / 8; ++lanes) {
      if (workers * lanes >= 65'536) continue;
      const lane_share share{lanes, workers};
      std::vector<std::set<std::uint32_t>> fed(lanes);
      for (std::uint32_t from : {0U, 1'000'003U, 1'073'741'824U, 4'294'000'000U}) {
        for (std::uint32_t account = from; account < from + 3 * workers; ++account) {
          const std::uint32_t lane = share.of(account);
          ASSERT_LT(lane, lanes) << account << " of " << workers;
          fed[lane].insert(account % workers);
        }
      }
      std::size_t all = 0, least = workers, most = 0;
      for (const auto& some : fed) {
        all += some.size();
        least = std::min(least, some.size());
        most = std::max(most, some.size());
      }
      EXPECT_EQ(all, workers) << "a worker has two lanes: " << workers << ", " << lanes;
      EXPECT_LE(most - least, 1U) << workers << ", " << lanes;
    }
  }
}
TEST(LaneShare, NeighboursInNumberAreInDifferentLanes) {
  for (const std::uint32_t workers : {0U, 132U}) {
    const lane_share share{10, workers};
    for (std::uint32_t first = 0; first < 5'000; first += 10) {
      std::set<std::uint32_t> lanes;
      for (std::uint32_t i = 0; i < 10; ++i) lanes.insert(share.of(first + i));
      EXPECT_GE(lanes.size(), 5U) << first << ", " << workers << " workers";
    }
  }
}
TEST(LaneShare, WhereThereAreFewWorkersAccountsAreSpreadEvenly) {
  for (const std::uint32_t workers : {0U, 1U, 2U, 16U, 79U, 60'000U}) {
    const lane_share share{10, workers};
    std::map<std::uint32_t, std::uint32_t> count;
    for (std::uint32_t account = 0; account < 100'000; ++account) ++count[share.of(account)];
    ASSERT_EQ(count.size(), 10U);
    for (const auto& [lane, n] : count) {
      EXPECT_LT(lane, 10U);
      EXPECT_NEAR(n, 10'000, 200) << lane << ", " << workers << " workers";
    }
  }
}
TEST(LaneShare, OneLaneHasAll) {
  const lane_share share{1, 132};
  for (std::uint32_t account : {0U, 1U, 131U, 999'999U, 4'294'967'295U})
    EXPECT_EQ(share.of(account), 0U);
}

}  // namespace
