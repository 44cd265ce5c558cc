// tools/perdure/hop_link_actors.hpp - two wide actors that play a ball to each other through
// declared links.
// Why: a link needs no reservation and wakes a whole block; its hop is another one than an inbox's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

namespace bench {

struct link_serve {
  std::uint32_t hops;  ///< even: the ball ends where it began
};
/// Shares one 16-byte word with the link's number.
struct link_ball {
  std::uint32_t number;
  std::uint32_t left;
};
struct link_rally_end {
  std::uint64_t microseconds;
  std::uint32_t hops;
  std::uint32_t errors;
};

struct wide_player : perdure::block_actor<wide_player> {
  static constexpr int lanes = 128;
  enum class port { court };
  std::uint64_t to = 0;  ///< bits of a mailbox
  std::uint64_t began = 0;
  std::uint32_t due = 2;
  std::uint32_t hits = 0, errors = 0;
  std::uint32_t hops = 0;

  void on(const link_serve& s, perdure::block_context& ctx) const {
    const std::uint64_t now = ctx.now().bits >> 16U;
    ctx.once(*this, [&](wide_player& me) {
      me.began = now;
      me.due = 2;
      me.hops = s.hops;
    });
    play(ctx, link_ball{1, s.hops - 1});
  }
  void on(const perdure::joined<link_ball>& in, perdure::block_context& ctx) const {
    const link_ball b = in[port::court];
    ctx.once(*this, [&](wide_player& me) {
      ++me.hits;
      if (b.number == 1) me.due = 1;
      if (b.number != me.due) ++me.errors;
      me.due = b.number + 2;
    });
    if (b.left > 0) {
      play(ctx, link_ball{b.number + 1, b.left - 1});
    } else {
      const std::uint64_t now = ctx.now().bits >> 16U;
      ctx.send(perdure::ref<perdure::host<link_rally_end>>{to},
               link_rally_end{now - began, b.number, errors});
    }
  }

 private:
  void play(perdure::block_context& ctx, const link_ball& b) const {
    const auto out = ctx.open<link_ball>(port::court);
    ctx.once(*this, [&](wide_player&) { *out = b; });
    ctx.commit(out);
  }
};

}  // namespace bench
