// tests/corpus/refuse/wide_mutable_member.hpp - refused: mutable members of a wide actor, its own and those
//   of a struct in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct cache {
  // EXPECT-ERROR: member 'hits' of actor 'tile' is mutable, so it could be written outside regions
  mutable std::uint32_t hits = 0;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  cache c;
  // EXPECT-ERROR: member 'n' of actor 'tile' is mutable, so it could be written outside regions
  mutable std::uint32_t n = 0;
  void on(const tick& m, perdure::block_context&) const { n += m.n; }
};
