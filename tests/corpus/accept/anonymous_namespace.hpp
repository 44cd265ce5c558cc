// tests/corpus/accept/anonymous_namespace.hpp - helpers, messages and an actor of an anonymous namespace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace {

struct nudge {
  std::int32_t by;
};

[[maybe_unused]] constexpr std::int32_t limit = 1000;

[[maybe_unused]] std::int32_t clamped(std::int32_t x) {
  return x > limit ? limit : (x < -limit ? -limit : x);
}

namespace inner {
[[maybe_unused]] constexpr std::int32_t twice(std::int32_t x) { return 2 * x; }
}  // namespace inner

struct slider : perdure::actor<slider> {
  std::int32_t at = 0;
  std::uint32_t moves = 0;
  void on(const nudge& m, perdure::context&) {
    at = clamped(at + clamped(inner::twice(clamped(m.by))));
    ++moves;
  }
};

struct panel : perdure::actor<panel> {
  std::uint32_t asked = 0;
  perdure::ref<slider> first, second;
  void on(const nudge& m, perdure::context& ctx) {
    ++asked;
    ctx.send(first, m);
    ctx.send(second, nudge{-clamped(m.by)});
  }
};

}  // namespace
