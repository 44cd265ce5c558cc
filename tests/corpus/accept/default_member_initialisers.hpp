// tests/corpus/accept/default_member_initialisers.hpp - member initialisers that call constexpr functions and use other members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <perdure/actor.hpp>

constexpr std::int32_t opening(std::int32_t base) { return base * base - 1; }

struct settings {
  std::int32_t low = -opening(3);
  std::int32_t high = opening(12);
  std::int32_t middle = (low + high) / 2;
  bool open = high > low;
};

struct bid {
  std::int32_t price;
  settings rules{};
};

struct auction : perdure::actor<auction> {
  settings mine{.low = -5};
  std::int32_t best = std::numeric_limits<std::int32_t>::min();
  std::array<std::uint16_t, 4> buckets = {1, 2, 3};
  float share = 1.0F / 3.0F;
  std::uint64_t seen{};

  void on(const bid& m, perdure::context&) {
    if (m.price > best && mine.open) best = m.price;
    const settings fresh{};
    seen += static_cast<std::uint64_t>(fresh.middle) + (m.rules.open ? 1U : 0U);
    auto& b = buckets[static_cast<std::size_t>(static_cast<std::uint32_t>(m.price) % 4U)];
    b = static_cast<std::uint16_t>(b + 1U);
    share *= 0.5F;
  }
};
