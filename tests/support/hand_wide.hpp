// tests/support/hand_wide.hpp - a program with a wide actor whose tables are written by hand: no tool needed.
// Why: that links are drawn and that a wrong joined handler is noticed must be tested without what they test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "kernels/abi/layout_hash.cuh"
#include "perdure/actor.hpp"
#include "perdure/block_actor.hpp"
#include "perdure/program.hpp"

namespace hand_wide {

struct kick {
  std::uint32_t by;
};
struct token {
  std::uint32_t left;
};

struct cell : perdure::block_actor<cell> {
  static constexpr int lanes = 32;
  enum class port { left, right };
  std::array<std::uint32_t, 40> at{};
  std::uint32_t fired = 0;

  void on(const kick& m, perdure::block_context& ctx) const {
    ctx.for_each<40>(*this,
                     [&](cell& me, int i, int) { me.at[static_cast<std::size_t>(i)] += m.by; });
    pass(m.by % 5U, ctx);
  }
  void on(const perdure::joined<token>& in, perdure::block_context& ctx) const {
    const std::uint32_t left = in[port::left].left, right = in[port::right].left;
    ctx.once(*this, [&](cell& me) {
      ++me.fired;
      me.at[0] += left * 3U + right;
    });
    if (left > 0 && right > 0) pass((left < right ? left : right) - 1, ctx);
  }

 private:
  void pass(std::uint32_t left, perdure::block_context& ctx) const {
    for (const port p : {port::left, port::right}) {
      const auto out = ctx.open<token>(p);
      ctx.once(*this, [&](cell&) { out->left = left; });
      ctx.commit(out);
    }
  }
};

using perdure::field_info;
using perdure::field_kind;

inline constexpr field_info number[] = {
    {"n", "std::uint32_t", 0, 4, 1, 4, field_kind::unsigned_integer, 0, 0, 0}};
inline constexpr field_info cell_fields[] = {
    {"at[]", "std::uint32_t", 0, 4, 40, 4, field_kind::unsigned_integer, 0, 0, 0},
    {"fired", "std::uint32_t", 160, 4, 1, 4, field_kind::unsigned_integer, 0, 0, 0},
};
inline const perdure::message_info messages[] = {
    {"hand_wide::kick", perdure::detail::type_key<kick>(), 4, 4, number},
    {"hand_wide::token", perdure::detail::type_key<token>(), 4, 4, number}};
inline constexpr const char* ports[] = {"left", "right"};
inline constexpr std::uint16_t tokens[] = {1};
inline const perdure::wide_info wide{32, ports, {}, 0, tokens, tokens, 2};
inline const perdure::actor_info actors[] = {{"hand_wide::cell", perdure::detail::type_key<cell>(),
                                              sizeof(cell), alignof(cell), cell_fields,
                                              [](void* at) { ::new (at) cell; }, &wide}};

/// @tparam Wrong  lowered wrongly: some firings count twice.
template <bool Wrong>
void fire(const void* self, const void*, const perdure::abi::landed_messages& landed,
          perdure::detail::block_lane& lane) {
  const auto& c = *static_cast<const cell*>(self);
  perdure::block_context ctx{lane};
  c.on(perdure::joined<token>{landed}, ctx);
  if (Wrong && c.at[0] % 7 == 3) ctx.once(c, [](cell& me) { ++me.fired; });
}
template <bool Wrong>
inline const perdure::handler_info handlers[] = {
    {perdure::detail::handler_key<cell, kick>(), 1, 0, nullptr,
     [](const void* self, const void* m, const perdure::abi::landed_messages&,
        perdure::detail::block_lane& lane) {
       perdure::block_context ctx{lane};
       static_cast<const cell*>(self)->on(*static_cast<const kick*>(m), ctx);
     }},
    {perdure::detail::handler_key<cell, perdure::joined<token>>(), 1, 1, nullptr, fire<Wrong>}};

template <bool Wrong = false>
perdure::program program() {
  perdure::program p{};
  p.name = "hand_wide";
  p.abi_hash = perdure::abi::layout_hash();
  p.actors = actors;
  p.messages = messages;
  p.handlers = handlers<Wrong>;
  return p;
}

}  // namespace hand_wide
