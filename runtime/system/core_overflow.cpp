// runtime/system/core_overflow.cpp - messages that found no room and do not wait for it (docs/adr/018).
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "runtime/system/core.hpp"

namespace perdure::runtime {

abi::overflow core::rule_of(std::uint32_t handler) const {
  return actors_.actors[actors_.handlers[handler].actor - 1U].on_overflow;
}

/// A message for which nobody waits has found no room in its lane.
void core::drop(std::uint64_t to, std::uint32_t handler) {
  const bool fails = rule_of(handler) == abi::overflow::fail;
  (fails ? host_overflowed_ : host_dropped_).fetch_add(1, std::memory_order_relaxed);
  if (fails) note_overflow(0, abi::ref_type(to));
  if (!options_.on_dead_letter) return;
  constexpr std::size_t samples = 64;  // until they are told; who floods a lane drops millions
  tell({any_ref{}, any_ref{to}, "", "",
        fails ? abi::dead_reason::overflowed : abi::dead_reason::dropped},
       handler, samples);
}

std::string core::pair_named(std::uint64_t from, std::uint64_t to) const {
  const auto name = [&](std::uint64_t type) {
    return type == 0 || type > actors_.actors.size() ? std::string{"host"}
                                                     : std::string{actors_.actors[type - 1].name};
  };
  return name(from) + " -> " + name(to);
}

/// A message to a type that fails has found no room. The first one is the one that is told of.
void core::note_overflow(std::uint64_t from, std::uint64_t to) {
  const std::lock_guard lock{failed_mutex_};
  if (failed_.load(std::memory_order_relaxed)) return;
  failed_pair_ = pair_named(from, to);
  failed_.store(true, std::memory_order_release);  // the name comes before the flag
}
result<void> core::not_failed() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  return error{errc::overflowed, failed_pair_};
}

}  // namespace perdure::runtime
