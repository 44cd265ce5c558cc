// runtime/include/perdure/event_time.hpp - one order of all events, whoever they are of.
// Why: actors that know nothing of each other may be given the same stamp; a trace needs an order.
// Invariant: no two events are equal: an actor is given no stamp twice. Cause stands before effect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"

namespace perdure {

/// When an event was, and whose: `event_time{letter.at, letter.sender}`.
/// Equal stamps are ordered by actor.
struct event_time {
  hlc at;
  any_ref actor;  ///< null for an event of the host

  friend constexpr bool operator==(event_time a, event_time b) {
    return a.at == b.at && a.actor == b.actor;
  }
  friend constexpr bool operator!=(event_time a, event_time b) { return !(a == b); }
  friend constexpr bool operator<(event_time a, event_time b) {
    return a.at == b.at ? a.actor < b.actor : a.at < b.at;
  }
};

}  // namespace perdure
