// tests/corpus/accept/overflow_rules.hpp - actors whose type says what becomes of messages that find no room: in the class,
//   in a base that is a template; and a member of that name that means something else.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums, and one message for each taken
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct reading {
  std::uint16_t value;
};
struct share {
  std::uint32_t of;
};

template <class Self>
struct lossy {
  static constexpr perdure::overflow overflow = perdure::overflow::drop_newest;
};

struct basin : perdure::actor<basin> {
  static constexpr auto overflow = perdure::overflow::wait;
  std::uint64_t sum = 0;
  void on(const share& m, perdure::context&) { sum += m.of; }
};
struct gauge : perdure::actor<gauge> {
  static constexpr auto overflow = perdure::overflow::drop_newest;
  perdure::ref<basin> into;
  std::uint64_t sum = 0;
  void on(const reading& m, perdure::context& ctx) {
    sum += m.value;
    ctx.send(into, share{m.value % 7U});
  }
};
struct meter : lossy<meter>, perdure::actor<meter> {
  std::uint64_t sum = 0;
  perdure::ref<gauge> next;
  void on(const reading& m, perdure::context& ctx) {
    sum += m.value;
    ctx.send(next, reading{static_cast<std::uint16_t>(m.value / 2)});
  }
};
struct vessel : perdure::actor<vessel> {
  std::uint32_t level = 0;
  std::uint32_t overflow = 0;
  void on(const share& m, perdure::context&) {
    level += m.of % 16;
    if (level > 100) overflow += level - 100;
    level = level > 100 ? 100 : level;
  }
};
