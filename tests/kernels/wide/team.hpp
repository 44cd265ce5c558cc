// tests/kernels/wide/team.hpp - workers whose lanes are threads, and a handler call as the device makes it.
// Why: kernels/wide/wide_lane.cuh runs on a GPU only; with threads for lanes its code runs here, under TSan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/platform/block_threads.hpp"
#include "kernels/wide/wide_lane.cuh"
#include "tests/kernels/wide/wide_world.hpp"

namespace kernel_test {

/// What the generated unit would give: actor and message ids are members of the types, per_lane places their offsets.
struct test_ids {
  template <class A, class M>
  static constexpr u32 handler() {
    return A::template handler<M>;
  }
  template <class M>
  static constexpr u32 message() {
    return M::id;
  }
  static constexpr u32 private_place(u32 /*actor*/, u32 offset) { return offset; }
};
/// As a GPU's block where no wide actor's state fits on the chip.
class whole_threads : public block_threads {
 public:
  static constexpr bool whole_links = true;
  using block_threads::block_threads;
};
/// As another GPU's block: a lane reads the books of its port while it waits for words.
class port_threads : public block_threads {
 public:
  static constexpr bool lane_a_port = true;
  using block_threads::block_threads;
};
template <class Block>
using lane_of = wide_lane<Block, test_ids>;
using thread_lane = lane_of<block_threads>;

/// Calls `body(lane, message, landed)` on every lane, as device_handle does.
template <class Body, class Block = block_threads>
struct thread_handle {
  static constexpr u32 private_bytes = 16;
  static constexpr bool wide_alike = false;
  Body body;

  void operator()(u32, void*, const message_view&, lane_state&) const {}
  void wide(wide_call<Block>& made, u32 handler, const void* message) {
    lane_of<Block> lane{made.block, made.chip,  made.mem,       made.call,
                        made.state, made.store, made.open_ports};
    abi::landed_messages landed{made.landed, made.landed_at};
    if (Block::whole_links) landed = {nullptr, nullptr, whole_in_hand(*made.chip, *made.mem).at};
    body(lane, handler, message, landed);
    lane.leave(made);
  }
  void joined(wide_call<Block>& made, u32 handler) { wide(made, handler, nullptr); }
};

/// Runs `f(block)` on every lane of one worker.
template <class Block = block_threads, class F>
void on_all_lanes(u32 lanes, F f) {
  lane_team team{lanes};
  std::vector<std::thread> threads;
  for (u32 lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&team, lane, f] {
      Block b{team, lane};
      f(b);
    });
  }
  for (auto& t : threads) t.join();
}

/// All workers, until `fired` firings are counted; then they halt, and states lie in their slots.
template <class Block = block_threads, class Body>
void run_until_fired(wide_world& w, u64 fired, Body body) {
  std::vector<std::unique_ptr<lane_team>> teams;
  std::vector<std::thread> threads;
  for (u32 i = 0; i < w.m.workers; ++i) teams.push_back(std::make_unique<lane_team>(w.m.lanes));
  for (u32 i = 0; i < w.m.workers; ++i) {
    for (u32 lane = 0; lane < w.m.lanes; ++lane) {
      threads.emplace_back([&w, body, i, lane, team = teams[i].get()] {
        Block b{*team, lane};
        thread_handle<Body, Block> handle{body};
        auto steady = [] {
          return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
        };
        begin(b, *w.chips[i], w.m, i);
        for (;;) {
          const progress p = turn(b, *w.chips[i], w.m, handle, steady);
          if (p == progress::halted) return;
          b.region([](u32) {});  // lane 0 has noted what the command word said
          if (p != progress::worked) std::this_thread::yield();
        }
      });
    }
  }
  u64 epoch = 0;
  const auto give = [&](abi::command what) {
    ++epoch;
    u64 n = 0;
    for (u32 i = 0; i < w.m.workers; ++i)
      store<order::release, scope::system>(&w.m.control[i].command, abi::make_command(epoch, what));
    for (u32 i = 0; i < w.m.workers; ++i) {
      while (load<order::acquire, scope::system>(&w.m.control[i].acknowledged) != epoch)
        std::this_thread::yield();
      n += load<order::relaxed, scope::system>(
          &w.m.control[i].count[static_cast<u32>(abi::counter::fired)]);
    }
    return n;
  };
  // however long it takes, as long as it goes on
  auto moved = std::chrono::steady_clock::now();
  for (u64 before = 0, now = 0; (now = give(abi::command::run)) < fired; before = now) {
    if (now != before) moved = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - moved > std::chrono::seconds{100}) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  EXPECT_EQ(give(abi::command::halt), fired);
  for (auto& t : threads) t.join();
}

}  // namespace kernel_test
