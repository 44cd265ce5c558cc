// tests/corpus/accept/class_features.hpp - static members, friends, private state, constructors, delegating and defaulted members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

class angle {
 public:
  constexpr angle() : angle{0} {}
  constexpr explicit angle(std::int32_t degrees) : degrees_{normal(degrees)} {}
  constexpr angle(const angle&) = default;
  constexpr angle& operator=(const angle&) = default;
  static constexpr std::int32_t full = 360;
  constexpr angle turned(std::int32_t by) const { return angle{degrees_ + by % full}; }

 private:
  friend struct compass;
  static constexpr std::int32_t normal(std::int32_t d) { return ((d % full) + full) % full; }
  std::int32_t degrees_;
};

struct turn {
  std::int32_t by;
};

struct compass : perdure::actor<compass> {
  compass() = default;
  explicit compass(std::int32_t start) : at_{start} {}
  void on(const turn& m, perdure::context&) {
    at_ = at_.turned(m.by);
    bump();
    norths_ += at_.degrees_ < 45 ? 1U : 0U;
  }
  std::uint32_t norths() const { return norths_; }

 private:
  void bump() { ++turns_; }
  angle at_;
  std::uint32_t norths_ = 0, turns_ = 0;
};
