// tests/codegen/golden/long_faces.hpp - joined messages of more words than the lanes hold at once as usual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <perdure/actor.hpp>

namespace relief {

struct face {
  std::array<float, 1024> height;
};

struct block : perdure::block_actor<block> {
  static constexpr int lanes = 256;
  enum class port { west, east, south, north, down, up };
  float sum = 0;

  void on(const perdure::joined<face>& in, perdure::block_context& ctx) const {
    const face& west = in.get<face>(port::west);
    ctx.once(*this, [&](block& me) { me.sum += west.height[0]; });
  }
};

}  // namespace relief
