// tests/corpus/accept/wide_templates.hpp - class templates of wide actors: widths, extents and element
//   types as parameters, one message for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct scale {
  std::int16_t by;
};
template <class T>
struct value_of {
  T value;
};

template <class T, int N, int Lanes>
struct vector_of : perdure::block_actor<vector_of<T, N, Lanes>> {
  static constexpr int lanes = Lanes;
  std::array<T, static_cast<std::size_t>(N)> v{};
  perdure::per_lane<std::array<T, static_cast<std::size_t>((N + Lanes - 1) / Lanes)>> before;
  T sum{};

  void on(const scale& m, perdure::block_context& ctx) const {
    ctx.template for_each<N>(*this, [&](vector_of& me, int i, int k) {
      const auto at = static_cast<std::size_t>(i);
      const auto seen = me.before(ctx)[static_cast<std::size_t>(k)];
      me.before(ctx)[static_cast<std::size_t>(k)] = me.v[at];
      me.v[at] = static_cast<T>(me.v[at] + static_cast<T>(m.by % 7) * static_cast<T>(i) - seen);
    });
    add_up(ctx);
  }
  void on(const value_of<T>& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](vector_of& me) { me.v[0] = m.value; });
    add_up(ctx);
  }

 private:
  void add_up(perdure::block_context& ctx) const {
    const T all = ctx.template reduce<N>(
        *this, T{}, [](const vector_of& me, int i) { return me.v[static_cast<std::size_t>(i)]; },
        [](T a, T b) { return static_cast<T>(a + b); });
    ctx.once(*this, [&](vector_of& me) { me.sum = all; });
  }
};

using floats = vector_of<float, 100, 32>;
using counts = vector_of<std::uint32_t, 64, 64>;
struct owner : perdure::actor<owner> {
  perdure::ref<floats> f;
  perdure::ref<counts> c;
  std::uint32_t scales = 0;
  void on(const scale& m, perdure::context& ctx) {
    ++scales;
    ctx.send(f, m);
    ctx.send(c, m);
    ctx.send(c, value_of<std::uint32_t>{scales});
  }
};
template struct vector_of<float, 100, 32>;
template struct vector_of<std::uint32_t, 64, 64>;
