// tools/perdure/small_actors.hpp - tokens of 8 bytes walk at random among actors of one type.
// Why: a small message shows what the routing costs when the payload costs nearly nothing.
// Invariant: a token's walk names the actor that it must arrive at, so a message that is damaged or
//            astray is seen by its receiver, and the host can replay any walk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace bench {

struct chip {
  std::uint32_t walk;  ///< state of the token's own random numbers
  std::uint32_t left;  ///< hops to go
};
static_assert(sizeof(chip) == 8);

/// The actor that a token with this walk goes to.
constexpr std::uint32_t stop_of(std::uint32_t walk, std::uint32_t count) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(walk) * count >> 32U);
}
constexpr chip next_of(const chip& c) { return {mix(c.walk + 0x9e3779b9U), c.left - 1}; }
/// What a message adds to the sums of its sender and its receiver.
constexpr std::uint32_t worth_of(const chip& c) { return c.walk ^ c.left * 0x9e3779b1U; }

/// 32 bytes of state. All sums wrap.
struct pebble : perdure::actor<pebble> {
  std::uint32_t index = 0, count = 0;  ///< this actor's place, and how many there are
  std::uint32_t handled = 0, errors = 0;
  std::uint32_t received = 0, sent = 0;  ///< sums of worths
  std::uint64_t newest = 0;              ///< the time of the last message

  void on(const chip& c, perdure::context& ctx) {
    const std::uint64_t now = ctx.now().bits;
    if (stop_of(c.walk, count) != index || now <= newest) ++errors;
    newest = now;
    ++handled;
    received += worth_of(c);
    if (c.left == 0) return;
    const chip next = next_of(c);
    sent += worth_of(next);
    const std::uint64_t first = ctx.self(*this).bits - index;
    ctx.send(perdure::ref<pebble>{first + stop_of(next.walk, count)}, next);
  }
};
static_assert(sizeof(pebble) == 32);

}  // namespace bench
