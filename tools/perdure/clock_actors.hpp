// tools/perdure/clock_actors.hpp - actors that tell the host their time, unasked: what `perdure bench clock` listens to.
// Why: who is asked merges the asker's clock first; what a timer starts has only the worker's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

namespace clocks {

struct tick {
  std::uint64_t number;
};
struct wind {
  std::uint64_t period_ns;
  perdure::ref<perdure::host<tick>> to;
};
struct halt {};
struct turn {};

struct ticker : perdure::actor<ticker> {
  perdure::ref<perdure::host<tick>> to;
  std::uint64_t period_ns = 0, number = 0;  ///< no period: it stands

  void on(const wind& m, perdure::context& ctx) {
    to = m.to;
    period_ns = m.period_ns;
    ctx.after(std::chrono::nanoseconds{period_ns}, ctx.self(*this), turn{});
  }
  void on(const halt&, perdure::context&) { period_ns = 0; }
  void on(const turn&, perdure::context& ctx) {
    if (period_ns == 0) return;
    ctx.send(to, tick{number++});
    ctx.after(std::chrono::nanoseconds{period_ns}, ctx.self(*this), turn{});
  }
};

}  // namespace clocks
