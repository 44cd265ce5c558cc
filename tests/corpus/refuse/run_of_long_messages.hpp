// tests/corpus/refuse/run_of_long_messages.hpp - refused: on_run() for messages that travel in buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct page {
  std::array<std::uint32_t, 61> lines;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const page& m, perdure::context&) { n += m.lines[0]; }
  // EXPECT-ERROR: message 'page' has 244 bytes
  std::uint32_t on_run(const perdure::run<page>& run) { return run.size(); }
};
