// tests/contract/actors/halls.hpp - wide actors that get messages of up to 64 KB from host threads, beside shelves.
// Why: all lanes of a block bring such a message together, and read it where it then lies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/block_actor.hpp>

#include "parcels.hpp"

namespace halls {

using parcels::crate;
using parcels::fill_of;
using parcels::filled;
using parcels::parcel;
using parcels::receipt;
using parcels::senders;
using parcels::slip;

struct hall : perdure::block_actor<hall> {
  static constexpr int lanes = 64;
  std::array<std::uint32_t, senders> last{};
  std::uint32_t handled = 0, errors = 0;

  void on(const slip& s, perdure::block_context& ctx) const {
    if (s.number == 0) return ctx.stop();
    take(s, ctx);
  }
  void on(const parcel& p, perdure::block_context& ctx) const { take(p, ctx); }
  void on(const crate& c, perdure::block_context& ctx) const { take(c, ctx); }

 private:
  template <std::size_t Words>
  void take(const filled<Words>& m, perdure::block_context& ctx) const {
    const auto wrong = ctx.reduce<static_cast<int>(Words)>(
        *this, 0U,
        [&](const hall&, int i) {
          const auto n = static_cast<std::uint32_t>(i);
          return m.fill[n] != fill_of(m.from, m.number, n) ? 1U : 0U;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
    ctx.once(*this, [&](hall& me) {
      std::uint32_t& before = me.last[m.from % senders];
      me.errors += wrong + (m.number != before + 1 ? 1U : 0U);
      before = m.number;
      ++me.handled;
    });
    ctx.reply(receipt{m.number, handled});
  }
};

}  // namespace halls
