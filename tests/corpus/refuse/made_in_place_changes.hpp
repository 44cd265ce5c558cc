// tests/corpus/refuse/made_in_place_changes.hpp - refused: what fills the message of send_in_place() changes something else, or is not seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct go {
  std::uint32_t count;
};
struct page {
  std::array<std::uint32_t, 100> w;
};
struct sink : perdure::actor<sink> {
  std::uint32_t pages = 0;
  void on(const page&, perdure::context&) { ++pages; }
};

struct press : perdure::actor<press> {
  perdure::ref<sink> to;
  std::uint32_t number = 0;
  std::array<std::uint32_t, 4> seen{};
  void on(const go& g, perdure::context& ctx) {
    std::uint32_t made = 0;
    ctx.send_in_place<page>(to, [&](page& m) {
      m.w[0] = g.count;
      // EXPECT-ERROR: 'number' is written in what fills the message of send_in_place\(\), which is not called where no buffer is left; do it before or behind
      m.w[1] = ++number;
      // EXPECT-ERROR: 'made' is written in what fills the message of send_in_place\(\)
      made += 1;
      // EXPECT-ERROR: 'ctx' is used in what fills the message of send_in_place\(\)
      m.w[2] = static_cast<std::uint32_t>(ctx.random());
      // EXPECT-ERROR: 'next' is called, which is not const, in what fills the message of send_in_place\(\)
      m.w[3] = next();
      // EXPECT-ERROR: 'seen' may be written \(bind it as const to read it\) in what fills the message of send_in_place\(\)
      seen.fill(0);
      // EXPECT-ERROR: 'number' may be written \(bind it as const to read it\) in what fills the message of send_in_place\(\)
      raise(number);
      m.w[4] = seen[1] + twice(number);
      const auto& one = seen[2];
      m.w[5] = one;
      // EXPECT-ERROR: 'the actor' may be written
      raise_all(*this);
    });
    const auto count = [&] { ++number; };
    const auto three = [&](std::uint32_t of) { return of * 3 + number; };
    ctx.send_in_place<page>(to, [&](page& m) {
      m.w[0] = three(made);
      // EXPECT-ERROR: 'count' is called, which changes something, in what fills the message
      count();
    });
    const auto fill = [](page& m) { m.w.fill(1); };
    // EXPECT-ERROR: what fills the message of send_in_place\(\) must be a lambda written in its call, and not 'mutable'
    ctx.send_in_place<page>(to, fill);
    // EXPECT-ERROR: what fills the message of send_in_place\(\) must be a lambda written in its call, and not 'mutable'
    ctx.send_in_place<page>(to, [k = made](page& m) mutable { m.w[0] = k++; });
  }

 private:
  std::uint32_t next() { return number++; }
  static void raise(std::uint32_t& x) { ++x; }
  static void raise_all(press& p) { ++p.number; }
  static std::uint32_t twice(const std::uint32_t& x) { return 2 * x; }
};
