// tools/perdure/hot_actors.hpp - one counter that everybody sends to.
// Why: a hot actor's messages cannot be spread over lanes, and its inbox fills while the others'
// stay empty.
// Invariant: at most `burst` messages of a pump are under way to the counter: the last of a burst
//            asks for the next one. So all that is under way fits into the counter's ring and
//            spill, and nothing is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace bench {

inline constexpr std::uint32_t burst = 16;

struct bump {
  std::uint32_t number;  ///< of this among its sender's
  std::uint32_t pump;    ///< its sender's place
};
struct refill {
  std::uint32_t upto;  ///< how many of the pump's the counter has seen
};
/// Tells the hub where the pumps are, which are made after it.
struct meet {
  std::uint64_t first;
};
struct begin {
  std::uint32_t bursts;
};
constexpr std::uint32_t worth_of(const bump& b) { return mix(b.number + b.pump * 0x9e3779b9U); }

struct hub;
struct pump : perdure::actor<pump> {
  std::uint64_t to = 0;  ///< bits of the hub
  std::uint32_t place = 0;
  std::uint32_t left = 0;  ///< bursts to go
  std::uint32_t number = 0;
  std::uint32_t sum = 0;
  std::uint32_t errors = 0;
  std::uint32_t spare = 0;

  void on(const begin& b, perdure::context& ctx) {
    if (left != 0) ++errors;
    left = b.bursts;
    send_burst(ctx);
  }
  void on(const refill& r, perdure::context& ctx) {
    if (r.upto != number) ++errors;
    send_burst(ctx);
  }

 private:
  void send_burst(perdure::context& ctx) {
    if (left == 0) return;
    --left;
    for (std::uint32_t i = 0; i < burst; ++i) {
      const bump b{number++, place};
      sum += worth_of(b);
      ctx.send(perdure::ref<hub>{to}, b);
    }
  }
};

struct hub : perdure::actor<hub> {
  static constexpr bool hot = true;

  std::uint64_t first = 0;  ///< bits of the first pump
  std::uint64_t handled = 0;
  std::uint32_t sum = 0;
  std::uint32_t errors = 0;

  void on(const bump& b, perdure::context& ctx) {
    const perdure::ref<pump> from{first + b.pump};
    if (ctx.sender().bits != from.bits) ++errors;
    ++handled;
    sum += worth_of(b);
    if (b.number % burst == burst - 1) ctx.send(from, refill{b.number + 1});
  }
  std::uint32_t on_run(const perdure::run<bump>& run) {
    const std::uint64_t pumps = first;
    const std::uint32_t wrong = run.which(
        [&](std::uint32_t i, const bump& b) { return run.sender(i).bits != pumps + b.pump; });
    const std::uint32_t worth =
        run.sum(run.each([](std::uint32_t, const bump& b) { return worth_of(b); }));
    run.send(
        run.which([](std::uint32_t, const bump& b) { return b.number % burst == burst - 1; }),
        run.each([&](std::uint32_t, const bump& b) { return perdure::ref<pump>{pumps + b.pump}; }),
        run.each([](std::uint32_t, const bump& b) { return refill{b.number + 1}; }));
    run.once([&] {
      handled += run.size();
      sum += worth;
      errors += static_cast<std::uint32_t>(std::popcount(wrong));
    });
    return run.size();
  }
  void on(const meet& m, perdure::context&) { first = m.first; }
};

}  // namespace bench
