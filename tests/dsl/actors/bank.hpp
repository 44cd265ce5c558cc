// tests/dsl/actors/bank.hpp - the first header of the README, as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "perdure/actor.hpp"

struct balance {
  std::int64_t cents;
};
struct deposit {
  std::int64_t cents;
};

struct account : perdure::actor<account> {
  std::int64_t cents = 0;

  void on(const deposit& m, perdure::context& ctx) {
    cents += m.cents;
    ctx.reply(balance{cents});
  }
};
