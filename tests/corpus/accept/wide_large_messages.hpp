// tests/corpus/accept/wide_large_messages.hpp - messages over 240 bytes: from the host, from a region, on a
//   link, into a small and a wide actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

template <int N>
struct block_of {
  std::array<std::uint32_t, static_cast<std::size_t>(N)> w;
};
struct send_big {
  std::uint32_t seed;
};

struct sink_of_blocks : perdure::actor<sink_of_blocks> {
  std::uint64_t digest = 1;
  void on(const block_of<61>& m, perdure::context&) {
    for (const std::uint32_t w : m.w) digest = digest * 31U + w;
  }
};

struct mover : perdure::block_actor<mover> {
  static constexpr int lanes = 64;
  enum class port { way };
  std::uint32_t v[300] = {};
  std::uint32_t fired = 0;
  perdure::ref<sink_of_blocks> sink;
  perdure::ref<mover> other;

  void on(const send_big& m, perdure::block_context& ctx) const {
    block_of<61> small{};
    for (std::size_t i = 0; i < 61; ++i) small.w[i] = m.seed + static_cast<std::uint32_t>(i);
    ctx.send(sink, small);
    ctx.for_each<3>(*this, [&](mover& me, int i, int) {
      block_of<61> mine{};
      mine.w[static_cast<std::size_t>(i)] = me.v[i];
      ctx.send(me.sink, mine);
    });
    ctx.send(other, block_of<62>{});
    const auto out = ctx.open<block_of<300>>(port::way);
    ctx.for_each<300>(*this, [&](mover& me, int i, int) { out->w[static_cast<std::size_t>(i)] = me.v[i] + m.seed; });
    ctx.commit(out);
  }
  void on(const block_of<62>& m, perdure::block_context& ctx) const {
    ctx.for_each<62>(*this, [&](mover& me, int i, int) { me.v[i] += m.w[static_cast<std::size_t>(i)] + 1U; });
  }
  void on(const perdure::joined<block_of<300>>& in, perdure::block_context& ctx) const {
    ctx.for_each<300>(*this, [&](mover& me, int i, int) {
      me.v[299 - i] = me.v[299 - i] * 3U + in[port::way].w[static_cast<std::size_t>(i)];
    });
    ctx.once(*this, [](mover& me) { ++me.fired; });
  }
};
