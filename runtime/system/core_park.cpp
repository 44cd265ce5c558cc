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
  const std::uint64_t sent = host_sent_.load(std::memory_order_relaxed);
  if (sent != sent_by_then_ || rests_since_ == 0 || !commands_->all_rest()) {
    sent_by_then_ = sent;
    rests_since_ = now;
    return;
  }
  if (now - rests_since_ < patience_ns(options_)) return;
  rests_since_ = 0;
  std::unique_lock lock{control_, std::try_to_lock};  // who has it gives them something to do
  if (!lock || life_.load() != life::running || paused_) return;
  const std::uint64_t until = deadline(options_.stop_timeout);
  // as wave_is_idle(): of its two rounds the second is what parks them
  const auto first = give(abi::command::run, until);
  if (!first || first->at(abi::counter::could_fire) != 0) return;
  if (first->inbox_done() == first->at(abi::counter::sent) + host_sent_) park_locked(*first, until);
}

/// @param before  what the workers had counted a round before.
/// @memory  A host thread counts and puts its message, and then looks at parked_, all under its lane's lock. parked_ is set
///          before each lane's lock is taken once: a thread that had the lock before has counted its message, which is found
///          missing in the books below; one that has it later sees parked_.
void core::park_locked(const totals& before, std::uint64_t until) {
  auto away = give(abi::command::park, until);
  if (!away) return commands_->tell(abi::command::run);  // those that have not left go on
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
  const auto offset = static_cast<std::uint64_t>(engine_->worker_clock_offset_ns());
  parked_until_ = due == 0 || due == ~std::uint64_t{0} ? due : due + offset;
  const bool nothing_came =
      away->inbox_done() ==
          away->at(abi::counter::sent) + host_sent_.load(std::memory_order_relaxed) &&
      away->at(abi::counter::fired) == before.at(abi::counter::fired) &&
      away->at(abi::counter::link_sent) == before.at(abi::counter::link_sent) &&
      away->at(abi::counter::could_fire) == 0;
  if (!nothing_came || due == 0) unpark_locked();
}

/// The command is there before the workers are, and is the first thing that they look at.
void core::unpark_locked() {
  if (!parked_.load(std::memory_order_relaxed)) return;
  commands_->tell(abi::command::run);
  (void)engine_->relaunch();  // a device that cannot is found to have failed at the next command
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
  if (lock && wall() >= parked_until_) unpark_locked();
}

}  // namespace perdure::runtime
