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
    for (
        std::uint64_t polls = 0;
        // acquire: pairs with the worker's release; its counters and its actors' states are visible
        loop::load<loop::order::acquire, loop::scope::system>(&pages[w].acknowledged) != epoch_;
        ++polls) {
      meanwhile();
      if (!engine_.pump() && polls > 64) std::this_thread::yield();
      if ((polls & 255U) == 255U) {
        if (auto ok = engine_.healthy(); !ok) return ok.error();
        if (engine_.steady_ns() >= until) return stuck(w);
      }
    }
    for (std::uint32_t i = 0; i < abi::counters; ++i) {
      const abi::u64 n = loop::load<loop::order::relaxed, loop::scope::system>(&pages[w].count[i]);
      abi::u64& into = sum.count[i];
      into = i == static_cast<std::uint32_t>(abi::counter::exhausted_pair) ? std::max(into, n)
                                                                           : into + n;
    }
  }
  return sum;
}

error commands::stuck(std::uint32_t worker) const {
  const loop::memory& m = segment_.workers;
  for (std::uint32_t lane = 0; lane < m.lanes; ++lane) {
    abi::u64 f = 0;  // each by itself, since the worker may be writing them
    const auto* from =
        reinterpret_cast<const std::byte*>(m.in_flight + std::size_t{worker} * m.lanes + lane);
    (void)engine_.copy_out(reinterpret_cast<std::byte*>(&f), from, sizeof(f));
    if (f == 0) continue;
    const std::uint32_t handler = static_cast<std::uint32_t>(f >> 32U) - 1;
    if (handler >= actors_.handlers.size()) continue;
    const handler_info& h = actors_.handlers[handler];
    return error{errc::stuck,
                 fmt::format("worker {}: actor {}[{}] does not return from {}", worker,
                             actors_.actors[h.actor - 1U].name, static_cast<std::uint32_t>(f),
                             actors_.messages[h.message].name)};
  }
  return error{errc::stuck, fmt::format("worker {} does not answer; it runs no handler", worker)};
}

}  // namespace perdure::runtime
