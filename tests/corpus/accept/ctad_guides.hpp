// tests/corpus/accept/ctad_guides.hpp - class template argument deduction, from constructors and from deduction guides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <perdure/actor.hpp>

template <class T>
struct interval {
  T low, high;
  constexpr interval(T a, T b) : low{a < b ? a : b}, high{a < b ? b : a} {}
  constexpr T length() const { return static_cast<T>(high - low); }
};

template <class T, std::size_t N>
struct bag {
  T items[N];
  constexpr std::size_t size() const { return N; }
};
template <class T, class... U>
bag(T, U...) -> bag<T, 1 + sizeof...(U)>;

template <class T>
struct promoted {
  T value;
};
promoted(std::int8_t) -> promoted<std::int32_t>;
promoted(float) -> promoted<double>;

struct measure {
  std::int32_t a, b;
  float f;
  std::int8_t tiny;
};

struct meter : perdure::actor<meter> {
  std::int64_t total = 0;
  double fine = 0;
  void on(const measure& m, perdure::context&) {
    const interval i{std::int64_t{m.a}, std::int64_t{m.b}};
    total += i.length();
    const bag b{m.a, m.b, std::int32_t{4}};
    for (std::size_t k = 0; k < b.size(); ++k) total += b.items[k];
    const promoted p{m.tiny};
    const promoted d{m.f};
    total += p.value * 1000;
    fine += d.value;
    const std::array pair_of{m.a, m.b};
    const std::pair both{std::int64_t{pair_of[0]}, pair_of.size()};
    total += both.first + static_cast<std::int64_t>(both.second);
  }
};
