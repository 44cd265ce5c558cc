// tests/kernels/mini_std/cases/algorithms.cuh - algorithms over arrays of every small size, with
//   many ties.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "sink.cuh"

namespace algorithms {
constexpr int most = 700;
struct item {  // ties are told apart by `at`, so that the permutation itself is compared
  int key, at;
};
struct by_key {
  bool operator()(const item& a, const item& b) const { return a.key < b.key; }
};
struct even {
  bool operator()(int x) const { return x % 2 == 0; }
};
/// A forward walk over ints, so that the paths for iterators that cannot jump are taken too.
struct walker {
  using difference_type = long;
  using value_type = int;
  using pointer = const int*;
  using reference = const int&;
  using iterator_category = std::forward_iterator_tag;
  const int* at;
  const int& operator*() const { return *at; }
  walker& operator++() {
    ++at;
    return *this;
  }
  walker operator++(int) { return walker{at++}; }
  friend bool operator==(walker a, walker b) { return a.at == b.at; }
  friend bool operator!=(walker a, walker b) { return a.at != b.at; }
};

inline unsigned value_of(int x) { return static_cast<unsigned>(x); }
inline unsigned value_of(const item& x) { return value_of(x.key) * 31 + value_of(x.at); }
template <class It>
unsigned digest(It first, It last) {
  unsigned h = 17;
  for (; first != last; ++first) h = h * 961 + value_of(*first);
  return h;
}

inline void sorting(sink& out, item* a, int n, int keys, unsigned seed) {
  const auto refill = [&] {
    dice d{seed};
    for (int i = 0; i < n; ++i) a[i] = item{d.below(keys), i};
  };
  refill();
  std::sort(a, a + n, by_key{});
  PUT(digest(a, a + n));
  refill();
  std::stable_sort(a, a + n, by_key{});
  PUT(digest(a, a + n));
  refill();
  std::partial_sort(a, a + n / 3, a + n, by_key{});
  PUT(digest(a, a + n));
  refill();
  std::nth_element(a, a + n / 2, a + n, by_key{});
  PUT(digest(a, a + n));
  refill();
  std::make_heap(a, a + n, by_key{});
  PUT(digest(a, a + n));
  if (n > 0) std::pop_heap(a, a + n, by_key{});
  PUT(digest(a, a + n));
  if (n > 1) {
    a[n - 1].key = keys / 2;
    std::push_heap(a, a + n, by_key{});
  }
  PUT(digest(a, a + n));
  std::sort_heap(a, a + n, by_key{});
  PUT(digest(a, a + n));
  refill();
  std::sort(a, a + n / 2, by_key{});
  std::sort(a + n / 2, a + n, by_key{});
  std::inplace_merge(a, a + n / 2, a + n, by_key{});
  PUT(digest(a, a + n));
}
/// Orders on which median of three goes wrong, so that the heap takes over.
inline void bad_orders(sink& out, item* a) {
  for (int shape = 0; shape < 4; ++shape) {
    const int n = most;
    for (int i = 0; i < n; ++i) {
      const int key = shape == 0   ? i
                      : shape == 1 ? n - i
                      : shape == 2 ? (i < n / 2 ? i : n - i)
                                   : (i % 2 == 0 ? i : n / 2 + i / 2);
      a[i] = item{key, i};
    }
    if (shape == 3) {  // the classic killer of median of three
      const int half = n / 2;
      for (int i = 1; i <= half; ++i) {
        if (i % 2 == 1) {
          a[i - 1].key = i;
          a[i].key = half + i;
        }
        a[half + i - 1].key = 2 * i;
      }
    }
    std::sort(a, a + n, by_key{});
    PUT(digest(a, a + n));
  }
}

inline void searching(sink& out, int* a, int n, unsigned seed) {
  dice d{seed};
  for (int i = 0; i < n; ++i) a[i] = d.below(9);
  const walker w{a}, z{a + n};
  PUT(std::find(a, a + n, 4) - a);
  PUT(std::find_if(w, z, even{}).at - a);
  PUT(std::find_if_not(a, a + n, even{}) - a);
  PUT(std::count(a, a + n, 3) + std::count_if(w, z, even{}) * 1000);
  PUT(std::all_of(a, a + n, even{}) + std::any_of(a, a + n, even{}) * 2 +
      std::none_of(w, z, even{}) * 4);
  PUT(std::adjacent_find(w, z).at - a);
  PUT(std::min_element(w, z).at - a);
  PUT(std::max_element(a, a + n) - a);
  auto [least, greatest] = std::minmax_element(a, a + n);
  PUT((least - a) * 1000 + (greatest - a));
  PUT(std::distance(w, z) + (n > 2 ? *std::next(w, 2) : 0));
  PUT(std::search(a, a + n, a + n / 2, a + std::min(n / 2 + 2, n)) - a);
  PUT(std::is_sorted(a, a + n) + (std::is_sorted_until(w, z).at - a) * 2);
  const int wanted[] = {7, 2};
  PUT(std::find_first_of(a, a + n, wanted, wanted + 2) - a);
  int b[most];
  std::copy(a, a + n, b);
  if (n > 3) b[n - 2] += 1;
  PUT(std::equal(a, a + n, b) + std::equal(a, a + n, b, b + n / 2) * 2 +
      std::equal(w, z, b, std::equal_to<>{}) * 4);
  PUT(std::mismatch(a, a + n, b).first - a);
  PUT(std::lexicographical_compare(a, a + n, b, b + n) +
      std::lexicographical_compare(b, b + n, a, a + n) * 2);
  unsigned total = 0;
  std::for_each(w, z, [&](int x) { total = total * 3 + value_of(x); });
  PUT(total);

  std::sort(a, a + n);
  for (int x = -1; x < 10; ++x) {
    PUT((std::lower_bound(a, a + n, x) - a) * 1000 + (std::upper_bound(w, z, x).at - a));
    auto [from, to] = std::equal_range(a, a + n, x);
    PUT((to - from) * 2 + std::binary_search(a, a + n, x));
  }
  PUT(std::partition_point(a, a + n, [](int x) { return x < 5; }) - a);
  std::sort(b, b + n);
  int c[2 * most];
  PUT(digest(c, std::merge(a, a + n, b, b + n, c)));
  PUT(digest(c, std::set_union(a, a + n, b, b + n / 2, c)));
  PUT(digest(c, std::set_intersection(a, a + n, b, b + n / 2, c)));
  PUT(digest(c, std::set_difference(a, a + n, b, b + n / 2, c)));
  PUT(digest(c, std::set_symmetric_difference(a, a + n, b, b + n / 2, c)));
  PUT(std::includes(a, a + n, a + n / 3, a + n / 2) + std::includes(a, a + n / 2, b, b + n) * 2);
}

inline void changing(sink& out, int* a, int n, unsigned seed) {
  int b[most];
  const auto refill = [&] {
    dice d{seed};
    for (int i = 0; i < n; ++i) a[i] = d.below(5), b[i] = -1;
  };
  refill();
  for (int cut = 0; cut <= n; cut += n / 5 + 1) {
    PUT(std::rotate(a, a + cut, a + n) - a);
    PUT(digest(a, a + n));
  }
  std::reverse(a, a + n);
  PUT(digest(a, a + n));
  PUT(digest(b, std::copy_if(a, a + n, b, even{})));
  PUT(digest(b, std::reverse_copy(a, a + n, b)));
  PUT(digest(b, std::transform(a, a + n, b, [](int x) { return x * x; })));
  PUT(digest(b, std::transform(a, a + n, b, b, std::minus<>{})));
  PUT(digest(b, std::copy_n(a, n / 2, b)));
  std::copy_backward(a, a + n / 2, b + n);
  PUT(digest(b, b + n));
  std::swap_ranges(a, a + n / 2, b);
  PUT(digest(a, a + n) ^ digest(b, b + n));
  refill();
  PUT(std::remove(a, a + n, 2) - a);
  PUT(digest(a, std::remove_if(a, a + n, even{})));
  refill();
  PUT(digest(a, std::unique(a, a + n)));
  refill();
  std::replace(a, a + n, 1, 8);
  std::replace_if(a, a + n, even{}, 6);
  PUT(digest(a, a + n));
  refill();
  PUT(std::partition(a, a + n, even{}) - a);
  PUT(digest(a, a + n));
  PUT(std::is_partitioned(a, a + n, even{}));
  refill();
  std::shift_left(a, a + n, 2);
  PUT(digest(a, a + (n > 2 ? n - 2 : n)));
  refill();
  std::shift_right(a, a + n, 3);
  PUT(digest(a + (n > 3 ? 3 : 0), a + n));
  std::fill_n(a, n / 2, 3);
  std::fill(a + n / 2, a + n, 4);
  PUT(digest(a, a + n));
  int k = 0;
  std::generate(a, a + n, [&] { return k += 3; });
  PUT(digest(a, a + n));
}

inline void summing(sink& out, int n, unsigned seed) {
  float f[most], g[most];
  int a[most], b[most];
  dice d{seed};
  for (int i = 0; i < n; ++i) {
    a[i] = d.below(1000) - 500;
    f[i] = static_cast<float>(d.below(100000)) / 777.0F;
    g[i] = static_cast<float>(d.below(100000)) / 333.0F;
  }
  PUT(std::accumulate(a, a + n, 0));
  PUT(std::accumulate(f, f + n, 1.5F));
  PUT(std::accumulate(a, a + n, 1U,
                      [](unsigned h, int x) { return h * 7 + static_cast<unsigned>(x); }));
  PUT(std::reduce(f, f + n, 0.0F));
  PUT(std::reduce(a, a + n));
  PUT(std::inner_product(f, f + n, g, 0.0F));
  PUT(std::transform_reduce(f, f + n, g, 0.0F));
  PUT(std::transform_reduce(f, f + n, 2.0F, std::plus<>{}, [](float x) { return x * x; }));
  PUT(digest(b, std::partial_sum(a, a + n, b)));
  PUT(digest(b, std::inclusive_scan(a, a + n, b)));
  PUT(digest(b, std::exclusive_scan(a, a + n, b, 5)));
  PUT(digest(b, std::adjacent_difference(a, a + n, b)));
  std::iota(b, b + n, 10);
  PUT(digest(b, b + n));
}

inline void scalars(sink& out) {
  PUT(std::min(3, 2) + std::max(3, 2) * 10 + std::clamp(15, 0, 9) * 100 +
      std::clamp(-5, 0, 9) * 1000);
  PUT(std::min({5, 2, 8}) + std::max({5, 2, 8}) * 10);
  const int three = 3, two = 2;
  auto [low, high] = std::minmax(three, two);
  PUT(low * 10 + high);
  auto both = std::minmax({4, 1, 9});
  PUT(both.first * 10 + both.second);
  PUT(std::max(1, 2, std::greater<>{}));
  for (const int a : {0, 12, -18, 35, 1 << 20}) {
    for (const long b : {0L, 8L, -27L, 1L << 33}) {
      PUT(std::gcd(a, b));
      PUT(std::lcm(a, b));
    }
  }
  for (const int a : {0, 7, -8, 2147483647, -2147483647 - 1}) {
    for (const int b : {0, 4, -3, 2147483647, -2147483647 - 1}) PUT(std::midpoint(a, b));
  }
  PUT(std::midpoint(static_cast<unsigned char>(250), static_cast<unsigned char>(3)));
  for (const double a : {0.0, 1.5, -3e300, 1.7e308, 2e-308}) {
    for (const double b : {0.0, 2.5, 3e300, 1.6e308, -4e-308}) PUT(std::midpoint(a, b));
  }
  int perm[] = {1, 2, 2, 4};
  int n = 0;
  do {
    PUT(digest(perm, perm + 4));
  } while (std::next_permutation(perm, perm + 4) && ++n < 100);
  PUT(n * 10 + std::prev_permutation(perm, perm + 4));
  PUT(digest(perm, perm + 4));
}

inline void run(sink& out) {
  item items[most];
  int ints[most];
  unsigned seed = 1;
  for (const int n : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 18, 31, 33, 64, 100, 129, 333, most}) {
    for (const int keys : {2, 10, 1000000}) sorting(out, items, n, keys, ++seed);
    searching(out, ints, n, ++seed);
    changing(out, ints, n, ++seed);
    summing(out, n, ++seed);
  }
  bad_orders(out, items);
  scalars(out);
}
}  // namespace algorithms
