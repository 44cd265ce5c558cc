// tests/corpus/refuse/overflow_of_another_type.hpp - refused: a rule that is no perdure::overflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct reading {
  float value;
};
struct gauge : perdure::actor<gauge> {
  // EXPECT-ERROR: 'overflow' of actor 'gauge' says what becomes of messages that find no room
  static constexpr int overflow = 1;
  float last = 0;
  void on(const reading& m, perdure::context&) { last = m.value; }
};
