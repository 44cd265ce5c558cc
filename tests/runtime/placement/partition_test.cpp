// tests/runtime/placement/partition_test.cpp - layouts of graphs whose best one is known.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "tests/support/random.hpp"

namespace {

using namespace perdure::runtime;

/// Nodes of one kind, dealt out round the workers; loads are what the edges say.
struct graph {
  graph(std::uint32_t workers, std::uint32_t nodes, std::uint32_t spare = 0) {
    p.workers = workers;
    p.room.emplace_back(workers, 0U);
    for (std::uint32_t n = 0; n < nodes; ++n) p.nodes.push_back({0, n % workers, 0});
    for (std::uint32_t n = 0; n < nodes + spare; ++n) ++p.room[0][n % workers];
  }
  void edge(std::uint32_t a, std::uint32_t b, std::uint64_t messages) {
    p.edges.push_back({std::min(a, b), std::max(a, b), messages});
    p.nodes[a].load += messages;
    p.nodes[b].load += messages;
  }
  std::vector<std::uint32_t> solve() const {
    std::vector<std::uint32_t> where = partition(p);
    EXPECT_EQ(where.size(), p.nodes.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> used;
    for (std::size_t n = 0; n < where.size(); ++n) {
      EXPECT_LT(where[n], p.workers);
      ++used[{p.nodes[n].kind, where[n]}];
      if (p.nodes[n].fixed) {
        EXPECT_EQ(where[n], p.nodes[n].worker);
      }
    }
    for (const auto& [at, n] : used) EXPECT_LE(n, p.room[at.first][at.second]) << "no room";
    EXPECT_EQ(where, partition(p)) << "not the same twice";
    return where;
  }
  double within(const std::vector<std::uint32_t>& where) const {
    std::uint64_t same = 0, all = 0;
    for (const partition_edge& e : p.edges) {
      all += e.messages;
      same += where[e.a] == where[e.b] ? e.messages : 0;
    }
    return static_cast<double>(same) / static_cast<double>(all);
  }
  double before() const {
    std::vector<std::uint32_t> where;
    for (const partition_node& n : p.nodes) where.push_back(n.worker);
    return within(where);
  }
  std::uint64_t busiest(const std::vector<std::uint32_t>& where) const {
    std::vector<std::uint64_t> load(p.workers, 0);
    for (std::size_t n = 0; n < where.size(); ++n) load[where[n]] += p.nodes[n].load;
    return *std::max_element(load.begin(), load.end());
  }
  std::size_t moved(const std::vector<std::uint32_t>& where) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < where.size(); ++i) n += where[i] != p.nodes[i].worker ? 1 : 0;
    return n;
  }
  partition_problem p;
};

TEST(Partition, ScatteredCliquesComeTogetherThoughEverySlotIsTaken) {
  for (const std::uint32_t size : {2U, 4U, 6U, 12U}) {
    constexpr std::uint32_t workers = 6;
    graph g{workers, workers * 12};
    for (std::uint32_t first = 0; first < g.p.nodes.size(); first += size)
      for (std::uint32_t a = first; a < first + size; ++a)
        for (std::uint32_t b = a + 1; b < first + size; ++b) g.edge(a, b, 5);
    EXPECT_LT(g.before(), 0.2);
    const auto where = g.solve();
    EXPECT_EQ(g.within(where), 1.0) << "cliques of " << size;
    EXPECT_LE(g.busiest(where), load_bound(g.p));
  }
}

TEST(Partition, AChainIsCutAsOftenAsThereAreWorkersAndLittleMore) {
  constexpr std::uint32_t workers = 8, nodes = 8 * 64;
  graph g{workers, nodes, 8 * 16};
  for (std::uint32_t n = 0; n + 1 < nodes; ++n) g.edge(n, n + 1, 3);
  const auto where = g.solve();
  EXPECT_GT(g.within(where), 1.0 - 3.0 * workers / nodes);
  EXPECT_LE(g.busiest(where), load_bound(g.p));
}

TEST(Partition, AStarsHubHasAWorkerToItself) {
  constexpr std::uint32_t workers = 4, leaves = 400;
  graph g{workers, leaves + 1, 400};
  for (std::uint32_t n = 1; n <= leaves; ++n) g.edge(0, n, 1);
  const auto where = g.solve();
  EXPECT_EQ(g.busiest(where), leaves) << "more than the hub, which is too much by itself";
  std::vector<std::uint32_t> at(workers, 0);
  for (std::uint32_t n = 1; n <= leaves; ++n) ++at[where[n]];
  EXPECT_EQ(at[where[0]], 0U);
}

TEST(Partition, TheLoadIsSharedOutEvenWhereAllTalkToAll) {
  constexpr std::uint32_t workers = 5, nodes = 100;
  graph g{workers, nodes, 200};
  for (std::uint32_t a = 0; a < nodes; ++a)
    for (std::uint32_t b = a + 1; b < nodes; ++b) g.edge(a, b, 1);
  const auto where = g.solve();
  EXPECT_LE(g.busiest(where), load_bound(g.p));
  EXPECT_GE(g.within(where), g.before());
}

TEST(Partition, AnOverloadedWorkerIsRelieved) {
  graph g{4, 64, 64};
  for (partition_node& n : g.p.nodes) n.worker = 0;
  g.p.room[0][0] = 64;
  for (std::uint32_t n = 0; n < 64; n += 2) g.edge(n, n + 1, 10);
  const auto where = g.solve();
  EXPECT_EQ(g.within(where), 1.0);
  EXPECT_LE(g.busiest(where), load_bound(g.p));
}

TEST(Partition, WhoIsWellPlacedStays) {
  constexpr std::uint32_t workers = 4;
  graph g{workers, 64};
  for (std::uint32_t n = 0; n + workers < 64; ++n)
    if (n / workers % 4 != 3) g.edge(n, n + workers, 7);  // chains of four within a worker
  EXPECT_EQ(g.before(), 1.0);
  EXPECT_EQ(g.moved(g.solve()), 0U);
}

TEST(Partition, OthersComeToWhoIsFixed) {
  graph g{4, 16, 16};
  for (const std::uint32_t hub : {0U, 5U, 10U, 15U}) g.p.nodes[hub].fixed = true;
  const std::uint32_t hub_of[] = {0, 5, 10, 15};
  for (std::uint32_t n = 0; n < 16; ++n)
    if (n % 5 != 0) g.edge(n, hub_of[(n / 4 + 1) % 4], 4);
  const auto where = g.solve();
  EXPECT_EQ(g.within(where), 1.0);
}

TEST(Partition, KindsChangePlacesAmongThemselvesOnly) {
  constexpr std::uint32_t workers = 3;
  graph g{workers, 9};
  g.p.room.emplace_back(workers, 3U);  // nine more of another kind, pairs across kinds
  for (std::uint32_t n = 0; n < 9; ++n) g.p.nodes.push_back({1, n % workers, 0});
  for (std::uint32_t n = 0; n < 9; ++n) g.edge(n, 9 + (n + 1) % 9, 6);
  EXPECT_EQ(g.before(), 0.0);
  EXPECT_EQ(g.within(g.solve()), 1.0);
}

TEST(Partition, WhoHasNoRoomBesideTheOtherIsAtLeastInItsCluster) {
  constexpr std::uint32_t workers = 8;
  graph g{workers, 2};
  g.p.cluster = 2;
  g.p.nodes[0] = {0, 2, 0, true};
  g.p.nodes[1] = {0, 5, 0, true};
  g.p.room[0] = {0, 0, 1, 0, 0, 1, 0, 0};
  g.p.room.push_back({12, 6, 0, 6, 6, 0, 6, 12});
  for (std::uint32_t n = 0; n < 24; ++n) g.p.nodes.push_back({1, n % 2 == 0 ? 0U : 7U, 0});
  for (std::uint32_t n = 2; n < 26; ++n) g.edge(n % 2, n, 1);
  const auto where = g.solve();
  std::size_t near = 0;
  for (std::uint32_t n = 2; n < 26; ++n) near += where[n] / 2 == where[n % 2] / 2 ? 1 : 0;
  EXPECT_EQ(near, 12U) << "all that two workers have room for";
}

TEST(Partition, RandomGraphsKeepToTheirRoomsAndBoundsAndNeverGetWorse) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    perdure::support::random_source r{seed};
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(r.bits() % n); };
    const std::uint32_t workers = 1 + below(9), nodes = 20 + below(200);
    graph g{workers, nodes, below(100)};
    g.p.cluster = workers % 2 == 0 ? 2 : 1;
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> had;
    for (std::uint32_t e = 0; e < 3 * nodes; ++e) {
      const std::uint32_t a = below(nodes), b = below(nodes);
      if (a == b || had[{std::min(a, b), std::max(a, b)}]) continue;
      had[{std::min(a, b), std::max(a, b)}] = true;
      g.edge(a, b, 1 + below(40));
    }
    for (partition_node& n : g.p.nodes) n.fixed = below(20) == 0;
    const auto where = g.solve();
    EXPECT_GE(g.within(where) + 0.02, g.before());
  }
}

TEST(Partition, AMillionActorsTakeSeconds) {
  constexpr std::uint32_t workers = 132, nodes = 1'000'000;
  graph g{workers, nodes};
  perdure::support::random_source r{7};
  for (std::uint32_t n = 0; n < nodes; n += 4)
    for (std::uint32_t e = 0; e < 2; ++e) {
      const auto a = static_cast<std::uint32_t>(r.bits() % 3);
      g.edge(n + a, n + a + 1, 1 + r.bits() % 4);
    }
  std::sort(g.p.edges.begin(), g.p.edges.end(),
            [](const auto& x, const auto& y) { return std::pair{x.a, x.b} < std::pair{y.a, y.b}; });
  const auto last =
      std::unique(g.p.edges.begin(), g.p.edges.end(),
                  [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; });
  g.p.edges.erase(last, g.p.edges.end());
  const auto begun = std::chrono::steady_clock::now();
  const auto where = partition(g.p);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_GT(g.within(where), 0.97);
  EXPECT_LE(g.busiest(where), load_bound(g.p));
}

}  // namespace
