// tests/corpus/accept/aliases.hpp - type aliases, alias templates, namespace aliases and using-declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

namespace shipping::units {
using kilos = std::uint32_t;
typedef std::int64_t cents;
template <class T>
using triple = std::array<T, 3>;
template <std::size_t N>
using bytes = std::array<std::uint8_t, N>;
constexpr cents price(kilos k) { return cents{k} * 25; }
}  // namespace shipping::units

namespace su = shipping::units;
using shipping::units::price;
using su::triple;

struct parcel {
  triple<su::kilos> parts;
  su::bytes<5> label;
};

struct scale : perdure::actor<scale> {
  using message = parcel;
  using self = scale;
  su::cents due = 0;
  triple<std::uint16_t> hits{};
  void on(const message& m, perdure::context& ctx) {
    using su::kilos;
    namespace local = shipping::units;
    kilos all = 0;
    for (const local::kilos k : m.parts) all += k % 1000U;
    due += price(all) + m.label[4];
    const perdure::ref<self> me = ctx.self(*this);
    hits[all % 3U] = static_cast<std::uint16_t>(hits[all % 3U] + (me ? 1U : 0U));
  }
};
