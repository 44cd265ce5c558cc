// tests/corpus/accept/wide_namespaces.hpp - wide actors in nested and inline namespaces and nested in a
//   class; messages of other namespaces.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: links and joined handlers; the host's messages come one at a time
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace words {
struct pulse {
  std::uint32_t n;
};
inline namespace v2 {
struct echo_of {
  std::uint32_t n;
};
}  // namespace v2
}  // namespace words

namespace outer::inner {
constexpr int width = 32;
enum class side { left, right };

struct wave : perdure::block_actor<wave> {
  static constexpr int lanes = width * 2;
  using port = side;
  std::uint32_t v[70] = {};
  void on(const words::pulse& m, perdure::block_context& ctx) const {
    ctx.for_each<width + 38>(*this, [&](wave& me, int i, int) { me.v[i] += m.n; });
  }
  void on(const perdure::joined<words::echo_of>& in, perdure::block_context& ctx) const {
    if (!in.linked(side::right)) return;
    ctx.once(*this, [&](wave& me) { me.v[0] = me.v[0] * 3U + in[port::right].n; });
  }
};

struct house {
  struct room : perdure::block_actor<room> {
    static constexpr int lanes = 32;
    enum class port { door };
    std::uint32_t heard = 0, sum = 0;
    void on(const words::pulse& m, perdure::block_context& ctx) const {
      const auto out = ctx.open<words::echo_of>(port::door);
      ctx.once(*this, [&](room&) { out->n = m.n % 6U; });
      ctx.commit(out);
    }
    void on(const perdure::joined<words::v2::echo_of>& in, perdure::block_context& ctx) const {
      const std::uint32_t n = in[port::door].n;
      ctx.once(*this, [&](room& me) {
        ++me.heard;
        me.sum = me.sum * 5U + n;
      });
      if (n == 0) return;
      const auto out = ctx.open<words::echo_of>(port::door);
      ctx.once(*this, [&](room&) { out->n = n - 1; });
      ctx.commit(out);
    }
  };
};
}  // namespace outer::inner
