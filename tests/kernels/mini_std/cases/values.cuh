// tests/kernels/mini_std/cases/values.cuh - array, pair, tuple, optional, span, comparison,
//   function objects, memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "sink.cuh"

namespace values {
struct point {
  int x, y;
  friend auto operator<=>(const point&, const point&) = default;
};
struct mixed {
  float f;
  int i;
  friend auto operator<=>(const mixed&, const mixed&) = default;
};
struct only_less {
  int v;
  friend bool operator<(only_less a, only_less b) { return a.v < b.v; }
  friend bool operator==(only_less a, only_less b) { return a.v == b.v; }
};
enum class colour : std::uint8_t { red = 3, blue = 200 };

template <class C>
int sign(C c) {
  return c < 0 ? 1 : c > 0 ? 2 : c == 0 ? 3 : 4;
}
inline int sum_of(std::span<const int> s) {
  int n = 0;
  for (const int x : s) n += x;
  return n;
}
inline std::tuple<int, double, char> three() { return {7, 2.5, 'c'}; }

inline void arrays(sink& out) {
  std::array<int, 5> a{5, 3, 9, 1, 7};
  std::array b{1, 2, 3};
  PUT(a.size() + a.max_size() + std::tuple_size_v<decltype(a)> + std::size(a));
  PUT(a.front() * 1000 + a.back() * 100 + a.at(2) * 10 + a[3]);
  PUT(std::get<2>(a) + *a.begin() + *(a.end() - 1) + *a.rbegin() + *std::next(a.rbegin(), 2) +
      a.rend()[-1]);
  auto [p, q, r] = b;
  PUT(p * 100 + q * 10 + r);
  auto copy = a;
  copy[0] = 6;
  PUT(sign(a <=> copy) * 100 + (a == copy) * 10 + (a < copy));
  std::swap(a, copy);
  PUT(a[0] * 10 + copy[0]);
  a.fill(4);
  PUT(a[4] + a.empty());
  std::array<std::array<int, 2>, 2> grid{{{1, 2}, {3, 4}}};
  PUT(grid[1][0] * 10 + grid[0][1]);
  auto made = std::to_array({1L, 2L, 3L});
  PUT(made[2] + static_cast<long>(made.size()));
  std::array<int, 0> none{};
  PUT(none.size() * 2 + none.empty() + static_cast<unsigned>(none.begin() == none.end()));
  constexpr std::array<int, 4> table{2, 4, 6, 8};
  static_assert(table[2] == 6 && std::get<3>(table) == 8);
  int raw[] = {1, 2, 3};
  PUT(std::distance(std::begin(raw), std::end(raw)) + std::ssize(raw) + std::empty(raw) +
      *std::data(raw));
  for (auto it = std::rbegin(raw); it != std::rend(raw); ++it) PUT(*it);
}

inline void pairs_and_tuples(sink& out) {
  std::pair<int, double> p{3, 1.5};
  auto [i, d] = p;
  PUT(i);
  PUT(d);
  auto q = std::make_pair(static_cast<short>(3), 2.5F);
  PUT(sizeof(q));
  PUT(sign(p <=> std::pair<int, double>(q)) * 10 + (p < std::pair<int, double>(q)));
  std::swap(p.first, i);
  p = q;
  PUT(p.second);
  PUT(std::get<0>(p) + std::get<int>(p) + std::get<1>(q));
  PUT(sign(std::pair{only_less{1}, 2} <=> std::pair{only_less{1}, 1}));

  auto [a, b, c] = three();
  PUT(a);
  PUT(b);
  PUT(c);
  int x = 0;
  char z = 0;
  std::tie(x, std::ignore, z) = three();
  PUT(x * 1000 + z);
  auto t = std::make_tuple(1, 2.0, 'x', colour::blue);
  PUT(std::tuple_size_v<decltype(t)> + static_cast<unsigned>(std::get<3>(t)));
  PUT(std::get<double>(t));
  std::get<0>(t) = 42;
  PUT(std::get<0>(t));
  PUT(std::is_same_v<std::tuple_element_t<2, decltype(t)>, char>);
  PUT(std::apply([](int u, double v, char w, colour) { return u + static_cast<int>(v) + w; }, t));
  PUT(sign(std::tuple{1, 2, 3} <=> std::tuple{1, 3, 0}) * 10 +
      (std::tuple{1, 2} == std::tuple{1, 2}));
  PUT(std::tuple{1, 2.5F} < std::tuple{1, 3.0F});
  auto u = std::tuple{5, 6};
  auto w = std::tuple{7, 8};
  std::swap(u, w);
  PUT(std::get<0>(u) * 10 + std::get<1>(w));
  std::tie(x, i) = std::pair{11, 12};
  PUT(x * 100 + i);
  std::tie(x, i) = std::make_tuple(i, x);
  PUT(x * 100 + i);
  PUT(std::make_from_tuple<point>(std::tuple{3, 4}).y);
  PUT(std::tuple_size_v<std::tuple<>>);
}

inline void optionals(sink& out) {
  std::optional<int> none, some = 5;
  PUT(none.has_value() * 10 + some.has_value());
  PUT(*some + some.value() + none.value_or(7) + some.value_or(9));
  PUT((none < some) * 100 + (none == std::nullopt) * 10 + (some == 5));
  PUT(sign(none <=> some) * 100 + sign(some <=> 6) * 10 + sign(none <=> 0));
  none = some;
  some.reset();
  PUT(*none + some.has_value());
  some.emplace(8);
  std::swap(none, some);
  PUT(*none * 10 + *some);
  std::optional<point> p = point{1, 2};
  PUT(p->x + p->y);
  p = std::nullopt;
  PUT(static_cast<bool>(p));
  p = {3, 4};
  PUT((*p).y);
  auto m = std::make_optional(2.5F);
  PUT(*m);
  std::optional<long> wide = std::optional<int>(3);
  PUT(*wide);
  std::optional<double> in(std::in_place, 4);
  PUT(*in);
}

inline void spans(sink& out) {
  int raw[6] = {1, 2, 3, 4, 5, 6};
  std::array<int, 3> a{7, 8, 9};
  const std::array<int, 2> fixed{10, 20};
  std::span<int> s(raw);
  std::span<int, 6> exact(raw);
  PUT(s.size() + exact.size() + s.size_bytes() + decltype(exact)::extent);
  PUT(sum_of(raw) + sum_of(a) + sum_of(fixed) + sum_of(s) + sum_of(exact));
  PUT(sum_of(s.first(2)) * 100 + sum_of(s.last(2)));
  PUT(sum_of(s.subspan(2)) * 100 + sum_of(s.subspan(1, 2)));
  PUT(exact.first<2>().size() + exact.subspan<1, 3>().back() + exact.last<2>().front() +
      exact.subspan<4>().size());
  s[0] = 100;
  PUT(raw[0] + s.front() + s.back() + *s.rbegin());
  std::span deduced(a);
  PUT(deduced.size() + decltype(deduced)::extent);
  PUT(std::span<int>().empty());
  PUT(sum_of({raw + 1, 3}));
}

inline void comparisons(sink& out) {
  PUT(sign(point{1, 2} <=> point{1, 3}) * 10 + (point{1, 2} == point{1, 2}));
  PUT((point{2, 0} > point{1, 9}) + (point{2, 0} >= point{2, 0}) * 2 +
      (point{2, 0} != point{2, 1}) * 4);
  const float nan = __builtin_bit_cast(float, 0x7fc00000U);
  PUT(sign(mixed{nan, 1} <=> mixed{1, 1}) * 10 + sign(mixed{1, 1} <=> mixed{1, 0}));
  PUT((nan <=> 1.0F) == std::partial_ordering::unordered);
  PUT(sign(std::weak_ordering::less) + sign(0 <=> std::strong_ordering::less) * 10);
  PUT(std::is_lt(1 <=> 2) + std::is_gteq(1 <=> 2) * 2 +
      std::is_eq(std::partial_ordering::unordered) * 4);
  PUT(sign(std::partial_ordering(std::strong_ordering::greater)));
  PUT(sign(std::compare_three_way{}(3, 2)));
  PUT(std::cmp_less(-1, 1U) + std::cmp_greater(3U, -5) * 2 + std::cmp_equal(-1, ~0U) * 4 +
      std::cmp_less_equal(2, 2L) * 8);
}

inline void functions(sink& out) {
  PUT(std::plus<>{}(2, 3) + std::minus<int>{}(2, 3) + std::multiplies<>{}(4, 5) +
      std::divides<>{}(9, 2) + std::modulus<>{}(9, 5));
  PUT(std::less<>{}(1, 2) + std::greater<int>{}(1, 2) * 2 + std::equal_to<>{}(1, 1L) * 4 +
      std::not_equal_to<>{}(1, 1) * 8 + std::less_equal<>{}(1, 1) * 16 +
      std::greater_equal<>{}(0, 1) * 32);
  PUT(std::bit_and<>{}(12, 10) + std::bit_or<>{}(12, 10) + std::bit_xor<>{}(12, 10) +
      std::negate<>{}(3) + std::logical_not<>{}(0));
  PUT(std::identity{}(9) + std::logical_and<>{}(1, 0) + std::logical_or<bool>{}(true, false));
  int n = 4;
  auto r = std::ref(n);
  r.get() = 6;
  PUT(n + r + std::cref(n).get());
  point p{3, 4};
  PUT(std::invoke(&point::y, p) + std::invoke([](int a) { return a * 2; }, 5) +
      std::invoke(&point::x, &p));
  PUT(std::exchange(n, 9) * 10 + n);
  PUT(std::as_const(n));
  PUT(std::hash<int>{}(-5));
  PUT(std::hash<std::uint8_t>{}(250));
  PUT(std::hash<bool>{}(true) + std::hash<colour>{}(colour::blue));
  PUT(std::hash<unsigned long long>{}(~0ULL));
  for (const float f : {0.0F, -0.0F, 1.0F, -3.25F, 1e30F}) PUT(std::hash<float>{}(f));
  for (const double d : {0.0, -0.0, 1.0, -3.25, 1e300}) PUT(std::hash<double>{}(d));
}

inline void bytes(sink& out) {
  unsigned char a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {};
  std::memcpy(b, a, 8);
  PUT(std::memcmp(a, b, 8));
  b[5] = 200;
  PUT((std::memcmp(a, b, 8) < 0) + (std::memcmp(b, a, 8) > 0) * 2 +
      (std::memcmp(a, b, 5) == 0) * 4);
  std::memmove(b + 2, b, 5);
  for (const auto x : b) PUT(x);
  std::memset(b, 0xab, 3);
  PUT(b[2] * 256 + b[3]);
  PUT(std::strlen("seven..") + std::strlen(""));
  alignas(point) std::byte room[sizeof(point)];
  point* at = ::new (static_cast<void*>(room)) point{5, 6};
  PUT(std::launder(at)->y + std::addressof(*at)->x);
  std::construct_at(at, point{8, 9});
  PUT(at->x);
  std::destroy_at(at);
  std::byte flags{0x0f};
  flags |= std::byte{0x30};
  flags = (flags ^ std::byte{1}) << 1;
  PUT(std::to_integer<int>(flags) + std::to_integer<int>(~flags >> 4));
  int left[2] = {1, 2}, right[2] = {3, 4};
  std::swap(left, right);
  PUT(left[0] * 1000 + left[1] * 100 + right[0] * 10 + right[1]);
}

inline void run(sink& out) {
  arrays(out);
  pairs_and_tuples(out);
  optionals(out);
  spans(out);
  comparisons(out);
  functions(out);
  bytes(out);
}
}  // namespace values
