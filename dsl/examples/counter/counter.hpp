// dsl/examples/counter/counter.hpp - the smallest actor: it counts, and tells when asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <cstdint>

struct add {
  std::int64_t amount;
};
struct question {};
struct total {
  std::int64_t value;
};

struct tally : perdure::actor<tally> {
  std::int64_t value = 0;

  void on(const add& m, perdure::context&) { value += m.amount; }
  void on(const question&, perdure::context& ctx) { ctx.reply(total{value}); }
};
