// tools/perdure/graph_wide_actors.hpp - the same chain of wide actors: the baton goes through
// declared links.
// Why a program of its own: a loop that holds no wide type is another loop, and that one is
// measured beside this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "graph_rules.hpp"

namespace chains {

struct stage : perdure::block_actor<stage> {
  static constexpr int lanes = 128;
  enum class port { in, out };
  perdure::ref<perdure::host<arrived>> host;
  std::uint32_t number = 0, handled = 0;
  bool last = false;

  /// The first of a chain is sent its baton by the host.
  void on(const baton& m, perdure::block_context& ctx) const { pass(m, ctx); }
  void on(const perdure::joined<baton>& in, perdure::block_context& ctx) const {
    pass(in[port::in], ctx);
  }

 private:
  void pass(const baton& m, perdure::block_context& ctx) const {
    const baton next{mixed(m.word, number), m.chain};
    if (last) {
      ctx.once(*this, [](stage& me) { ++me.handled; });
      return ctx.send(host, arrived{next.word, next.chain});
    }
    const auto out = ctx.open<baton>(port::out);
    ctx.once(*this, [&](stage& me) {
      ++me.handled;
      *out = next;
    });
    ctx.commit(out);
  }
};

}  // namespace chains
