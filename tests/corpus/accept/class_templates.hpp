// tests/corpus/accept/class_templates.hpp - state and messages are instances of class templates with type and value parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
struct vec2 {
  T x{}, y{};
  constexpr vec2 plus(const vec2& o) const { return {static_cast<T>(x + o.x), static_cast<T>(y + o.y)}; }
  constexpr vec2 flipped() const { return {y, x}; }
  static vec2 unused_maker();  // never defined, never used
};

template <class T, std::size_t N>
class window {
 public:
  void push(T value) {
    slots_[next_] = value;
    next_ = (next_ + 1U) % N;
  }
  T sum() const {
    T total{};
    for (std::size_t i = 0; i < N; ++i) total = static_cast<T>(total + slots_[i]);
    return total;
  }

 private:
  T slots_[N] = {};
  std::size_t next_ = 0;
};

template <class T>
struct moved {
  vec2<T> by;
  std::uint8_t times;
};

struct turtle : perdure::actor<turtle> {
  vec2<std::int64_t> at;
  vec2<float> drift{0.5F, -0.25F};
  window<std::uint32_t, 5> recent;
  std::uint32_t recent_sum = 0;

  void on(const moved<std::int64_t>& m, perdure::context&) {
    at = at.plus(m.by);
    recent.push(m.times);
    recent_sum = recent.sum();
  }
  void on(const moved<float>& m, perdure::context&) { drift = drift.plus(m.by).flipped(); }
};
