// tests/corpus/accept/helper_context.hpp - helpers that take the context, templated on it, and member functions that send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct count_up {
  std::uint32_t by;
  std::uint8_t hops;
};

template <class Actor, class Message>
void forward_if(bool wanted, perdure::ref<Actor> to, const Message& m, perdure::context& ctx) {
  if (wanted) ctx.send(to, m);
}

struct stage : perdure::actor<stage> {
  std::uint64_t sum = 0;
  std::uint32_t forwarded = 0;
  perdure::ref<stage> next;

  void pass(const count_up& m, perdure::context& ctx) {
    const std::uint32_t hops = m.hops % 6U;
    forward_if(hops > 0, next ? next : ctx.self(*this), count_up{m.by + 1U, static_cast<std::uint8_t>(hops == 0 ? 0U : hops - 1U)},
               ctx);
    forwarded += hops > 0 ? 1U : 0U;
  }
  void on(const count_up& m, perdure::context& ctx) {
    sum += m.by;
    auto send_on = [&](const count_up& x) { pass(x, ctx); };
    send_on(m);
  }
};
