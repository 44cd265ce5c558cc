// tests/corpus/accept/short_circuits.hpp - short-circuit evaluation, nested ternaries, comma, and evaluation counted by side effects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct trial {
  std::int32_t x;
  bool a, b;
};

struct judge : perdure::actor<judge> {
  std::uint32_t evaluations = 0, yes = 0;
  std::int64_t graded = 0;

  bool costly(bool answer) { return ++evaluations, answer; }
  void on(const trial& m, perdure::context&) {
    if (m.a && costly(m.b)) ++yes;
    if (m.a || costly(m.b)) ++yes;
    if ((m.a && m.b) || (costly(!m.a) && costly(!m.b))) yes += 2U;
    const std::int32_t grade = m.x < 0 ? (m.a ? -2 : -1) : m.x == 0 ? 0 : m.x < 10 ? 1 : (m.b ? 3 : 2);
    graded += grade;
    const bool odd = (m.x & 1) != 0 and not m.a;
    graded += (yes += odd ? 1U : 0U, std::int64_t{yes} % 5);
    (m.b ? evaluations : yes) += 1U;
  }
};
