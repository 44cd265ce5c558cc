// tests/corpus/accept/bit_fields.hpp - bit-fields of several types, widths and signs in state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct update {
  std::uint32_t a;
  std::int32_t b;
  bool flag;
};

struct flags {
  std::uint32_t low : 3 = 0;
  std::uint32_t mid : 11 = 5;
  std::uint32_t : 2;  // a gap
  std::uint32_t high : 16 = 0;
};

struct packed_actor : perdure::actor<packed_actor> {
  flags f;
  std::int32_t signed_part : 9 = -1;
  std::uint8_t on_off : 1 = 0;
  std::uint64_t wide : 40 = 0;
  std::uint32_t plain = 0;

  void on(const update& m, perdure::context&) {
    f.low = (f.low + m.a) & 7U;
    f.mid = (f.mid ^ m.a) & 2047U;
    f.high = (f.high + 1U) & 0xffffU;
    signed_part = m.b < 0 ? -200 : 77;
    on_off = m.flag ? 1U : 0U;
    wide = (wide * 5U + m.a) & 0xff'ffff'ffffU;
    plain += f.low + f.mid + (signed_part < 0 ? 100U : 0U);
  }
};
