// tests/corpus/accept/operator_overloads.hpp - arithmetic, compound, subscript, call, conversion and increment operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct fixed {
  std::int64_t raw = 0;
  constexpr fixed& operator+=(fixed o) { return raw += o.raw, *this; }
  constexpr fixed operator-() const { return fixed{-raw}; }
  constexpr fixed& operator++() { return raw += 256, *this; }
  constexpr fixed operator++(int) {
    fixed old = *this;
    ++*this;
    return old;
  }
  constexpr explicit operator std::int64_t() const { return raw / 256; }
  constexpr explicit operator bool() const { return raw != 0; }
};
constexpr fixed operator+(fixed a, fixed b) { return a += b; }
constexpr fixed operator<<(fixed a, unsigned n) { return fixed{a.raw * (std::int64_t{1} << n)}; }

struct row {
  std::int32_t v[4] = {};
  constexpr std::int32_t& operator[](std::size_t i) { return v[i & 3U]; }
  constexpr std::int32_t operator[](std::size_t i) const { return v[i & 3U]; }
  constexpr std::int32_t operator()(std::int32_t scale) const { return (v[0] + v[3]) * scale; }
};

struct input {
  std::int32_t whole;
  std::uint8_t column;
};

struct grid : perdure::actor<grid> {
  fixed sum;
  row cells;
  std::int64_t out = 0;
  void on(const input& m, perdure::context&) {
    sum += (fixed{m.whole} << 3U) + -fixed{m.column};
    const fixed before = sum++;
    if (before) cells[m.column] = m.whole % 1000;
    out = static_cast<std::int64_t>(sum) + cells(3);
  }
};
