// tests/corpus/refuse/sent_message_pointer.hpp - refused: a pointer in a message that is only sent, never declared as a handler of this actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct answer {
  // EXPECT-ERROR: pointer
  std::uint32_t* where;
};
struct ask_for {
  std::uint32_t n;
};
struct responder : perdure::actor<responder> {
  std::uint32_t n = 0;
  void on(const ask_for& m, perdure::context& ctx) {
    n += m.n;
    ctx.reply(answer{nullptr});
  }
};
