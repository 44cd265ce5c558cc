// tests/corpus/accept/several_includes.hpp - messages, helpers and macros spread over user headers with guards and relative includes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

#include "../include/corpus/geometry.hpp"
#include "../include/corpus/messages.hpp"

struct surveyor : perdure::actor<surveyor> {
  std::int64_t doubled_area = 0;
  std::uint32_t colours[CORPUS_CORNERS] = {};
  void on(const polygon& m, perdure::context&) {
    const std::int64_t area = geometry::cross(m.b - m.a, m.c - m.a);
    doubled_area += area < 0 ? -area : area;
    ++colours[m.colour % CORPUS_CORNERS];
  }
};

#include "../include/corpus/messages.hpp"  // again: the guard holds
