// tests/kernels/schedule_test.cpp - thousands of random schedules over tiny stocks: nothing lost, nothing reordered.
// Why: what goes wrong in a ring goes wrong in one interleaving of many; a seed replays it.
// Replay: PERDURE_SEED=n runs that seed alone.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/kernels/parcels.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

struct outcome {
  u64 handled, dead, exhausted, dropped, spilled, wraps, overflow, gaps, parks, deferred,
      deferring_parks;
};

/// One run: a shape, rules and a schedule, all drawn from the seed.
template <bool InOrder>
class run {
 public:
  /// @param crowd  many nodes a worker and lanes enough for batches that leave messages to the next one.
  run(u64 seed, u32 fan_out, bool stops, u32 spill_shift, abi::overflow rule, bool crowd)
      : random_{seed * 2 + (InOrder ? 1 : 0)}, fan_out_{fan_out}, rule_{rule} {
    s_.workers = crowd ? 1 + pick(2) : 3 + pick(3);
    s_.lanes = crowd ? 16 + pick(33) : 3 + pick(6);
    s_.ring_shift = 6;
    s_.spill_shift = spill_shift;
    s_.out_units = 32 << pick(3);
    s_.chip_units = 1 + pick(24);
    s_.claim_slots = 1U << pick(5);
    // where nothing may be lost, whatever is in flight fits into the spill of each worker, its timers and its buffers
    const bool fits = fan_out == 1 && !stops;
    s_.timer_capacity = fits ? 256 : 4;
    s_.host_lanes = 1 + pick(6);
    s_.buffers = fits ? 256 : 24;
    s_.buffer_bytes = 384;
    rules_.nodes = crowd ? 24 + pick(24) : 4 + pick(12);
    if (crowd) {
      s_.ring_shift = 6 + pick(4);
      s_.claim_slots = 32U << pick(4);
    }
    rules_.stop_one_in = stops ? 40 : 0;
    rules_.timer_one_in = pick(2) != 0 ? 9 : 0;
  }

  void operator()(outcome& out) {
    world w{s_, {{sizeof(node)}}, parcel_handlers(rule_)};
    w.template begin_all<block_loops<InOrder>>();
    for (u32 i = 0; i < rules_.nodes; ++i) w.spawn(node_type, i);
    inject(w);
    u64 turns = 0;
    while (!at_rest(w)) {
      ASSERT_LT(++turns, 300'000U) << "it never comes to rest";
      const u32 worker = pick(s_.workers);
      // now and then one worker runs alone for a while, as on a busy machine
      const u32 times = pick(16) == 0 ? 1 + pick(12) : 1;
      for (u32 i = 0; i < times; ++i) turn_of(w, worker);
      if (pick(4) == 0) drain_host(w);
    }
    const node_totals t = totals_of(w, rules_.nodes);
    EXPECT_EQ(t.errors, 0U);
    EXPECT_EQ(pushed_ + w.total(abi::counter::sent), w.total(abi::counter::handled) + w.dead())
        << "the books";
    EXPECT_EQ(w.free_buffers(), s_.buffers) << "buffers lost";
    EXPECT_EQ(*w.m.pressure, 0U);
    if (w.dead() == 0) {
      EXPECT_EQ(t.gaps, 0U);
    } else {
      EXPECT_LE(t.gaps, w.dead()) << "more numbers are missing than messages died";
    }
    out.handled += w.total(abi::counter::handled);
    out.dead += w.dead();
    out.exhausted += w.dead(abi::dead_reason::exhausted);
    out.dropped += w.dead(abi::dead_reason::dropped);
    out.spilled += w.total(abi::counter::spilled);
    out.wraps += w.total(abi::counter::wraps);
    out.overflow += w.total(abi::counter::outbox_overflow);
    out.gaps += t.gaps;
    out.parks += parks_;
    out.deferred += deferred_;
    out.deferring_parks += deferring_parks_;
  }

 private:
  u32 pick(u32 below) { return static_cast<u32>(random_() % below); }

  void inject(world& w) {
    u32 numbers[most_nodes] = {};
    for (u32 i = 0; i < 3 * rules_.nodes; ++i) {
      const u32 to = pick(rules_.nodes);
      const auto p = make_parcel<small>(from_host, numbers[to] + 1, 0, fan_out_ == 1 ? 20 : 6,
                                        static_cast<u16>(fan_out_));
      // all of one receiver through one lane: two lanes are two senders
      if (!w.lane(to % s_.host_lanes)
               .try_push(abi::make_ref(to, 1, node_type, system_number), 0, 0, 0, &p, sizeof(p)))
        continue;
      ++numbers[to];
      ++pushed_;
    }
  }
  /// It leaves, whatever it has on its hands, and comes back later; the others go on meanwhile.
  void park(world& w, u32 worker) {
    abi::control_page& page = w.m.control[worker];
    if (abi::command_of(page.command) == abi::command::park) return;  // it is away
    page.command = abi::make_command(++epoch_, abi::command::park);
    block_loops<InOrder> b{s_.lanes};
    auto steady = [this] { return now_; };
    for (progress did = progress::idle; did != progress::halted; now_ += 5) {
      w.chips[worker]->control_at = 0;
      did = turn(b, *w.chips[worker], w.m, rules_, steady);
    }
    leave(b, *w.chips[worker], w.m);
    EXPECT_EQ(page.due_ns == 0, w.chips[worker]->pending != 0 || w.chips[worker]->deferred != 0);
    ++parks_;
    deferring_parks_ += w.chips[worker]->deferred != 0 ? 1 : 0;
  }
  void come_back_if_away(world& w, u32 worker) {
    abi::control_page& page = w.m.control[worker];
    if (abi::command_of(page.command) != abi::command::park) return;
    page.command = abi::make_command(++epoch_, abi::command::run);
    w.forget_chip(worker);
    block_loops<InOrder> b{s_.lanes};
    begin(b, *w.chips[worker], w.m, worker);
  }
  void turn_of(world& w, u32 worker) {
    if (pick(48) == 0) return park(w, worker);
    come_back_if_away(w, worker);
    block_loops<InOrder> b{s_.lanes};
    auto steady = [this] { return now_; };
    w.chips[worker]->control_at = 0;
    // as on a device, a turn may begin with what an idle worker's poll has found
    const arrival here =
        pick(2) != 0 ? poll_once(b, *w.chips[worker], w.m, now_, rules_) : arrival{};
    turn(b, *w.chips[worker], w.m, rules_, steady, here);
    deferred_ += w.chips[worker]->deferred;
    now_ += 5;
  }
  void drain_host(world& w) {
    perdure::runtime::inbound_message m;
    for (u32 i = 0; i < s_.workers; ++i) {
      while (w.host_take(i, m)) {
      }
    }
  }
  bool at_rest(world& w) {
    if (w.total(abi::counter::timers_set) != w.total(abi::counter::timers_fired)) return false;
    if (w.total(abi::counter::from_host) != pushed_) return false;
    for (u32 i = 0; i < s_.workers; ++i) {
      const on_chip& c = *w.chips[i];
      if (c.out_top != 0 || c.deferred != 0 || c.spill_head != c.spill_tail ||
          c.ring_head != w.m.tails[i].value)
        return false;
    }
    return true;
  }

  std::mt19937_64 random_;
  u32 fan_out_;
  abi::overflow rule_;
  shape s_;
  parcel_rules rules_;
  u64 pushed_ = 0;
  u64 now_ = 1'000;
  u64 epoch_ = 0, parks_ = 0, deferred_ = 0, deferring_parks_ = 0;
};

/// Runs `count` seeds, or the one of PERDURE_SEED.
template <bool InOrder>
outcome run_seeds(u64 count, u32 fan_out, bool stops, u32 spill_shift,
                  abi::overflow rule = abi::overflow::wait, bool crowd = false) {
  outcome all{};
  u64 first = 0;
  if (const char* one = std::getenv("PERDURE_SEED"); one != nullptr) {
    first = std::strtoull(one, nullptr, 10);
    count = first + 1;
  }
  for (u64 seed = first; seed < count; ++seed) {
    SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed));
    run<InOrder>{seed, fan_out, stops, spill_shift, rule, crowd}(all);
    if (::testing::Test::HasFailure()) break;
  }
  return all;
}

TEST(Schedule, OneMessageForEachTakenLosesNothingInAnyInterleaving) {
  for (const outcome& o :
       {run_seeds<false>(1'000, 1, false, 12), run_seeds<true>(1'000, 1, false, 12)}) {
    EXPECT_EQ(o.dead, 0U);
    EXPECT_GT(o.wraps, 1'000U) << "rings did not wrap, so this tested little";
    EXPECT_GT(o.spilled, 1'000U) << "nothing was spilled, so this tested little";
    EXPECT_GT(o.overflow, 100U);
    EXPECT_GT(o.parks, 1'000U);
  }
}
TEST(Schedule, WhatIsDeferredKeepsOrderAndBooksThoughItsWorkerParks) {
  constexpr auto rule = abi::overflow::wait;
  for (const outcome& o : {run_seeds<false>(600, 1, false, 12, rule, true),
                           run_seeds<false>(300, 1, true, 9, rule, true)}) {
    EXPECT_GT(o.deferred, 300U) << "little was deferred, so this tested little";
    EXPECT_GT(o.deferring_parks, 5U);
    EXPECT_GT(o.handled, 10'000U);
  }
}
TEST(Schedule, StopsAndTimersKeepTheBooksExact) {
  for (const outcome& o :
       {run_seeds<false>(1'000, 1, true, 9), run_seeds<true>(1'000, 1, true, 9)}) {
    EXPECT_GT(o.dead, 1'000U);
    EXPECT_GT(o.handled, 10'000U);
  }
}
TEST(Schedule, AnAmplifyingProgramEndsWithExactBooks) {
  for (const outcome& o : {run_seeds<false>(500, 2, false, 6), run_seeds<true>(500, 2, false, 6)}) {
    EXPECT_GT(o.exhausted, 1'000U) << "nothing was exhausted, so this tested little";
    EXPECT_GT(o.spilled, 1'000U);
  }
}
TEST(Schedule, WhatDropsTheNewestNeverKeepsASenderAndEndsWithExactBooks) {
  constexpr auto rule = abi::overflow::drop_newest;
  for (const outcome& o :
       {run_seeds<false>(500, 2, false, 9, rule), run_seeds<true>(500, 2, false, 9, rule)}) {
    EXPECT_GT(o.dropped, 1'000U) << "nothing was dropped, so this tested little";
    EXPECT_GT(o.handled, 10'000U);
    EXPECT_GT(o.wraps, 500U);
  }
}

}  // namespace
