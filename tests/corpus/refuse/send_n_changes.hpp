// tests/corpus/refuse/send_n_changes.hpp - refused: what gives send_n() its messages changes something, or is not seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct go {
  std::uint32_t count;
};
struct drop {
  std::uint32_t number;
};
struct sink : perdure::actor<sink> {
  std::uint32_t drops = 0;
  void on(const drop&, perdure::context&) { ++drops; }
};

struct cloud : perdure::actor<cloud> {
  static constexpr bool hot = true;
  perdure::ref<sink> to;
  std::uint32_t number = 0;
  void on(const go& g, perdure::context& ctx) {
    std::uint32_t made = 0;
    ctx.send_n(to, g.count, [&](std::uint32_t) {
      // EXPECT-ERROR: 'number' is written in what gives send_n\(\) its messages, which a GPU's lanes do in any order
      return drop{number++};
    });
    ctx.send_n(to, g.count, [&](std::uint32_t i) {
      // EXPECT-ERROR: 'made' is written in what gives send_n\(\) its messages
      made += i;
      // EXPECT-ERROR: 'ctx' is used in what gives send_n\(\) its messages
      ctx.send(to, drop{i});
      return drop{i};
    });
    ctx.send_n(to, g.count, [&](std::uint32_t i) {
      // EXPECT-ERROR: 'next' is called, which is not const, in what gives send_n\(\) its messages
      const std::uint32_t n = next();
      // EXPECT-ERROR: 'ctx' is used in what gives send_n\(\) its messages
      return drop{n + i + when(ctx)};
    });
    // EXPECT-ERROR: must be a lambda written in its call, and not 'mutable'
    ctx.send_n(to, g.count, [k = number](std::uint32_t) mutable { return drop{k++}; });
    const auto make = [](std::uint32_t i) { return drop{i}; };
    // EXPECT-ERROR: what gives send_n\(\) its messages must be a lambda written in its call
    ctx.send_n(to, made, make);
  }

 private:
  std::uint32_t next() { return number++; }
  static std::uint32_t when(perdure::context& ctx) {
    return static_cast<std::uint32_t>(ctx.random());
  }
};
