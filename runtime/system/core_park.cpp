// runtime/system/core_park.cpp - sends the workers away while there is nothing to do, and has them back.
// Why: an idle system should leave the device, or the cores, to others (docs/adr/017).
// Invariant: whoever puts something where parked workers would find it has them back, or finds that another does.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "runtime/system/core.hpp"

namespace perdure::runtime {
namespace {

std::uint64_t patience_ns(const options& o) {
  constexpr std::uint64_t automatic_ns = 250'000'000;
  if (o.park_after.count() > 0) return static_cast<std::uint64_t>(o.park_after.count());
  return o.execution == execution::graph ? 0 : automatic_ns;
}

}  // namespace

/// Parks if all have seemed to rest for long enough and do. One thread: the service thread's, or with virtual time the
/// one at whose call time passes.
void core::park_if_idle() {
  if (!may_park() || parked_.load(std::memory_order_relaxed)) return;
  const std::uint64_t now = engine_->steady_ns();
  const std::uint64_t sent = host_sent();
  if (sent != sent_by_then_ || rests_since_ == 0 || !commands_->all_rest()) {
    sent_by_then_ = sent;
    rests_since_ = now;
    return;
  }
  if (now - rests_since_ < patience_ns(options_)) return;
  rests_since_ = 0;
  std::unique_lock lock{control_, std::try_to_lock};  // who has it gives them something to do
  if (!lock || life_.load() != life::running || paused_) return;
  const std::uint64_t until =
      now;  // no patience beyond commands::grace_ns: all others wait for control_
  const auto first = give(abi::command::run, until);
  if (!first || first->inbox_done() != first->at(abi::counter::sent) + host_sent() ||
      first->at(abi::counter::could_fire) != 0) {
    return;  // they run
  }
  if (!park_locked(*first, until)) let_run();
}

/// They pause first, and leave when all have paused: one that has left cannot be told to go on, so nobody may leave while
/// another is in a handler that may never return.
/// @param before  what they had counted a round before: with it, as in wave_is_idle(), a pause shows that nothing is to be done.
/// @return whether they have left, or have left and come back.
/// @memory  A host thread counts and puts its message, and then looks at parked_, all under its lane's lock. parked_ is set
///          before each lane's lock is taken once: a thread that had the lock before has counted its message, which is found
///          missing in the books below; one that has it later sees parked_.
bool core::park_locked(const totals& before, std::uint64_t until) {
  const auto paused = give(abi::command::pause, until);
  if (!paused) return false;
  const auto rest = [&] {
    return paused->inbox_done() == paused->at(abi::counter::sent) + host_sent() &&
           paused->at(abi::counter::fired) == before.at(abi::counter::fired) &&
           paused->at(abi::counter::link_sent) == before.at(abi::counter::link_sent) &&
           paused->at(abi::counter::could_fire) == 0;
  };
  if (!rest() || !give(abi::command::park, until)) return false;
  engine_->parked();
  ++parks_;
  parked_.store(true, std::memory_order_relaxed);
  for (lane& l : lanes_) std::lock_guard wait{l.mutex};
  std::uint64_t due = ~std::uint64_t{0};
  for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
    // relaxed: written before what give() has acquired
    due = std::min<std::uint64_t>(due, loop::load<loop::order::relaxed, loop::scope::system>(
                                           &segment_.host.control[w].due_ns));
  }
  parked_until_ = due == ~std::uint64_t{0} ? due : steady_time_of(due);
  if (!rest() || due == 0) unpark_locked();
  return true;
}

/// On the engine's own clock, for the wall clock may be set. Early by what two clocks may drift apart meanwhile.
std::uint64_t core::steady_time_of(std::uint64_t worker_ns) {
  constexpr std::uint64_t drift_part = 20'000;  // 50 ppm
  const auto now = wall() - static_cast<std::uint64_t>(engine_->worker_clock_offset_ns());
  const std::uint64_t left = worker_ns > now ? worker_ns - now : 0;
  return engine_->steady_ns() + left - left / drift_part;
}

/// Workers that come back run, whatever the last command was, so that they need not wait for the next one: to write it takes
/// some microseconds.
void core::unpark_locked() {
  if (!parked_.load(std::memory_order_relaxed)) return;
  (void)engine_->relaunch();  // a device that cannot is found to have failed at the next command
  let_run();
  rests_since_ = 0;
  parked_.store(false, std::memory_order_relaxed);
}

void core::wake_parked() {
  while (parked_.load(std::memory_order_relaxed)) {
    // a command that holds it for long, such as quiesce(), has woken them first
    const std::unique_lock lock{control_, std::try_to_lock};
    if (lock) return unpark_locked();
    std::this_thread::yield();
  }
}

void core::wake_if_due() {
  if (!parked_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock{control_, std::try_to_lock};
  if (lock && engine_->steady_ns() >= parked_until_) unpark_locked();
}

}  // namespace perdure::runtime
