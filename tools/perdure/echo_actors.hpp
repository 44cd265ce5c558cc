// tools/perdure/echo_actors.hpp - a question and its answer: what `perdure bench rtt` and `start` measure.
// Why: a program of its own, as small as a user's first one, so that a cold start compiles that and nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace bench {

struct question {
  std::uint32_t number;
};
struct answer {
  std::uint32_t mixed;
  std::uint32_t handled;
};
struct echo : perdure::actor<echo> {
  std::uint32_t handled = 0;
  void on(const question& q, perdure::context& ctx) {
    ++handled;
    ctx.reply(answer{mix(q.number), handled});
  }
};

}  // namespace bench
