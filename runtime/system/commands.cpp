// runtime/system/commands.cpp - see commands.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace perdure::runtime {

void commands::tell(abi::command what) {
  ++epoch_;
  abi::control_page* pages = segment_.host.control;
  const std::int64_t offset = engine_.worker_clock_offset_ns();
  for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
    loop::store<loop::order::relaxed, loop::scope::system>(&pages[w].clock_offset_ns,
                                                           static_cast<long long>(offset));
    // release: pairs with the acquire in obey(); what the host wrote for the workers is visible to them
    loop::store<loop::order::release, loop::scope::system>(&pages[w].command,
                                                           abi::make_command(epoch_, what));
  }
  engine_.wake();
}

result<totals> commands::give(abi::command what, std::uint64_t deadline_ns,
                              const std::function<void()>& meanwhile) {
  tell(what);
  const abi::control_page* pages = segment_.host.control;
  const std::uint64_t until = std::max(deadline_ns, engine_.steady_ns() + grace_ns);
  totals sum;
  for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
    silence quiet{until, {}};
    for (std::uint64_t polls = 0; !answered(w); ++polls) {
      meanwhile();
      if (!engine_.pump() && polls > 64) std::this_thread::yield();
      if ((polls & 255U) == 255U) {
        // asked again behind it: who has acknowledged may have left, and a loop that has ended looks like one that failed
        if (auto ok = engine_.healthy(); !ok && !answered(w)) return ok.error();
      }
      if (polls <= 64) continue;
      // read at every poll: on a busy machine each of the yields above may take milliseconds
      if (const std::uint64_t now = engine_.steady_ns(); now >= quiet.next_look_ns) {
        if (auto ok = judge(w, now, until + silence_ns, quiet); !ok) return ok.error();
      }
    }
    for (std::uint32_t i = 0; i < abi::counters; ++i) {
      const abi::u64 n = loop::load<loop::order::relaxed, loop::scope::system>(&pages[w].count[i]);
      abi::u64& into = sum.count[i];
      const auto which = static_cast<abi::counter>(i);
      const bool names_pair =
          which == abi::counter::exhausted_pair || which == abi::counter::overflow_pair;
      into = names_pair ? std::max(into, n) : into + n;
    }
  }
  return sum;
}

bool commands::all_rest() const {
  const abi::control_page* pages = segment_.host.control;
  for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
    // relaxed: a hint, which publishes nothing
    if (loop::load<loop::order::relaxed, loop::scope::system>(&pages[w].resting) == 0) return false;
  }
  return true;
}

bool commands::any_undelivered() const {
  const abi::control_page* pages = segment_.host.control;
  for (std::uint32_t w = 0; w < segment_.workers.workers; ++w) {
    // relaxed: written before what give() has acquired
    if (loop::load<loop::order::relaxed, loop::scope::system>(&pages[w].undelivered) != 0)
      return true;
  }
  return false;
}

bool commands::answered(std::uint32_t worker) const {
  // acquire: pairs with the worker's release; its counters and its actors' states are visible
  return loop::load<loop::order::acquire, loop::scope::system>(
             &segment_.host.control[worker].acknowledged) == epoch_;
}

result<void> commands::judge(std::uint32_t worker, std::uint64_t now, std::uint64_t give_up_ns,
                             silence& quiet) const {
  const call_seen seen = look_at(worker);
  // asked after the look: an answer that came while this thread was kept from running is an answer
  if (answered(worker)) return {};
  if (seen.call != 0 && seen == quiet.last) return stuck(worker, seen.call);
  if (now >= give_up_ns) return stuck(worker, seen.call);
  quiet.last = seen;
  quiet.next_look_ns = now + grace_ns;
  return {};
}

commands::call_seen commands::look_at(std::uint32_t worker) const {
  const loop::memory& m = segment_.workers;
  call_seen seen;
  // relaxed: a sign of life, which publishes nothing
  seen.turns = loop::load<loop::order::relaxed, loop::scope::system>(
      &segment_.host.control[worker].heartbeat);
  for (std::uint32_t lane = 0; lane < m.lanes && seen.call == 0; ++lane) {
    // each by itself, since the worker may be writing them
    const auto* from =
        reinterpret_cast<const std::byte*>(m.in_flight + std::size_t{worker} * m.lanes + lane);
    (void)engine_.copy_out(reinterpret_cast<std::byte*>(&seen.call), from, sizeof(seen.call));
    if ((seen.call >> 32U) > actors_.handlers.size()) seen.call = 0;
  }
  return seen;
}

error commands::stuck(std::uint32_t worker, abi::u64 call) const {
  if (call == 0) {
    return error{errc::stuck, fmt::format("worker {} does not answer; it runs no handler", worker)};
  }
  const handler_info& h = actors_.handlers[(call >> 32U) - 1];
  return error{errc::stuck,
               fmt::format("worker {}: actor {}[{}] does not return from {}", worker,
                           actors_.actors[h.actor - 1U].name, static_cast<std::uint32_t>(call),
                           actors_.messages[h.message].name)};
}

}  // namespace perdure::runtime
