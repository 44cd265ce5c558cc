// tests/corpus/accept/sends_many.hpp - send_n(): of a hot type and of one that is not, to an actor and to a host, from a loop and
//   from a function that the handler calls; what makes the messages reads members, locals and the context's self().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct seed {
  std::uint32_t from, count;
};
struct sprout {
  std::uint32_t number, mixed;
  perdure::any_ref of;
};
struct harvest {
  std::uint32_t number;
};

struct field : perdure::actor<field> {
  std::uint64_t sum = 0;
  std::uint32_t sprouts = 0;
  perdure::ref<perdure::host<harvest>> host;
  void on(const sprout& s, perdure::context&) {
    sum += s.number * std::uint64_t{3} + s.mixed, ++sprouts;
  }
  void on(const seed& s, perdure::context& ctx) {
    ctx.send_n(host, s.count % 3, [&](std::uint32_t i) { return harvest{s.from + i}; });
  }
};

struct sower : perdure::actor<sower> {
  static constexpr bool hot = true;
  perdure::ref<field> to;
  std::uint32_t sown = 0, mix = 7;
  void on(const seed& s, perdure::context& ctx) {
    for (std::uint32_t row = 0; row < 3; ++row) sow(s, row, ctx);
  }

 private:
  void sow(const seed& s, std::uint32_t row, perdure::context& ctx) {
    const std::uint32_t n = (s.count + row) % 50;
    const perdure::any_ref me{ctx.self(*this).bits};
    ctx.send_n(to, n, [this, first = s.from + row, me](std::uint32_t i) {
      std::uint32_t mixed = mix;
      mixed ^= (first + i) * 0x9e3779b9U;
      return sprout{first + i, mixed, me};
    });
    sown += n;
    mix = mix * 5 + n;
  }
};
