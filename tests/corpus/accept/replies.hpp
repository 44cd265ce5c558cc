// tests/corpus/accept/replies.hpp - replies of two types, to requests that a host may or may not have asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct get {
  std::uint8_t what;
};
struct value {
  std::int64_t number;
};
struct refusal {
  std::uint32_t reason;
};

struct vault : perdure::actor<vault> {
  std::int64_t number = 11;
  std::uint32_t refused = 0;
  void answer(std::uint32_t reason, perdure::context& ctx) {
    ++refused;
    ctx.reply(refusal{reason});
  }
  void on(const get& m, perdure::context& ctx) {
    if (m.what % 4U == 3U) return answer(m.what, ctx);
    number = number * 3 % 1'000'003 + m.what;
    ctx.reply(value{number});
  }
};
