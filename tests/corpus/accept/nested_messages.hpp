// tests/corpus/accept/nested_messages.hpp - messages and enums nested inside the actor, and aggregates inside a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct thermostat : perdure::actor<thermostat> {
  enum class mode : std::uint8_t { off, heat, cool };
  struct set {
    mode to;
    struct range {
      std::int16_t low, high;
    } between;
  };
  struct measured {
    struct probe {
      std::int16_t tenths;
      bool valid;
    };
    std::array<probe, 3> probes;
  };

  mode now = mode::off;
  set::range wanted{180, 220};
  std::int64_t sum = 0;
  std::uint32_t switches = 0;

  void on(const set& m, perdure::context&) {
    now = m.to;
    wanted = m.between;
  }
  void on(const measured& m, perdure::context& ctx) {
    for (const measured::probe& p : m.probes) {
      if (!p.valid) continue;
      sum += p.tenths;
      if (p.tenths < wanted.low && now != mode::heat) {
        ++switches;
        ctx.send(ctx.self(*this), set{mode::heat, wanted});
      }
    }
  }
};
