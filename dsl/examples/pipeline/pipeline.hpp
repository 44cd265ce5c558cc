// dsl/examples/pipeline/pipeline.hpp - three stages in a row: decode, filter, add up.
// Invariant: a stage keeps the order of what it passes on, so `done` arrives after every reading.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <array>
#include <cstdint>

struct frame {  ///< four readings, as a device would send them
  std::array<std::uint16_t, 4> raw;
};
struct reading {
  double celsius;
};
struct done {
  std::uint32_t dropped;  ///< readings left out on the way
};
struct summary {
  double lowest, highest, sum;
  std::uint32_t count, dropped;
};

struct collector : perdure::actor<collector> {
  perdure::ref<perdure::host<summary>> out;
  summary so_far{1e300, -1e300, 0, 0, 0};

  void on(const reading& m, perdure::context&) {
    if (m.celsius < so_far.lowest) so_far.lowest = m.celsius;
    if (m.celsius > so_far.highest) so_far.highest = m.celsius;
    so_far.sum += m.celsius;
    ++so_far.count;
  }
  void on(const done& m, perdure::context& ctx) {
    so_far.dropped = m.dropped;
    ctx.send(out, so_far);
  }
};

struct filter : perdure::actor<filter> {
  perdure::ref<collector> next;
  std::uint32_t dropped = 0;

  void on(const reading& m, perdure::context& ctx) {
    if (m.celsius < -40 || m.celsius > 85) {
      ++dropped;
      return;
    }
    ctx.send(next, m);
  }
  void on(const done& m, perdure::context& ctx) { ctx.send(next, done{m.dropped + dropped}); }
};

struct decoder : perdure::actor<decoder> {
  perdure::ref<filter> next;

  void on(const frame& m, perdure::context& ctx) {
    for (const std::uint16_t raw : m.raw) ctx.send(next, reading{raw / 256.0 - 50.0});
  }
  void on(const done& m, perdure::context& ctx) { ctx.send(next, m); }
};
