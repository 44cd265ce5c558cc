// tests/corpus/refuse/overflow_not_static.hpp - refused: a rule that each actor would have for itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct reading {
  float value;
};
struct gauge : perdure::actor<gauge> {
  // EXPECT-ERROR: 'overflow' of actor 'gauge' says what becomes of messages that find no room
  perdure::overflow overflow = perdure::overflow::drop_newest;
  float last = 0;
  void on(const reading& m, perdure::context&) { last = m.value; }
};
