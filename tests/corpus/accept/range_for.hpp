// tests/corpus/accept/range_for.hpp - range-for over arrays, a user's range with iterators, an initialiser and a braced list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <perdure/actor.hpp>

class counting {
 public:
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t at) : at_{at} {}
    constexpr std::uint32_t operator*() const { return at_; }
    constexpr iterator& operator++() { return ++at_, *this; }
    constexpr bool operator!=(const iterator& o) const { return at_ != o.at_; }

   private:
    std::uint32_t at_;
  };
  constexpr explicit counting(std::uint32_t n) : n_{n} {}
  constexpr iterator begin() const { return iterator{0}; }
  constexpr iterator end() const { return iterator{n_}; }

 private:
  std::uint32_t n_;
};

struct several {
  std::array<std::int16_t, 4> v;
  std::uint8_t n;
};

struct looper : perdure::actor<looper> {
  std::int64_t sum = 0;
  std::uint32_t squares[3] = {};
  void on(const several& m, perdure::context&) {
    for (const auto v : m.v) sum += v;
    for (const std::uint32_t i : counting{m.n % 10U}) sum += i * i;
    for (auto& s : squares) s += m.n;
    for (std::uint32_t k = 1; const auto s : squares) sum += s * k++;
    for (const int x : {2, 3, 5}) sum -= x;
  }
};
