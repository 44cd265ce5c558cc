// tests/corpus/accept/wide_joined_and_ordinary.hpp - one message type that comes as an ordinary message and
//   through links of the same actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct packet {
  std::uint32_t left;
  std::int32_t value;
};

struct router : perdure::block_actor<router> {
  static constexpr int lanes = 32;
  enum class port { in_out };
  std::int32_t seen[36] = {};
  std::uint32_t ordinary = 0, joined_ones = 0;
  perdure::ref<router> next;

  void on(const packet& m, perdure::block_context& ctx) const {
    take(m, ctx);
    ctx.once(*this, [](router& me) { ++me.ordinary; });
    if (m.left % 3U == 1U) ctx.send(next, packet{0, m.value + 1});
  }
  void on(const perdure::joined<packet>& in, perdure::block_context& ctx) const {
    take(in[port::in_out], ctx);
    ctx.once(*this, [](router& me) { ++me.joined_ones; });
  }

 private:
  void take(const packet& m, perdure::block_context& ctx) const {
    ctx.for_each<36>(*this, [&](router& me, int i, int) { me.seen[i] = me.seen[i] * 3 % 10'007 + m.value % 100 + i; });
    if (m.left % 7U == 0) return;
    const auto out = ctx.open<packet>(port::in_out);
    ctx.once(*this, [&](router&) { *out = packet{m.left % 7U - 1U, m.value % 1000}; });
    ctx.commit(out);
  }
};
