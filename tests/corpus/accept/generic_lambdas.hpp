// tests/corpus/accept/generic_lambdas.hpp - generic, init-capturing, mutable and immediately called lambdas inside handlers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct sample {
  std::int32_t a;
  float b;
  std::uint8_t n;
};

struct mixer : perdure::actor<mixer> {
  std::int64_t ints = 0;
  float floats = 0;
  std::uint32_t calls = 0;

  void on(const sample& m, perdure::context&) {
    auto add = [this](auto& to, auto x) {
      to += x;
      ++calls;
    };
    add(ints, m.a);
    add(floats, m.b);
    auto counter = [n = std::uint32_t{m.n}]() mutable { return n++; };
    calls += counter() + counter();
    const std::int64_t bonus = [&] {
      if (m.a > 10) return std::int64_t{3};
      return std::int64_t{m.n} * 2;
    }();
    ints += bonus;
    auto power = []<class T>(T x, std::uint32_t n) {
      T r{1};
      for (std::uint32_t i = 0; i < n; ++i) r = static_cast<T>(r * x);
      return r;
    };
    ints += static_cast<std::int64_t>(power(std::uint64_t{3}, m.n % 8U));
    const auto compose = [](auto f, auto g) { return [=](auto x) { return g(f(x)); }; };
    ints += compose([](std::int64_t x) { return x + 1; }, [](std::int64_t x) { return x * 2; })(m.n);
  }
};
