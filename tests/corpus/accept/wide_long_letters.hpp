// tests/corpus/accept/wide_long_letters.hpp - messages over 240 bytes to hosts by a wide actor: outside regions and in one, copied
//   and made by all lanes, and as answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/block_actor.hpp>

struct row {
  std::uint32_t index;
  std::array<float, 64> v;
};
struct image {
  std::array<float, 4096> v;
};
using screen = perdure::host<row, image>;
struct show {
  std::uint32_t rows;
};
struct ask_row {
  std::uint32_t index;
};

struct field : perdure::block_actor<field> {
  static constexpr int lanes = 128;
  std::array<float, 4096> v{};
  perdure::ref<screen> to;

  void on(const show& s, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](field& me, int i, int) {
      if (static_cast<std::uint32_t>(i) >= s.rows) return;
      row r{static_cast<std::uint32_t>(i), {}};
      for (std::size_t k = 0; k < r.v.size(); ++k) r.v[k] = me.v[static_cast<std::size_t>(i) * 64 + k];
      ctx.send(me.to, r);
    });
    ctx.send_in_place<image>(to, [&](image& m) {
      ctx.for_each<4096>(*this, [&](field& me, int i, int) {
        m.v[static_cast<std::size_t>(i)] = me.v[static_cast<std::size_t>(i)];
      });
    });
    ctx.reply_in_place<image>([&](image& m) {
      ctx.for_each<4096>(*this, [&](field& me, int i, int) {
        m.v[static_cast<std::size_t>(i)] = me.v[static_cast<std::size_t>(i)];
      });
    });
  }
  void on(const ask_row& a, perdure::block_context& ctx) const {
    row r{a.index, {}};
    for (std::size_t k = 0; k < r.v.size(); ++k) r.v[k] = v[a.index % 64 * 64 + k];
    ctx.reply(r);
    ctx.send(to, r);
  }
};
