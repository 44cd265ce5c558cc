// tests/corpus/accept/switch_with_init.hpp - switch and if with initialisers, fall-through, nested loops with break, continue, goto-free.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct op {
  std::uint8_t code;
  std::int32_t arg;
};

struct machine : perdure::actor<machine> {
  std::int64_t acc = 0;
  std::uint32_t steps = 0;
  void on(const op& m, perdure::context&) {
    switch (const std::uint32_t c = m.code % 6U; c) {
      case 0: acc += m.arg; break;
      case 1: acc -= m.arg; [[fallthrough]];
      case 2: ++steps; [[fallthrough]];
      case 3: {
        const std::int64_t local = acc / 2;
        acc = local + static_cast<std::int64_t>(c);
        break;
      }
      case 4:
        for (int i = 0; i < 10; ++i) {
          if (i == 2) continue;
          if (acc % 7 == i) break;
          ++acc;
        }
        break;
      default:
        if (const auto d = acc % 3; d == 0) {
          acc += 11;
        } else if (d < 0) {
          acc += 2;
        }
    }
    std::uint32_t n = m.code % 4U;
    while (n != 0) --n, ++steps;
    do {
      ++steps;
    } while (steps % 3U != 0);
  }
};
