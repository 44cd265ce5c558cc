// tests/corpus/accept/any_ref_casts.hpp - any_ref and ref_cast: null on another type, the typed reference on the right one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct cat;
struct mouse;

struct meets {
  perdure::any_ref who;
};
struct chased {
  std::uint8_t speed;
};

struct mouse : perdure::actor<mouse> {
  std::uint32_t runs = 0, mice = 0;
  void on(const chased& m, perdure::context&) { runs += m.speed; }
  void on(const meets& m, perdure::context&) {
    if (perdure::ref_cast<mouse>(m.who)) ++mice;
  }
};

struct cat : perdure::actor<cat> {
  std::uint32_t hunts = 0, hisses = 0, nothing = 0;
  void on(const meets& m, perdure::context& ctx) {
    if (const auto prey = perdure::ref_cast<mouse>(m.who)) {
      ++hunts;
      ctx.send(prey, chased{9});
    } else if (perdure::ref_cast<cat>(m.who)) {
      ++hisses;
    } else {
      ++nothing;
    }
  }
};
