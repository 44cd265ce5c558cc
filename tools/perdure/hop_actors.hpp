// tools/perdure/hop_actors.hpp - two actors that play a ball to each other through their inboxes.
// Why: the time of one hop, with nothing else under way; the player who ends the rally says how
// long it took.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

namespace bench {

/// From the host: play a rally of `hops` with `peer`.
struct serve {
  std::uint64_t peer;  ///< bits of a player
  std::uint32_t hops;
};
struct ball {
  std::uint64_t began;   ///< microseconds of the rally's first hop
  std::uint32_t number;  ///< of this hop, from 1
  std::uint32_t hops;    ///< of the whole rally
};
/// To the host: what the last player saw.
struct rally_end {
  std::uint64_t microseconds;
  std::uint32_t hops;
  std::uint32_t errors;  ///< of this player so far
};

struct player : perdure::actor<player> {
  std::uint64_t to = 0;   ///< bits of a mailbox
  std::uint32_t due = 0;  ///< number of the next ball of this rally; 0 before its first
  std::uint32_t hits = 0, errors = 0;
  std::uint32_t spare = 0;

  void on(const serve& s, perdure::context& ctx) {
    due = 2;
    ctx.send(perdure::ref<player>{s.peer}, ball{microseconds(ctx), 1, s.hops});
  }
  void on(const ball& b, perdure::context& ctx) {
    ++hits;
    if (b.number == 1) due = 1;
    if (b.number != due) ++errors;
    due = b.number + 2;
    if (b.number < b.hops) {
      const auto back = perdure::ref_cast<player>(ctx.sender());
      ctx.send(back, ball{b.began, b.number + 1, b.hops});
    } else {
      ctx.send(perdure::ref<perdure::host<rally_end>>{to},
               rally_end{microseconds(ctx) - b.began, b.number, errors});
    }
  }

 private:
  static std::uint64_t microseconds(perdure::context& ctx) { return ctx.now().bits >> 16U; }
};

}  // namespace bench
