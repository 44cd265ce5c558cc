// tests/corpus/refuse/send_without_handler.hpp - refused: a send to an actor that has no handler for the message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tock {};
struct listener : perdure::actor<listener> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context&) { ++n; }
};
struct speaker : perdure::actor<speaker> {
  perdure::ref<listener> to;
  void on(const tick&, perdure::context& ctx) {
    // EXPECT-ERROR: handler
    ctx.send(to, tock{});
  }
};
