// tests/corpus/accept/hidden_friends.hpp - friends defined inside a class are found by argument only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

class money {
 public:
  constexpr money() = default;
  constexpr explicit money(std::int64_t cents) : cents_{cents} {}
  friend constexpr money operator+(money a, money b) { return money{a.cents_ + b.cents_}; }
  friend constexpr money operator*(money a, std::int64_t k) { return money{a.cents_ * k}; }
  friend constexpr bool operator==(money a, money b) { return a.cents_ == b.cents_; }
  friend constexpr bool operator<(money a, money b) { return a.cents_ < b.cents_; }
  friend constexpr std::int64_t cents(money a) { return a.cents_; }
  template <class T>
  friend constexpr money scaled(money a, T k) {
    return money{a.cents_ * static_cast<std::int64_t>(k)};
  }

 private:
  std::int64_t cents_ = 0;
};

struct payment {
  money amount;
  std::uint8_t times;
};

struct purse : perdure::actor<purse> {
  money held;
  money highest;
  std::uint32_t repeats = 0;
  void on(const payment& m, perdure::context&) {
    held = held + scaled(m.amount, m.times) + m.amount * 2;
    if (highest < m.amount) highest = m.amount;
    if (highest == m.amount) ++repeats;
    if (cents(held) > 1'000'000'000'000) held = money{};
  }
};
