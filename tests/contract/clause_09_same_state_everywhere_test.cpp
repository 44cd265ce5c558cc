// tests/contract/clause_09_same_state_everywhere_test.cpp - equal messages in equal order give equal state.
// Why: with one seed the CPU backend replays one schedule; arithmetic is the same to the last bit. The half of this
//      clause that needs a GPU is in tests/generated.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;

constexpr std::uint32_t population = 20;

struct mix_in {
  std::uint64_t value;
  std::uint32_t hops;
};
/// Its state depends on the order of everything it gets, on random numbers and on floating point.
struct order_bound : actor<order_bound> {
  ref<order_bound> first;
  std::uint64_t hash = 1;
  double real = 1.0;
  void on(const mix_in& m, context& ctx) {
    const std::uint64_t dice = ctx.random();
    hash = (hash ^ m.value) * 0x9e3779b97f4a7c15U + dice;
    real = std::sqrt(real * 1.37 + static_cast<double>(hash >> 40U)) / 3.0;
    real = std::fma(real, 0.77, -real * 0.1);
    if (m.hops != 0)
      ctx.send(ref<order_bound>{first.bits + dice % population}, mix_in{hash, m.hops - 1});
    if (dice % 7 == 0)
      ctx.after(std::chrono::microseconds{dice % 50}, ctx.self(*this), mix_in{dice, 0});
  }
};
/// Its state does not depend on order: sums, and random numbers by message count.
struct order_free : actor<order_free> {
  ref<order_free> first;
  std::uint64_t sum = 0;
  std::uint64_t handled = 0;
  std::uint64_t drawn = 0;
  void on(const mix_in& m, context& ctx) {
    sum += m.value;
    ++handled;
    drawn += ctx.random();
    if (m.hops != 0)
      ctx.send(ref<order_free>{first.bits + m.value % population},
               mix_in{m.value * 5 + 3, m.hops - 1});
  }
};

template <class A>
std::vector<A> states_after(const perdure::program& actors, const perdure::options& o) {
  auto sys = perdure::system::start(actors, o).value();
  const std::uint64_t first = sys.spawn<A>(1).value()[0].bits + 1;
  auto all = sys.spawn<A>(population,
                          [&](std::size_t) {
                            A a;
                            a.first.bits = first;
                            return a;
                          })
                 .value();
  for (std::uint32_t i = 0; i < 100; ++i)
    expect_ok(sys.send(all[i % population], mix_in{i * 77U, 30}));
  expect_ok(sys.quiesce(20s));
  for (auto s = sys.statistics(); s.timers_set != s.timers_fired; s = sys.statistics())
    expect_ok(sys.quiesce(20s));
  expect_ok(sys.quiesce(20s));
  std::vector<A> out(population);
  expect_ok(sys.view(all, std::span<A>{out}));
  for (A& a : out) a.first = {};  // systems differ in their number, and states must not
  expect_exact_books(sys);
  return out;
}
template <class A>
bool same_bits(const std::vector<A>& a, const std::vector<A>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(A)) == 0;
}

TEST(Clause09, OneSeedReplaysTheSameScheduleToTheLastBit) {
  registry program;
  program.actor<order_bound, mix_in>();
  const perdure::program& actors = program.done();
  bool any_differs = false;
  std::vector<order_bound> before;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto once = states_after<order_bound>(actors, tight(perdure::schedule::seeded, seed));
    const auto again = states_after<order_bound>(actors, tight(perdure::schedule::seeded, seed));
    EXPECT_TRUE(same_bits(once, again)) << "seed " << seed;
    any_differs |= !before.empty() && !same_bits(before, once);
    before = once;
  }
  EXPECT_TRUE(any_differs) << "no seed makes a difference: nothing was tested";
}
TEST(Clause09, WhatDoesNotDependOnOrderIsTheSameUnderEverySchedule) {
  registry program;
  program.actor<order_free, mix_in>();
  const perdure::program& actors = program.done();
  auto o = tight(perdure::schedule::seeded, 5);
  o.workers = 1;
  const auto expected = states_after<order_free>(actors, o);
  under_every_schedule(20, 20, [&](perdure::options other) {
    other.workers = static_cast<std::uint32_t>(1 + other.seed % 4);
    other.seed = 5;  // of ctx.random(), too
    const auto got = states_after<order_free>(actors, other);
    for (std::uint32_t i = 0; i < population; ++i) {
      EXPECT_EQ(got[i].sum, expected[i].sum);
      EXPECT_EQ(got[i].handled, expected[i].handled);
      EXPECT_EQ(got[i].drawn, expected[i].drawn);
    }
  });
}
TEST(Clause09, AProductAndASumAreTwoRoundingsOnTheHost) {
  volatile double a = 1.0 + 0x1p-30;
  volatile double c = -1.0 - 0x1p-29;
  const double two = a * a + c;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(two), std::bit_cast<std::uint64_t>(0.0))
      << "contracted: build with -ffp-contract=off";
  EXPECT_EQ(std::fma(a, a, c), 0x1p-60);
}

}  // namespace
