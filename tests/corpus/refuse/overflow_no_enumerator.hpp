// tests/corpus/refuse/overflow_no_enumerator.hpp - refused: a rule that does not exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct reading {
  float value;
};
struct gauge : perdure::actor<gauge> {
  // EXPECT-ERROR: 'overflow' of actor 'gauge' is no enumerator of perdure::overflow
  static constexpr auto overflow = static_cast<perdure::overflow>(77);
  float last = 0;
  void on(const reading& m, perdure::context&) { last = m.value; }
};
