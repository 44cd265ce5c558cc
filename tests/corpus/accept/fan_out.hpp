// tests/corpus/accept/fan_out.hpp - one message becomes many: a loop of sends over a table of refs, with a budget of hops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct rumour {
  std::uint8_t hops;
  std::uint32_t id;
};
struct meet {
  std::array<perdure::ref<struct gossip>, 4> others;
};

struct gossip : perdure::actor<gossip> {
  std::array<perdure::ref<gossip>, 4> others{};
  std::uint64_t heard = 0, ids = 0;
  std::uint32_t told = 0;

  void on(const meet& m, perdure::context&) { others = m.others; }
  void on(const rumour& m, perdure::context& ctx) {
    ++heard;
    ids ^= m.id * 2654435761U;
    const std::uint32_t hops = m.hops > 3U ? 3U : m.hops;
    if (hops == 0) return;
    for (std::size_t i = 0; i < others.size(); ++i) {
      ctx.send(others[i], rumour{static_cast<std::uint8_t>(hops - 1U), m.id + static_cast<std::uint32_t>(i)});
      ++told;
    }
  }
};
