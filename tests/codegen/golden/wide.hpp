// tests/codegen/golden/wide.hpp - a wide actor with ports, per_lane members and a joined handler, beside a small one.
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct set {
  std::uint32_t value;
};
struct face {
  std::array<std::uint32_t, 8> value;
};
struct permit {};
struct sum_of {
  std::uint64_t sum;
};

struct reader : perdure::actor<reader> {
  std::uint64_t last = 0;
  void on(const sum_of& m, perdure::context&) { last = m.sum; }
};

inline std::uint32_t not_reached() { return 7; }

struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  enum class port { west, east, ready };
  std::uint32_t cell[100] = {};
  perdure::per_lane<std::array<std::uint16_t, 3>> before;
  perdure::per_lane<double> weight;
  perdure::ref<reader> out;

  void on(const set& m, perdure::block_context& ctx) const {
    ctx.for_each<100>(*this, [&](strip& me, int i, int k) { me.keep(i, k, m.value, ctx); });
    pass(ctx);
  }
  /// Fires when both neighbours have sent.
  void on(const perdure::joined<face, permit>& in, perdure::block_context& ctx) const {
    ctx.for_each<8>(*this, [&](strip& me, int i, int) {
      me.cell[i] += in.get<face>(port::west).value[static_cast<std::size_t>(i)];
    });
    const auto sum = ctx.reduce<100>(
        *this, std::uint64_t{0}, [](const strip& me, int i) { return std::uint64_t{me.cell[i]}; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    ctx.send(out, sum_of{sum});
  }

 private:
  void keep(int i, int k, std::uint32_t by, perdure::block_context& ctx) {
    before(ctx)[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(cell[i]);
    weight(ctx) += 0.5;
    cell[i] += by;
  }
  void pass(perdure::block_context& ctx) const {
    const auto east = ctx.open<face>(port::east);
    ctx.for_each<8>(*this, [&](strip& me, int i, int) {
      east->value[static_cast<std::size_t>(i)] = me.cell[i];
    });
    ctx.commit(east);
    ctx.commit(ctx.open<permit>(port::ready));
  }
};
