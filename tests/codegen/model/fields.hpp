// tests/codegen/model/fields.hpp - every kind of field, sends of every kind; model_test.cpp knows each number.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

namespace plant {

enum class mode : std::uint8_t { off, slow = 4, fast };
struct point {
  float x, y;
};
struct alarm {
  std::uint64_t at;
};
struct sensor;
struct reading {
  std::array<point, 3> path;
  perdure::ref<sensor> from;
  mode how;
  bool last;
  std::array<std::array<std::int16_t, 4>, 2> grid;
};
struct ack {
  std::uint32_t n;
};
struct poke {};

template <class M>
void tell(perdure::ref<sensor> to, const M& m, perdure::context& ctx) {
  ctx.send(to, m);
}

struct sensor : perdure::actor<sensor> {
  perdure::ref<perdure::host<alarm>> bell;
  perdure::any_ref whoever;
  unsigned low : 3 = 0;
  unsigned high : 7 = 0;
  double window[5] = {};
  std::chrono::milliseconds age{0};
  union {
    std::int32_t whole = 0;
    float real;
  };

  void on(const reading& m, perdure::context& ctx) {
    if (m.last) ctx.reply(ack{low});
    ctx.send(bell, alarm{7});
    tell(m.from, poke{}, ctx);
  }
  void on(const poke&, perdure::context& ctx) {
    ctx.after(std::chrono::seconds{1}, ctx.self(*this), poke{});
    ctx.log("low={} high={}", low + 0, high + 0);
  }
};

}  // namespace plant
