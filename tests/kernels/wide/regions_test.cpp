// tests/kernels/wide/regions_test.cpp - regions run by threads do what the host's loops do, bit for bit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "perdure/detail/block_lane.hpp"
#include "tests/kernels/wide/team.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

constexpr u32 tile = 1, lanes = 32;

/// An actor that is written for `Lanes`; what its regions leave lies in `cell`.
template <int Lanes>
struct tile_of {
  static constexpr int lanes = Lanes;
  std::array<float, 400> cell{};
  std::array<std::uint64_t, 64> drawn{};
  float sum = 0;
  int visits = 0;
};

/// The host's call: lanes are loops.
struct host_call : perdure::detail::block_lane {
  lane_state call{};
  std::vector<char> store_bytes = std::vector<char>(lanes_most * 16);
  static constexpr std::size_t lanes_most = 64;
};
constexpr perdure::detail::lane_ops host_ops{
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    [](perdure::detail::lane& l) {
      return std::uint64_t{static_cast<host_call&>(l).call.random()};
    },
    nullptr,
    nullptr,
    nullptr};
constexpr perdure::detail::block_ops wide_ops{
    nullptr, nullptr,
    [](perdure::detail::block_lane& l, std::uint32_t region, std::uint32_t index,
       std::uint32_t draw) {
      return std::uint64_t{static_cast<host_call&>(l).call.random_at(region, index, draw)};
    }};

/// Runs `body(lane, actor)` with threads for lanes and with the host's loops. @return both actors.
template <class A, class Body>
std::pair<A, A> on_both(Body body, u32 block_lanes = lanes) {
  shape s;
  s.lanes = block_lanes;
  wide_world w{s, {{sizeof(A), A::lanes, 0, 16, false, 0}}, {{tile, 0, 4}}};
  const u64 self = w.spawn(tile, 0);
  A on_threads{}, on_loops{};
  const lane_state call{w.chips[0], &w.m, self, 0, 1000, 0, 5, 0, abi::slot_alive, 0};
  on_all_lanes(block_lanes, [&](block_threads b) {
    begin(b, *w.chips[0], w.m, 0);
    alignas(16) char mine[16] = {};
    thread_lane lane{&b, w.chips[0], &w.m, call, reinterpret_cast<char*>(&on_threads), mine, 0};
    body(lane, on_threads);
    b.region([](u32) {});
  });
  host_call host;
  host.ops = &host_ops;
  host.wide = &wide_ops;
  host.call = call;
  host.state = reinterpret_cast<const char*>(&on_loops);
  host.store = host.store_bytes.data();
  const std::size_t place = 0;
  host.places = &place;
  host.lanes = A::lanes;
  body(host, on_loops);
  return {on_threads, on_loops};
}
template <class A>
void expect_alike(const std::pair<A, A>& both) {
  EXPECT_EQ(std::memcmp(&both.first, &both.second, sizeof(A)), 0);
}

template <int Lanes, int NX, int NY, int NZ>
void visit() {
  using A = tile_of<Lanes>;
  const auto both = on_both<A>([](auto& lane, A& actor) {
    auto body = [](A& me, auto... at) {
      const int v[] = {at...};  // x, y, z as far as there are, k
      constexpr int n = sizeof...(at);
      const int i = v[0] + (n > 2 ? v[1] * NX : 0) + (n > 3 ? v[2] * NX * NY : 0);
      me.cell[static_cast<std::size_t>(i)] += static_cast<float>(1000 * i + v[n - 1]);
    };
    lane.template for_each<NX, NY, NZ>(actor, body);
  });
  expect_alike(both);
  constexpr int all = abi::extent<NX, NY, NZ>;
  for (int i = 0; i < 400; ++i) {
    const float want = i < all ? static_cast<float>(1000 * i + i / Lanes) : 0.0F;
    ASSERT_EQ(both.first.cell[static_cast<std::size_t>(i)], want) << "index " << i;
  }
}

TEST(Regions, EachIndexIsVisitedOnceWithItsCoordinatesAndRound) {
  visit<32, 1, 0, 0>();
  visit<32, 32, 0, 0>();
  visit<32, 333, 0, 0>();
  visit<32, 8, 13, 0>();
  visit<32, 33, 5, 0>();
  visit<32, 4, 5, 7>();
  visit<32, 16, 2, 9>();
  visit<24, 100, 0, 0>();  // fewer than the block has
}
TEST(Regions, OnceIsOnceAndSeenByAllBehindIt) {
  using A = tile_of<32>;
  expect_alike(on_both<A>([](auto& lane, A& actor) {
    for (int round = 1; round <= 20; ++round) {
      auto one = [&](A& me) { ++me.visits; };
      lane.once(actor, one);
      auto all = [&](A& me, int i, int) {
        me.cell[static_cast<std::size_t>(i)] += float(me.visits);
      };
      lane.template for_each<32, 0, 0>(actor, all);
      EXPECT_EQ(actor.visits, round);
    }
  }));
}

TEST(Regions, OneBehindAnotherNeedsNoBarrierBetweenThem) {
  using A = tile_of<32>;
  expect_alike(on_both<A>([](auto& lane, A& actor) {
    for (int round = 1; round <= 20; ++round) {
      auto fill = [&](A& me, int i, int) { me.cell[static_cast<std::size_t>(i)] += float(i); };
      lane.template for_each<64, 0, 0>(actor, fill);
      auto turned = [](A& me, int i, int) {
        me.cell[static_cast<std::size_t>(100 + i)] = me.cell[static_cast<std::size_t>(63 - i)];
      };
      lane.template then_each<64, 0, 0>(actor, turned);
    }
  }));
}

TEST(Regions, WhoKeepsToGroupsSeesItsGroupAndCountsOnceBehindThem) {
  using A = tile_of<64>;
  const auto both = on_both<A>(
      [](auto& lane, A& actor) {
        for (int round = 1; round <= 20; ++round) {
          auto fill = [&](A& me, int i, int) {
            me.cell[static_cast<std::size_t>(i)] += float(i * round);
          };
          lane.keeps_to_groups();
          lane.template then_each<128, 0, 0>(actor, fill);
          auto turned = [](A& me, int i, int) {  // within a group
            const int other = i - i % 32 + (i + 7) % 32;
            me.cell[static_cast<std::size_t>(128 + i)] = me.cell[static_cast<std::size_t>(other)];
          };
          lane.template then_each<128, 0, 0>(actor, turned);
          auto count = [](A& me) { ++me.visits; };
          lane.then_once(actor, count);
          auto all = [](A& me, int i, int) {  // of another group
            const auto at = static_cast<std::size_t>(i);
            me.cell[256 + at] += me.cell[128 + (at + 64) % 128];
          };
          lane.template for_each<128, 0, 0>(actor, all);
          EXPECT_EQ(actor.visits, round);
        }
      },
      64);
  expect_alike(both);
  EXPECT_EQ(both.first.cell[128], both.first.cell[7]);
}

/// The order that block_context::reduce documents, written down once more.
template <int Lanes, int N>
float documented_sum(const std::array<float, 400>& v) {
  float of_lane[1024] = {};
  for (int l = 0; l < Lanes; ++l) {
    for (int i = l; i < N; i += Lanes) of_lane[l] = of_lane[l] + v[static_cast<std::size_t>(i)];
  }
  float of_group[32] = {};
  for (int g = 0; g < 32; ++g) {
    for (int w : {16, 8, 4, 2, 1}) {
      for (int l = 0; l < w; ++l)
        of_lane[g * 32 + l] = of_lane[g * 32 + l] + of_lane[g * 32 + l + w];
    }
    of_group[g] = of_lane[g * 32];
  }
  for (int w : {16, 8, 4, 2, 1}) {
    for (int g = 0; g < w; ++g) of_group[g] = of_group[g] + of_group[g + w];
  }
  return of_group[0];
}
template <int Lanes, int N>
void sum_up(u32 block_lanes) {
  using A = tile_of<Lanes>;
  const auto both = on_both<A>(
      [](auto& lane, A& actor) {
        auto fill = [](A& me, int i, int) {
          me.cell[static_cast<std::size_t>(i)] =
              1.0F / static_cast<float>(1 + i * 7 % 31) * (i % 3 == 0 ? 1e6F : 1e-3F);
        };
        lane.template for_each<400, 0, 0>(actor, fill);
        auto value = [](const A& me, int i) { return me.cell[static_cast<std::size_t>(i)]; };
        auto join = [](float a, float b) { return a + b; };
        const float sum = lane.template reduce<N>(actor, 0.0F, value, join);
        auto keep = [&](A& me) { me.sum = sum; };
        lane.once(actor, keep);
        EXPECT_EQ(actor.sum, sum) << "every lane gets the same";
      },
      block_lanes);
  expect_alike(both);
  EXPECT_EQ(both.first.sum, (documented_sum<Lanes, N>(both.first.cell)));
  float plain = 0;
  for (int i = 0; i < N; ++i) plain += both.first.cell[static_cast<std::size_t>(i)];
  if (N > 100) {
    EXPECT_NE(both.first.sum, plain) << "these numbers would not show another order";
  }
}
TEST(Regions, ReduceKeepsTheDocumentedOrder) {
  sum_up<32, 400>(32);
  sum_up<32, 20>(32);
  sum_up<32, 1>(32);
  sum_up<64, 399>(64);
  sum_up<32, 301>(64);  // a narrow actor in a wide block
}

TEST(Regions, ReduceKeepsTheSidesOfJoin) {
  using A = tile_of<32>;
  expect_alike(on_both<A>([](auto& lane, A& actor) {
    auto value = [](const A&, int i) { return static_cast<std::uint64_t>(i) + 1; };
    auto join = [](std::uint64_t a, std::uint64_t b) {
      return a == 0 ? b : b == 0 ? a : a * 31 + b;
    };
    const std::uint64_t all = lane.template reduce<100>(actor, std::uint64_t{0}, value, join);
    auto keep = [&](A& me) { me.drawn[0] = all; };
    lane.once(actor, keep);
  }));
}

TEST(Regions, RandomIsKeyedByRegionIndexAndDrawAlikeEverywhere) {
  using A = tile_of<32>;
  const auto both = on_both<A>([](auto& lane, A& actor) {
    const u64 before = lane.random();
    auto draw = [&](A& me, int i, int) { me.drawn[static_cast<std::size_t>(i)] = lane.random(); };
    lane.template for_each<20, 0, 0>(actor, draw);
    auto more = [&](A& me, int i, int) {
      (void)lane.random();
      me.drawn[static_cast<std::size_t>(20 + i)] = lane.random();
    };
    lane.template for_each<20, 0, 0>(actor, more);
    const u64 behind = lane.random();
    auto rest = [&](A& me) {
      me.drawn[40] = before;
      me.drawn[41] = behind;
      me.drawn[42] = lane.random();
    };
    lane.once(actor, rest);
  });
  expect_alike(both);
  auto all = both.first.drawn;
  std::sort(all.begin(), all.begin() + 43);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.begin() + 43), all.begin() + 43)
      << "two draws of one call are the same";
}

TEST(Regions, PrivateValuesBelongToTheirLane) {
  using A = tile_of<32>;
  const auto both = on_both<A>([](auto& lane, A& actor) {
    const void* marker = &actor;
    for (int round = 0; round < 3; ++round) {
      auto add = [&](A&, int i, int) { lane.template private_value<float>(marker) += float(i); };
      lane.template for_each<100, 0, 0>(actor, add);
    }
    auto keep = [&](A& me, int i, int) {
      me.cell[static_cast<std::size_t>(i)] = lane.template private_value<float>(marker);
    };
    lane.template for_each<32, 0, 0>(actor, keep);
  });
  expect_alike(both);
  EXPECT_EQ(both.first.cell[5], 3.0F * (5 + 37 + 69));
}

}  // namespace
