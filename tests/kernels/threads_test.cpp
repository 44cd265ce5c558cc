// tests/kernels/threads_test.cpp - 4 workers of 8 lanes, every lane a real thread, over rings of 64 words.
// Why: under TSan this is the proof that the loop's regions, barriers and orders are enough.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "kernels/platform/block_threads.hpp"
#include "tests/kernels/parcels.hpp"

namespace {

using namespace kernel_test;
namespace abi = perdure::abi;

/// What does not end by then never will; a machine may be busy with other things, so it says nothing of how long it takes.
auto limit() { return std::chrono::steady_clock::now() + std::chrono::seconds{280}; }

/// The workers as teams of threads, told what to do through their control pages like by a host.
class crew {
 public:
  crew(world& w, const parcel_rules& rules) : w_{w}, rules_{rules} {
    for (u32 i = 0; i < w.m.workers; ++i) teams_.push_back(std::make_unique<lane_team>(w.m.lanes));
    launch();
  }
  ~crew() {
    give(abi::command::halt);
    for (auto& t : threads_) t.join();
  }
  /// All leave, whatever they have on their hands, and come back as other threads.
  void park() {
    give(abi::command::park);
    for (auto& t : threads_) t.join();
    threads_.clear();
    for (u32 i = 0; i < w_.m.workers; ++i) w_.forget_chip(i);
    tell(abi::command::run);
    launch();
  }

 private:
  void launch() {
    for (u32 i = 0; i < w_.m.workers; ++i) {
      for (u32 lane = 0; lane < w_.m.lanes; ++lane) {
        threads_.emplace_back([this, &w = w_, rules = rules_, i, lane, team = teams_[i].get()] {
          block_threads b{*team, lane};
          on_chip& c = *w.chips[i];
          parcel_rules mine = rules;
          auto steady = [] {
            return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
          };
          begin(b, c, w.m, i);
          b.region([&](u32 l) { bring_chunks(c, w.m, l, b.lanes()); });
          for (arrival here;;) {
            const progress p = turn(b, c, w.m, mine, steady, here);
            if (p == progress::halted) return leave(b, c, w.m);
            if (lane == 0 && c.deferred != 0) deferrals_.fetch_add(1, std::memory_order_relaxed);
            if (lane == 0 && c.stream.on != 0) streams_.fetch_add(1, std::memory_order_relaxed);
            b.region([](u32) {});  // lane 0 has noted what the command word said
            here = p == progress::idle ? poll_once(b, c, w.m, steady(), mine) : arrival{};
            if (p != progress::worked) std::this_thread::yield();
          }
        });
      }
    }
  }

 public:
  /// Gives a command and waits until all have answered. @return sums of the counters.
  std::vector<u64> give(abi::command what) {
    tell(what);
    std::vector<u64> sums(abi::counters);
    for (u32 i = 0; i < w_.m.workers; ++i) {
      while (load<order::acquire, scope::system>(&w_.m.control[i].acknowledged) != epoch_) {
        drain_host();
        std::this_thread::yield();
      }
      for (u32 k = 0; k < abi::counters; ++k)
        sums[k] += load<order::relaxed, scope::system>(&w_.m.control[i].count[k]);
    }
    return sums;
  }
  /// Waits until all that was pushed, and all that it caused, is handled or dead. @return the counters then.
  std::vector<u64> rest(u64 pushed) {
    const auto until = limit();
    for (;;) {
      const auto first = give(abi::command::run);
      const auto second = give(abi::command::run);
      if (ended(first) == pushed + second[static_cast<u32>(abi::counter::sent)]) return second;
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "it never comes to rest";
        return second;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  /// Turns at whose end messages were left to the next batch.
  u64 deferrals() const { return deferrals_.load(std::memory_order_relaxed); }
  /// Turns that were left for a hot actor's stream.
  u64 streams() const { return streams_.load(std::memory_order_relaxed); }
  static u64 ended(const std::vector<u64>& counts) {
    u64 n = counts[static_cast<u32>(abi::counter::handled)];
    for (u32 r = 0; r < abi::dead_reasons; ++r)
      n += counts[static_cast<u32>(abi::counter::dead) + r];
    return n;
  }

 private:
  void tell(abi::command what) {
    ++epoch_;
    for (u32 i = 0; i < w_.m.workers; ++i) {
      store<order::release, scope::system>(&w_.m.control[i].command,
                                           abi::make_command(epoch_, what));
    }
  }
  void drain_host() {
    perdure::runtime::inbound_message m;
    for (u32 i = 0; i < w_.m.workers; ++i) {
      while (w_.host_take(i, m)) {
      }
    }
  }
  world& w_;
  parcel_rules rules_;
  std::vector<std::unique_ptr<lane_team>> teams_;
  std::vector<std::thread> threads_;
  u64 epoch_ = 0;
  std::atomic<u64> deferrals_{0}, streams_{0};
};

shape tiny() {
  shape s;
  s.workers = 4;
  s.lanes = 8;
  s.ring_shift = 6;
  s.spill_shift = 10;
  s.out_units = 128;
  s.host_lanes = 4;
  s.buffers = 64;
  s.buffer_bytes = 384;
  s.host_buffers = 2;
  s.stall_ns = 1'000'000'000;
  return s;
}

/// Injects through the host lanes, as a host thread does. @return messages pushed.
u64 inject(world& w, u32 nodes, u32 count, u16 hops, u16 fan_out) {
  u32 numbers[most_nodes] = {};
  u64 pushed = 0;
  const auto until = limit();
  for (u32 i = 0; i < count; ++i) {
    const u32 to = i % nodes;
    const auto p = make_parcel<small>(from_host, numbers[to] + 1, 0, hops, fan_out);
    const auto l = make_parcel<large>(from_host, numbers[to] + 1, 0, hops, fan_out);
    const bool is_large = i % 3 == 2;
    const u64 ref = abi::make_ref(to, 1, node_type, system_number);
    const auto push = [&] {
      auto lane = w.lane(to % 4);
      return is_large ? lane.try_push(ref, 2, 0, 0, &l, sizeof(l))
                      : lane.try_push(ref, 0, 0, 0, &p, sizeof(p));
    };
    while (!push()) {
      if (std::chrono::steady_clock::now() > until)
        return pushed;  // the caller sees it in the sums
      std::this_thread::yield();
    }
    ++numbers[to];
    ++pushed;
  }
  return pushed;
}

/// Each call is noted once, at a stamp of its own, with the message that some actor sent at one of its own.
void expect_noted(const world& w, u64 handled, u64 timers) {
  std::set<std::pair<u64, u64>> calls, messages;
  u64 notes = 0, from_actors = 0, fired = 0;
  for (const abi::record_entry& e : w.notes()) {
    if (e.kind() == abi::record_kind::timer) ++fired;
    if (e.kind() != abi::record_kind::message) continue;
    ++notes;
    calls.emplace(e.actor, e.stamp);
    EXPECT_EQ(abi::ref_type(e.actor), node_type);
    EXPECT_LT(abi::stamp_from_wire(e.what, e.stamp), e.stamp);
    if (e.sender() == 0) continue;
    ++from_actors;
    messages.emplace(e.sender(), e.what);
  }
  EXPECT_EQ(notes, handled);
  EXPECT_EQ(calls.size(), handled);
  EXPECT_EQ(messages.size(), from_actors);
  EXPECT_EQ(fired, timers);
}

void run(const shape& s, const parcel_rules& rules, u32 count, u16 hops, std::vector<u64>& sums,
         node_totals& nodes, u64& pushed, u32 parks = 0, u64* deferrals = nullptr,
         u64* streams = nullptr) {
  world w{s, {{sizeof(node)}}, parcel_handlers()};
  for (u32 i = 0; i < rules.nodes; ++i) w.spawn(node_type, i);
  {
    crew all{w, rules};
    pushed = inject(w, rules.nodes, count, hops, 1);
    for (u32 i = 0; i < parks; ++i) all.park();
    sums = all.rest(pushed);
    if (deferrals != nullptr) *deferrals = all.deferrals();
    if (streams != nullptr) *streams = all.streams();
  }
  nodes = totals_of(w, rules.nodes);
  if (s.records != 0) {
    const auto of = [&](abi::counter which) { return sums[static_cast<u32>(which)]; };
    expect_noted(w, of(abi::counter::handled), of(abi::counter::timers_fired));
  }
  EXPECT_EQ(pushed, count);
  EXPECT_EQ(w.free_buffers(), s.buffers);
  EXPECT_EQ(w.free_host_buffers(), s.host_buffers * s.host_lanes);
}

TEST(Threads, ParcelsArriveWholeInOrderAndOnce) {
  parcel_rules rules;
  rules.nodes = 12;
  std::vector<u64> sums;
  node_totals nodes;
  u64 pushed = 0;
  run(tiny(), rules, 48, 30, sums, nodes, pushed);
  EXPECT_EQ(nodes.errors, 0U);
  EXPECT_EQ(nodes.gaps, 0U);
  EXPECT_EQ(sums[static_cast<u32>(abi::counter::handled)], 48U * 31U);
  EXPECT_GT(sums[static_cast<u32>(abi::counter::wraps)], 10U);
}
TEST(Threads, SixteenLanesDeferWhatComesSecond) {
  shape s = tiny();
  s.workers = 1;
  s.lanes = 16;
  s.ring_shift = 8;
  s.claim_slots = 256;
  parcel_rules rules;
  rules.nodes = 40;
  rules.sizes = 1;
  std::vector<u64> sums;
  node_totals nodes;
  u64 pushed = 0, deferrals = 0;
  run(s, rules, 60, 40, sums, nodes, pushed, 0, &deferrals);
  EXPECT_EQ(nodes.errors, 0U);
  EXPECT_EQ(nodes.gaps, 0U);
  EXPECT_EQ(sums[static_cast<u32>(abi::counter::handled)], 60U * 41U);
  EXPECT_GT(deferrals, 0U);
}
TEST(Threads, OneNodeThatGetsMostIsToldByTheStream) {
  for (const u32 sizes : {1U, 2U}) {  // medium ones end a part
    SCOPED_TRACE(sizes);
    shape s = tiny();
    s.workers = 2;
    s.ring_shift = 9;
    parcel_rules rules;
    rules.nodes = 12;
    rules.sizes = sizes;
    rules.to_first = 13;
    std::vector<u64> sums;
    node_totals nodes;
    u64 pushed = 0, streams = 0;
    run(s, rules, 100, 30, sums, nodes, pushed, 0, nullptr, &streams);
    EXPECT_EQ(nodes.errors, 0U);
    EXPECT_EQ(nodes.gaps, 0U);
    EXPECT_EQ(sums[static_cast<u32>(abi::counter::handled)], 100U * 31U);
    EXPECT_GT(streams, 0U);
  }
}
TEST(Threads, StopsAndTimersKeepTheBooksExact) {
  parcel_rules rules;
  rules.nodes = 16;
  rules.stop_one_in = 60;
  rules.timer_one_in = 8;
  std::vector<u64> sums;
  node_totals nodes;
  u64 pushed = 0;
  run(tiny(), rules, 64, 20, sums, nodes, pushed);
  EXPECT_EQ(nodes.errors, 0U);
  EXPECT_EQ(pushed + sums[static_cast<u32>(abi::counter::sent)], crew::ended(sums));
}
TEST(Threads, WhoLeavesInTheMiddleComesBackWithAllThatItHad) {
  parcel_rules rules;
  rules.nodes = 12;
  rules.timer_one_in = 8;
  std::vector<u64> sums;
  node_totals nodes;
  u64 pushed = 0;
  run(tiny(), rules, 48, 30, sums, nodes, pushed, 12);
  EXPECT_EQ(nodes.errors, 0U);
  EXPECT_EQ(nodes.gaps, 0U);
  EXPECT_EQ(pushed + sums[static_cast<u32>(abi::counter::sent)],
            sums[static_cast<u32>(abi::counter::handled)]);
}
TEST(Threads, WhatIsRecordedIsNotedOnce) {
  for (const u32 to_first : {0U, 13U}) {  // one node gets most of it: runs of its messages
    SCOPED_TRACE(to_first);
    parcel_rules rules;
    rules.nodes = 12;
    rules.timer_one_in = 8;
    rules.to_first = to_first;
    shape s = tiny();
    s.records = 1U << 14U;
    std::vector<u64> sums;
    node_totals nodes;
    u64 pushed = 0, streams = 0;
    run(s, rules, 60, 30, sums, nodes, pushed, 4, nullptr, &streams);
    EXPECT_EQ(nodes.errors, 0U);
    EXPECT_EQ(nodes.gaps, 0U);
    EXPECT_EQ(streams, 0U);
  }
}
TEST(Threads, ASpillThatRunsOverLosesOnlyWhatItCounts) {
  parcel_rules rules;
  rules.nodes = 12;
  shape s = tiny();
  s.spill_shift = 6;
  s.out_units = 32;
  s.stall_ns = 1'000;
  std::vector<u64> sums;
  node_totals nodes;
  u64 pushed = 0;
  run(s, rules, 96, 16, sums, nodes, pushed);
  EXPECT_EQ(nodes.errors, 0U);
  EXPECT_EQ(pushed + sums[static_cast<u32>(abi::counter::sent)], crew::ended(sums));
}

}  // namespace
