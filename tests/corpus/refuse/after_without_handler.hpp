// tests/corpus/refuse/after_without_handler.hpp - refused: an after() to an actor that has no handler for the message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tock {};
struct speaker : perdure::actor<speaker> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context& ctx) {
    // EXPECT-ERROR: handler
    ctx.after(std::chrono::milliseconds{1}, ctx.self(*this), tock{});
  }
};
