// tests/corpus/accept/nested_namespaces.hpp - actors, messages and helpers in nested namespaces of one name each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace city {
struct tick {
  std::uint32_t minutes;
};
constexpr std::uint64_t scale(std::uint64_t x) { return x * 3U; }

namespace north {
struct tick {  // hides city::tick here
  std::uint32_t hours;
};
namespace detail {
constexpr std::uint64_t scale(std::uint64_t x) { return x * 60U; }
}  // namespace detail

struct clock : perdure::actor<clock> {
  std::uint64_t minutes = 0;
  void on(const tick& m, perdure::context&) { minutes += detail::scale(m.hours); }
  void on(const city::tick& m, perdure::context&) { minutes += m.minutes; }
};
}  // namespace north

namespace south::harbour {
struct clock : perdure::actor<clock> {
  std::uint64_t minutes = 0;
  perdure::ref<north::clock> other;
  void on(const tick& m, perdure::context& ctx) {
    minutes += scale(m.minutes);  // city::scale by ordinary lookup
    ctx.send(other, north::tick{m.minutes % 24U});
    ctx.send(other, ::city::tick{1});
  }
};
}  // namespace south::harbour
}  // namespace city
