// tests/corpus/accept/stop_and_fail.hpp - stop() and fail(reason) end an actor; later messages to it are dead letters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct work {
  std::uint8_t load;
};
struct done {
  std::uint32_t left;
};

struct boss;

struct worker : perdure::actor<worker> {
  std::int32_t strength = 40;
  perdure::ref<boss> owner;
  void on(const work& m, perdure::context& ctx);
};

struct boss : perdure::actor<boss> {
  std::uint32_t reports = 0;
  std::uint64_t left = 0;
  void on(const done& m, perdure::context&) {
    ++reports;
    left += m.left;
  }
};

inline void worker::on(const work& m, perdure::context& ctx) {
  strength -= m.load % 16;
  ctx.send(owner, done{static_cast<std::uint32_t>(strength > 0 ? strength : 0)});  // stands, also before fail
  if (strength < -8) {
    ctx.fail(static_cast<std::uint32_t>(-strength));
  } else if (strength <= 0) {
    ctx.stop();
  }
}
