// tools/perdure/micro_actors.hpp - messages of 38 bytes to 4 KB, the clock, and actors that are
// only made.
// Why: what each part of a message or an actor costs by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "loads.hpp"

namespace bench {

struct read_clock {
  std::uint32_t times;
};
struct clock_read {
  std::uint32_t times, errors;
};

struct carrier : perdure::actor<carrier> {
  std::uint32_t index = 0, count = 0;
  std::uint64_t handled = 0;
  std::uint64_t errors = 0;

  void on(const depart& d, perdure::context& ctx) {
    if (d.bytes == sizeof(load_38)) send_on<load_38>(d.walk, d.left, ctx);
    if (d.bytes == sizeof(load_240)) send_on<load_240>(d.walk, d.left, ctx);
    if (d.bytes == sizeof(load_1024)) send_on<load_1024>(d.walk, d.left, ctx);
    if (d.bytes == sizeof(load_4096)) send_on<load_4096>(d.walk, d.left, ctx);
  }
  void on(const load_38& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_60& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_240& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_1024& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_4096& l, perdure::context& ctx) { carry(l, ctx); }
  /// Each reading must be later than the one before.
  void on(const read_clock& r, perdure::context& ctx) {
    std::uint64_t last = 0;
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < r.times; ++i) {
      const std::uint64_t now = ctx.now().bits;
      wrong += now <= last ? 1U : 0U;
      last = now;
    }
    ctx.reply(clock_read{r.times, wrong});
  }

 private:
  template <class Load>
  void carry(const Load& l, perdure::context& ctx) {
    ++handled;
    if (!is_whole(l)) ++errors;
    const std::uint32_t walk = word_at(l.halves, 0), left = word_at(l.halves, 2);
    if (left != 0) {
      send_on<Load>(mix(walk + 0x9e3779b9U), left - 1, ctx);
    } else if constexpr (sizeof(Load) <= 240) {  // the host may have asked
      Load back;
      fill(back, mix(walk), 0);
      ctx.reply(back);
    }
  }
  template <class Load>
  void send_on(std::uint32_t walk, std::uint32_t left, perdure::context& ctx) {
    const std::uint64_t first = ctx.self(*this).bits - index;
    const auto to = static_cast<std::uint32_t>(static_cast<std::uint64_t>(walk) * count >> 32U);
    Load next;
    fill(next, walk, left);
    ctx.send(perdure::ref<carrier>{first + to}, next);
  }
};

/// Only made, never sent to.
struct crumb : perdure::actor<crumb> {
  std::uint64_t number = 0;
  std::uint64_t spare = 0;
  void on(const read_clock&, perdure::context& ctx) { ctx.reply(clock_read{0, 0}); }
};

}  // namespace bench
