// tools/perdure/egress_actors.hpp - actors that send to host mailboxes, a burst for each message
// that they handle.
// Invariant: a message of an actor to itself is the only one under way to it, so what is under way
//            to actors is bounded; what is under way to the host is held back by the mailboxes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace bench {

inline constexpr unsigned letter_halves = 19;
inline constexpr std::uint32_t letters_a_turn = 4;

/// 38 bytes: the sender's place, its number, and what follows from both.
struct dispatch_note {
  std::array<std::uint16_t, letter_halves> halves;
};
static_assert(sizeof(dispatch_note) == 38);

constexpr std::uint16_t filler(std::uint32_t place, std::uint32_t number, unsigned i) {
  return static_cast<std::uint16_t>(((place * 0x9e3779b9U + number * 0x85ebca6bU) >> (i & 15U)) +
                                    257U * i);
}
constexpr dispatch_note written(std::uint32_t place, std::uint32_t number) {
  dispatch_note n{};
  n.halves[0] = static_cast<std::uint16_t>(place);
  n.halves[1] = static_cast<std::uint16_t>(place >> 16U);
  n.halves[2] = static_cast<std::uint16_t>(number);
  n.halves[3] = static_cast<std::uint16_t>(number >> 16U);
  for (unsigned i = 4; i < letter_halves; ++i) n.halves[i] = filler(place, number, i);
  return n;
}

struct turn {
  std::uint32_t left;  ///< turns to go
};

struct reporter : perdure::actor<reporter> {
  std::uint64_t to = 0;  ///< bits of a mailbox
  std::uint32_t place = 0;
  std::uint32_t number = 0;

  void on(const turn& t, perdure::context& ctx) {
    const perdure::ref<perdure::host<dispatch_note>> host{to};
    for (std::uint32_t i = 0; i < letters_a_turn; ++i) ctx.send(host, written(place, number++));
    if (t.left > 1) ctx.send(ctx.self(*this), turn{t.left - 1});
  }
};

}  // namespace bench
