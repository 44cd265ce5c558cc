// tests/corpus/refuse/hot_of_another_type.hpp - refused: a number where yes or no is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct reading {
  float value;
};
struct gauge : perdure::actor<gauge> {
  // EXPECT-ERROR: 'hot' of actor 'gauge' says whether many send to one actor at once
  static constexpr int hot = 40;
  float last = 0;
  void on(const reading& m, perdure::context&) { last = m.value; }
};
