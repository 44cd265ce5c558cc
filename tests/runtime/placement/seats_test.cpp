// tests/runtime/placement/seats_test.cpp - actors of declared links: rings, grids and graphs whose best seats are known.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/seats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/random.hpp"

namespace {

using perdure::declared_link;

perdure::layout_report on(std::uint32_t workers, std::uint32_t cluster = 1) {
  perdure::layout_report where;
  where.workers = workers;
  where.cluster = cluster;
  return where;
}

/// The seats; each of them is somebody's, and `sent` says of them what is so.
perdure::seating seated(std::uint32_t count, const std::vector<declared_link>& links,
                        const perdure::layout_report& where) {
  const auto made = perdure::seats(count, links, where);
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  if (!made) return {};
  EXPECT_EQ(made->size(), count);
  std::vector<bool> taken(count);
  for (std::size_t n = 0; n < count; ++n) {
    EXPECT_LT(made->of(n), count);
    EXPECT_FALSE(taken[made->of(n)]) << "of two";
    taken[made->of(n)] = true;
    EXPECT_EQ(made->who(made->of(n)), n);
  }
  perdure::tiers sent;
  for (const declared_link& l : links) {
    const std::size_t a = made->of(l.a) % where.workers, b = made->of(l.b) % where.workers;
    if (a == b) {
      sent.same_worker += l.messages;
    } else if (a / where.cluster == b / where.cluster) {
      sent.same_cluster += l.messages;
    } else {
      sent.elsewhere += l.messages;
    }
  }
  EXPECT_EQ(sent.same_worker, made->sent.same_worker);
  EXPECT_EQ(sent.same_cluster, made->sent.same_cluster);
  EXPECT_EQ(sent.elsewhere, made->sent.elsewhere);
  return *made;
}

std::vector<declared_link> ring(std::uint32_t n) {
  std::vector<declared_link> out;
  for (std::uint32_t i = 0; i < n; ++i) out.push_back({i, (i + 1) % n});
  return out;
}
std::vector<declared_link> grid(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz) {
  std::vector<declared_link> out;
  for (std::uint32_t i = 0; i < nx * ny * nz; ++i) {
    if (i % nx != nx - 1) out.push_back({i, i + 1});
    if (i / nx % ny != ny - 1) out.push_back({i + nx, i});
    if (i / nx / ny != nz - 1) out.push_back({i, i + nx * ny});
  }
  return out;
}

TEST(Seats, ARingIsCutOnceAWorker) {
  const auto at = seated(64, ring(64), on(4));
  EXPECT_EQ(at.in_order.same_worker, 0U);
  EXPECT_EQ(at.sent.elsewhere, 4U);
}
TEST(Seats, AGridsClustersAreNearlySquares) {
  const auto at = seated(4 * 4 * 8, grid(4, 4, 8), on(132, 4));
  EXPECT_EQ(at.in_order.same_cluster, 96U);  // rows: three links of four tiles
  EXPECT_GE(at.sent.same_cluster, 120U);     // squares have four, 128 in all
  EXPECT_EQ(at.sent.same_worker, 0U);
  const auto eight = seated(4 * 4 * 8, grid(4, 4, 8), on(132, 8));
  EXPECT_GE(eight.sent.same_cluster, eight.in_order.same_cluster);
}
TEST(Seats, WhereAWorkerHasSeveralTheyAreNeighbours) {
  const auto at = seated(8 * 8 * 8, grid(8, 8, 8), on(132, 4));
  EXPECT_GT(at.sent.same_worker, 400U);
  EXPECT_LT(at.sent.elsewhere, at.in_order.elsewhere * 2 / 3);
}
TEST(Seats, HeavyLinksComeFirst) {
  std::vector<declared_link> links = ring(8);
  links.push_back({0, 5, 1'000});
  links.push_back({5, 0, 1'000});  // the other direction of the same pair
  const auto at = seated(8, links, on(4));
  EXPECT_EQ(at.of(0) % 4, at.of(5) % 4);
  EXPECT_GE(at.sent.same_worker, 2'000U);
}
TEST(Seats, WithNothingToGainAllSitInOrder) {
  for (const auto& links :
       {std::vector<declared_link>{}, std::vector<declared_link>{{0, 3}, {1, 4}}}) {
    const auto at = seated(6, links, on(3));
    for (std::size_t n = 0; n < 6; ++n) EXPECT_EQ(at.of(n), n);
  }
  EXPECT_EQ(seated(0, {}, on(3)).size(), 0U);
  EXPECT_EQ(seated(5, ring(5), on(1)).sent.same_worker, 5U);
}
TEST(Seats, OfAnyGraphTheyAreAPermutationAndNoWorseThanInOrder) {
  perdure::support::random_source random{20261126};
  for (int i = 0; i < 200; ++i) {
    const auto count = static_cast<std::uint32_t>(2 + random.below(90));
    std::vector<declared_link> links;
    for (std::uint64_t l = random.below(200); l > 0; --l) {
      const auto a = static_cast<std::uint32_t>(random.below(count));
      const auto b = static_cast<std::uint32_t>(random.below(count));
      if (a != b) links.push_back({a, b, 1 + random.below(9)});
    }
    const auto workers = static_cast<std::uint32_t>(1 + random.below(40));
    const auto cluster = static_cast<std::uint32_t>(1U << random.below(4));
    SCOPED_TRACE(std::to_string(i));
    const auto at = seated(count, links, on(workers, cluster));
    EXPECT_LE(at.sent.elsewhere, at.in_order.elsewhere);
  }
}
TEST(Seats, ALinkToNobodyIsNamed) {
  const auto wrong = [](declared_link l) {
    return perdure::seats(16, std::vector<declared_link>{{0, 1}, l}, on(4)).error();
  };
  EXPECT_EQ(wrong({3, 16}).code(), perdure::errc::bad_option);
  EXPECT_NE(wrong({3, 16}).message().find(
                "declared link 1 is between actors 3 and 16; expected two of 0..15"),
            std::string::npos)
      << wrong({3, 16}).message();
  EXPECT_EQ(wrong({5, 5}).code(), perdure::errc::bad_option);
}

}  // namespace
