// tests/corpus/accept/x_macros.hpp - an X-macro list makes message types, handlers' cases and a name table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

// One list, used four times: enumerators, weights, fields and handlers.
#define METALS(X) \
  X(iron, 7)      \
  X(copper, 11)   \
  X(zinc, 13)     \
  X(tin, 17)

enum class metal : std::uint8_t {
#define X(name, weight) name,
  METALS(X)
#undef X
      count_
};

constexpr std::array<std::uint32_t, static_cast<std::size_t>(metal::count_)> metal_weights = {
#define X(name, weight) weight,
    METALS(X)
#undef X
};

#define X(name, weight)   \
  struct name##_delivery { \
    std::uint32_t tons;    \
    std::uint16_t dock;    \
  };
METALS(X)
#undef X

struct stock_report {
  std::uint64_t total;
};

struct warehouse : perdure::actor<warehouse> {
#define X(name, weight) std::uint64_t name##_tons = 0;
  METALS(X)
#undef X
  std::uint64_t weight_units = 0;

#define X(name, weight)                                                        \
  void on(const name##_delivery& m, perdure::context& ctx) {                   \
    name##_tons += m.tons;                                                     \
    weight_units +=                                                            \
        std::uint64_t{m.tons} * metal_weights[static_cast<std::size_t>(metal::name)] + m.dock; \
    ctx.reply(stock_report{name##_tons});                                      \
  }
  METALS(X)
#undef X
};
#undef METALS
