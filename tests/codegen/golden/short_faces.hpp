// tests/codegen/golden/short_faces.hpp - joined messages of fewer words than the lanes hold at once as usual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <perdure/actor.hpp>

namespace plain_land {

struct edge {
  std::array<float, 128> height;
};
struct level {
  std::array<float, 512> height;
};

struct block : perdure::block_actor<block> {
  static constexpr int lanes = 256;
  enum class port { west, east, down, up };
  float sum = 0;

  void on(const perdure::joined<edge, level>& in, perdure::block_context& ctx) const {
    const edge& west = in.get<edge>(port::west);
    const level& down = in.get<level>(port::down);
    ctx.once(*this, [&](block& me) { me.sum += west.height[0] + down.height[0]; });
  }
};

}  // namespace plain_land
