// tests/support/hand_program.hpp - a program whose tables are written by hand: no tool needed.
// Why: the harness itself must be tested, also by handlers that are wrong on purpose.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "kernels/abi/layout_hash.cuh"
#include "perdure/actor.hpp"
#include "perdure/program.hpp"

namespace hand {

struct tally;
struct add {
  std::uint8_t hops;  // three bytes of padding follow
  std::int32_t by;
  perdure::ref<tally> next;
};

struct tally : perdure::actor<tally> {
  std::int64_t sum = 0;
  std::uint32_t low : 3 = 1;
  std::uint32_t high : 20 = 2;
  bool odd = false;
  float ratio = 0.5F;
  perdure::ref<tally> last;
  void on(const add& m, perdure::context& ctx) {
    sum = sum * 3 % 1'000'003 + m.by;
    low = (low + 1U) & 7U;
    high = (high + static_cast<std::uint32_t>(ctx.random() >> 60U)) & 0xfffffU;
    odd = sum % 2 != 0;
    last = m.next;
    if (m.hops % 4U != 0)
      ctx.send(m.next, add{static_cast<std::uint8_t>(m.hops % 4U - 1U), m.by + 1, ctx.self(*this)});
  }
};

using perdure::field_info;
using perdure::field_kind;

inline constexpr field_info add_fields[] = {
    {"hops", "std::uint8_t", offsetof(add, hops), 1, 1, 1, field_kind::unsigned_integer, 0, 0, 0},
    {"by", "std::int32_t", offsetof(add, by), 4, 1, 4, field_kind::signed_integer, 0, 0, 0},
    {"next", "perdure::ref<hand::tally>", offsetof(add, next), 8, 1, 8, field_kind::reference, 1, 0,
     0},
};
/// Offsets as the Itanium ABI lays `tally` out; checked by the test that reads every field back.
inline constexpr field_info tally_fields[] = {
    {"sum", "std::int64_t", 0, 8, 1, 8, field_kind::signed_integer, 0, 0, 0},
    {"low", "std::uint32_t", 8, 4, 1, 4, field_kind::unsigned_integer, 0, 0, 3},
    {"high", "std::uint32_t", 8, 4, 1, 4, field_kind::unsigned_integer, 0, 3, 20},
    {"odd", "bool", 11, 1, 1, 1, field_kind::boolean, 0, 0, 0},
    {"ratio", "float", 12, 4, 1, 4, field_kind::floating, 0, 0, 0},
    {"last", "perdure::ref<hand::tally>", 16, 8, 1, 8, field_kind::reference, 1, 0, 0},
};

inline const perdure::message_info messages[] = {
    {"hand::add", perdure::detail::type_key<add>(), sizeof(add), alignof(add), add_fields}};
inline const perdure::actor_info actors[] = {{"hand::tally", perdure::detail::type_key<tally>(),
                                              sizeof(tally), alignof(tally), tally_fields,
                                              [](void* at) { ::new (at) tally; }}};
inline const perdure::handler_info handlers[] = {
    {perdure::detail::handler_key<tally, add>(), 1, 0,
     [](void* self, const void* m, perdure::context& ctx) {
       static_cast<tally*>(self)->on(*static_cast<const add*>(m), ctx);
     }}};
/// The same program, lowered wrongly: one message in many is handled a little differently.
inline const perdure::handler_info wrong_handlers[] = {
    {perdure::detail::handler_key<tally, add>(), 1, 0,
     [](void* self, const void* m, perdure::context& ctx) {
       auto* t = static_cast<tally*>(self);
       t->on(*static_cast<const add*>(m), ctx);
       if (t->sum % 97 == 5) t->low = 0;
     }}};

inline perdure::program program() {
  perdure::program p{};
  p.name = "hand";
  p.abi_hash = perdure::abi::layout_hash();
  p.actors = actors;
  p.messages = messages;
  p.handlers = handlers;
  return p;
}

}  // namespace hand
