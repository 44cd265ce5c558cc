// tests/corpus/accept/wide_stop_and_fail.hpp - fail and stop inside regions and outside; what was sent
//   before stands, neighbours go on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct strain {
  std::uint16_t by;
};
struct report {
  std::uint32_t index;
};

struct log_book : perdure::actor<log_book> {
  std::uint32_t reports = 0, indices = 0;
  void on(const report& m, perdure::context&) {
    ++reports;
    indices += m.index;
  }
};

struct beam : perdure::block_actor<beam> {
  static constexpr int lanes = 32;
  std::int32_t strength[50] = {};
  std::uint32_t loads = 0;
  perdure::ref<log_book> book;

  void on(const strain& m, perdure::block_context& ctx) const {
    if (m.by % 61U == 60U) {
      ctx.send(book, report{1000});
      return ctx.stop();
    }
    ctx.for_each<50>(*this, [&](beam& me, int i, int) {
      me.strength[i] += m.by % 17U == static_cast<std::uint32_t>(i % 17) ? 5 : 1;
      if (me.strength[i] < 40) return;
      ctx.send(me.book, report{static_cast<std::uint32_t>(i)});
      if (i % 2 == 0) {
        ctx.fail(static_cast<std::uint32_t>(i));
      } else {
        ctx.stop();
      }
    });
    ctx.once(*this, [&](beam& me) {
      ++me.loads;
      if (me.loads == 25U) ctx.fail(25);
    });
  }
};
