// tools/perdure/made_actors.hpp - carriers as those of micro_actors.hpp, which make their loads where these will lie.
// Why: a program of its own, since in one program with the others each would have the other's registers and stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "loads.hpp"

namespace bench {

struct maker : perdure::actor<maker> {
  std::uint32_t index = 0, count = 0;
  std::uint64_t handled = 0;
  std::uint64_t errors = 0;

  void on(const depart& d, perdure::context& ctx) {
    if (d.bytes == sizeof(load_38)) make<load_38>(d.walk, d.left, ctx);
    if (d.bytes == sizeof(load_1024)) make<load_1024>(d.walk, d.left, ctx);
    if (d.bytes == sizeof(load_4096)) make<load_4096>(d.walk, d.left, ctx);
  }
  void on(const load_38& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_1024& l, perdure::context& ctx) { carry(l, ctx); }
  void on(const load_4096& l, perdure::context& ctx) { carry(l, ctx); }

 private:
  template <class Load>
  void carry(const Load& l, perdure::context& ctx) {
    ++handled;
    if (!is_whole(l)) ++errors;
    const std::uint32_t walk = word_at(l.halves, 0), left = word_at(l.halves, 2);
    if (left != 0) make<Load>(mix(walk + 0x9e3779b9U), left - 1, ctx);
  }
  template <class Load>
  void make(std::uint32_t walk, std::uint32_t left, perdure::context& ctx) {
    const std::uint64_t first = ctx.self(*this).bits - index;
    const auto to = static_cast<std::uint32_t>(static_cast<std::uint64_t>(walk) * count >> 32U);
    ctx.send_in_place<Load>(perdure::ref<maker>{first + to},
                            [&](Load& next) { fill(next, walk, left); });
  }
};

}  // namespace bench
