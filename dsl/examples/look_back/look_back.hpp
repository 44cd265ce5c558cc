// dsl/examples/look_back/look_back.hpp - purses that pay each other, with a mistake in it.
// Why: something to be found by going through a run again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <cstdint>

struct purse;
struct pay {
  perdure::ref<purse> to;
  std::int64_t cents;
};
struct take {
  std::int64_t cents;
};

struct purse : perdure::actor<purse> {
  std::int64_t cents = 50;

  void on(const pay& m, perdure::context& ctx) {
    cents -= m.cents;  // the mistake: nobody asks whether there is as much
    ctx.send(m.to, take{m.cents});
  }
  void on(const take& m, perdure::context&) { cents += m.cents; }
};
