// tests/corpus/accept/crtp_bases.hpp - a CRTP base with state that calls into the actor, beside perdure::actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class Self>
struct counted {
  std::uint32_t calls = 0;
  std::uint64_t weight = 0;

  void count(std::uint32_t n) {
    ++calls;
    weight += static_cast<Self*>(this)->weigh(n);
  }
  const Self& me() const { return static_cast<const Self&>(*this); }
};

struct crate {
  std::uint32_t kilos;
};

struct light : perdure::actor<light>, counted<light> {
  std::uint32_t limit = 10;
  std::uint64_t weigh(std::uint32_t n) const { return n > limit ? limit : n; }
  void on(const crate& m, perdure::context&) { count(m.kilos); }
};

struct heavy : counted<heavy>, perdure::actor<heavy> {
  std::uint64_t extra = 1;
  std::uint64_t weigh(std::uint32_t n) { return extra++ + n * 2ULL; }
  void on(const crate& m, perdure::context& ctx) {
    count(m.kilos);
    if (me().calls % 2U == 0) ctx.send(other, crate{m.kilos / 2U});
  }
  perdure::ref<light> other;
};
