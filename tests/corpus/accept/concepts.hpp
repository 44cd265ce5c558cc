// tests/corpus/accept/concepts.hpp - named concepts constrain functions and class templates, and order overloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
concept number = std::integral<T> || std::floating_point<T>;
template <class T>
concept small_number = number<T> && sizeof(T) <= 4;
template <class T>
concept has_area = requires(const T& t) {
  { t.area() } -> std::convertible_to<double>;
  requires sizeof(T) > 1;
};

struct square {
  float side;
  constexpr float area() const { return side * side; }
};
struct label {
  std::uint32_t id;
};

template <number T>
constexpr std::uint32_t cost(T) { return 10; }
template <small_number T>
constexpr std::uint32_t cost(T) { return 1; }  // more constrained

template <has_area T>
double worth(const T& t) { return static_cast<double>(t.area()); }
template <class T>
double worth(const T&) { return 1.0; }

struct order {
  square piece;
  label name;
  std::uint64_t wide;
  std::uint8_t narrow;
};

struct shop : perdure::actor<shop> {
  double value = 0;
  std::uint32_t costs = 0;
  void on(const order& m, perdure::context&) {
    value += worth(m.piece) + worth(m.name);
    costs += cost(m.wide) + cost(m.narrow) + cost(2.0F);
  }
};
