// tools/perdure/placement_actors.hpp - tokens of 8 bytes walk among the eight actors of a group.
// Why: neighbours by index are dealt out to different workers, so arithmetic puts those apart who talk to each other.
// Invariant: a token's walk names the actor that it must arrive at, so a message that is damaged or
//            astray is seen by its receiver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace bench {

inline constexpr std::uint32_t group_size = 8;

struct visit {
  std::uint32_t walk;  ///< state of the token's own random numbers
  std::uint32_t left;  ///< hops to go
};

/// Of a group, who is meant.
constexpr std::uint32_t member_of(const visit& v) { return v.walk >> 29U; }
constexpr visit next_of(const visit& v) { return {mix(v.walk + 0x9e3779b9U), v.left - 1}; }
/// What a message adds to the sums of its sender and its receiver.
constexpr std::uint32_t worth_of(const visit& v) { return v.walk ^ v.left * 0x9e3779b1U; }

/// All sums wrap.
struct neighbour : perdure::actor<neighbour> {
  std::uint32_t index = 0;
  std::uint32_t handled = 0, errors = 0;
  std::uint32_t received = 0, sent = 0;  ///< sums of worths
  std::uint64_t newest = 0;              ///< the time of the last message

  void on(const visit& v, perdure::context& ctx) {
    const std::uint64_t now = ctx.now().bits;
    if (member_of(v) != index % group_size || now <= newest) ++errors;
    newest = now;
    ++handled;
    received += worth_of(v);
    if (v.left == 0) return;
    const visit next = next_of(v);
    sent += worth_of(next);
    const std::uint64_t group = ctx.self(*this).bits - index % group_size;
    ctx.send(perdure::ref<neighbour>{group + member_of(next)}, next);
  }
};

}  // namespace bench
