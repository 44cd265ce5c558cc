// tools/perdure/savina_count_actors.hpp - Savina's count: one producer, one counter, both hot.
// Why: a program of its own. What lanes do side by side for these two takes registers of all handlers
// that are compiled with them (docs/adr/071).
// Invariant: what is under way is bounded, as in savina_actors.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <perdure/actor.hpp>

#include "savina_outcome.hpp"

namespace savina {

struct produce {
  std::uint32_t increments, burst, window;
};
struct increment {
  std::uint32_t number;
};
struct retrieve {};
struct credit {};

struct producer;
/// Acknowledges every `burst` increments.
struct tally : perdure::actor<tally> {
  static constexpr bool hot = true;

  std::uint32_t counted = 0, wrong = 0, burst = 1, unpaid = 0;
  void on(const produce& m, perdure::context&) {
    counted = wrong = unpaid = 0;
    burst = m.burst;
  }
  void on(const increment& m, perdure::context& ctx) {
    wrong += m.number != counted ? 1U : 0U;
    ++counted;
    if (++unpaid < burst) return;
    unpaid = 0;
    ctx.send(perdure::ref_cast<producer>(ctx.sender()), credit{});
  }
  std::uint32_t on_run(const perdure::run<increment>& run) {
    const std::uint32_t others =
        run.which([&](std::uint32_t i, const increment& m) { return m.number != counted + i; });
    // those with which a burst is whole
    std::uint32_t paid = 0;
    for (std::uint32_t n = burst - unpaid; n <= run.size(); n += burst) paid |= 1U << (n - 1);
    const std::uint32_t left =
        unpaid + run.size() - burst * static_cast<std::uint32_t>(std::popcount(paid));
    if (paid != 0) {
      run.send(paid, run.each([&](std::uint32_t i) {
        return perdure::ref_cast<producer>(run.sender(i));
      }),
               run.each([](std::uint32_t) { return credit{}; }));
    }
    run.once([&] {
      wrong += static_cast<std::uint32_t>(std::popcount(others));
      counted += run.size();
      unpaid = left;
    });
    return run.size();
  }
  void on(const retrieve&, perdure::context& ctx) {
    ctx.send(perdure::ref_cast<producer>(ctx.sender()), outcome{counted, wrong});
  }
};
/// Sends bursts, `window` of them under way at most; the first ones by ticks, the others as they
/// are paid for.
struct producer : perdure::actor<producer> {
  static constexpr bool hot = true;

  perdure::ref<tally> counter;
  to_host host;
  std::uint32_t number = 0, bursts = 0;
  produce job{};
  void on(const produce& m, perdure::context& ctx) {
    job = m;
    number = bursts = 0;
    ctx.send(counter, m);
    ctx.send(ctx.self(*this), tick{});
  }
  void on(const tick&, perdure::context& ctx) {
    send_burst(ctx);
    if (++bursts < job.window && number < job.increments) ctx.send(ctx.self(*this), tick{});
  }
  void on(const credit&, perdure::context& ctx) { send_burst(ctx); }
  void on(const outcome& m, perdure::context& ctx) { ctx.send(host, m); }

 private:
  void send_burst(perdure::context& ctx) {
    if (number == job.increments) return;
    const std::uint32_t left = job.increments - number;
    const std::uint32_t n = left < job.burst ? left : job.burst;
    ctx.send_n(counter, n, [first = number](std::uint32_t i) { return increment{first + i}; });
    number += n;
    if (number == job.increments) ctx.send(counter, retrieve{});
  }
};

}  // namespace savina
