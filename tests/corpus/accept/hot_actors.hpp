// tests/corpus/accept/hot_actors.hpp - types that say they are hot: in the class, in a base that is a template, one with a
//   state that fits into no registers; one that says no; and a member of that name that means something else.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums, and one message for each taken
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct vote {
  std::uint32_t for_whom;
};
struct page {
  std::array<std::uint32_t, 90> lines;
};

template <class Self>
struct busy {
  static constexpr bool hot = true;
};

struct total : perdure::actor<total> {
  static constexpr bool hot = true;
  std::uint64_t votes = 0, sum = 0;
  void on(const vote& m, perdure::context&) {
    ++votes;
    sum += m.for_whom;
  }
  void on(const page& m, perdure::context&) {
    for (const std::uint32_t line : m.lines) sum += line;
  }
};
struct board : busy<board>, perdure::actor<board> {
  std::array<std::uint32_t, 40> of{};
  perdure::ref<total> all;
  void on(const vote& m, perdure::context& ctx) {
    ++of[m.for_whom % 40];
    ctx.send(all, m);
  }
};
struct idler : perdure::actor<idler> {
  static constexpr bool hot = false;
  std::uint32_t seen = 0;
  perdure::ref<board> next;
  void on(const vote& m, perdure::context& ctx) {
    ++seen;
    ctx.send(next, vote{m.for_whom / 2});
  }
};
struct stove : perdure::actor<stove> {
  std::uint32_t heat = 0;
  std::uint32_t hot = 0;
  void on(const vote& m, perdure::context&) {
    heat += m.for_whom % 16;
    if (heat > 100) ++hot;
  }
};
