// tools/perdure/graph_actors.hpp - a chain of small actors that does what a chain of a CUDA graph's
// nodes does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "graph_rules.hpp"

namespace chains {

/// Mixes the word in hand with its own number and passes it on; the last one shows it to the host.
struct node : perdure::actor<node> {
  perdure::ref<perdure::host<arrived>> host;
  std::uint32_t stride = 0;  ///< the next one's place after this one in their range; 0 at the end
  std::uint32_t number = 0, handled = 0;
  void on(const baton& m, perdure::context& ctx) {
    ++handled;
    const std::uint32_t word = mixed(m.word, number);
    if (stride == 0) return ctx.send(host, arrived{word, m.chain});
    ctx.send(perdure::ref<node>{ctx.self(*this).bits + stride}, baton{word, m.chain});
  }
};

}  // namespace chains
