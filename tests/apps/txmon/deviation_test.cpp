// tests/apps/txmon/deviation_test.cpp - rule 6's whole numbers beside a library's.
// SPDX-License-Identifier: Apache-2.0
#include "deviation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <random>

namespace {

using namespace txmon;
using exact = boost::multiprecision::int512_t;

exact of(const whole128& n) { return (exact{n.high} << 64U) + n.low; }
exact of(const whole192& n) { return (of(whole128{n.part[1], n.part[2]}) << 64U) + n.part[0]; }

TEST(AccountWholeNumbers, AreExact) {
  std::mt19937_64 random{5};
  const exact all = (exact{1} << 192U) - 1;
  const auto some = [&] {  // all of its bits, few, or all set but the lowest
    const std::uint64_t bits = random() >> random() % 64;
    return random() % 4 == 0 ? ~bits : bits;
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t x = some();
    const whole128 c = product(x, some()), d = product(some() / 2, some());
    ASSERT_EQ(of(product(x, c.low)), exact{x} * c.low);
    ASSERT_EQ(of(c + d) & (all >> 64U), (of(c) + of(d)) & (all >> 64U));
    const whole192 a{{some(), some(), some()}},
        b{{some(), random() % 2 == 0 ? a.part[1] : some(), a.part[2]}};
    ASSERT_EQ(of(a * x), of(a) * x & all);
    ASSERT_EQ(of(a - b), (of(a) - of(b)) & all);
    ASSERT_EQ(a < b, of(a) < of(b));
    ASSERT_FALSE(a < a);
    const whole192 small{{some(), some() >> 32U, 0}};
    ASSERT_EQ(of(small.squared()), of(small) * of(small));
    ASSERT_NEAR((of(a).convert_to<double>() - a.about()) / (a.about() + 1), 0, 1e-15);
  }
}

TEST(AccountDeviation, TheShortWayMissesNothingAndTheLongOneIsTheFormula) {
  std::mt19937_64 random{11};
  std::size_t over = 0, under = 0, spared = 0, quiet = 0;
  for (int i = 0; i < 40'000; ++i) {
    // few postings or many, alike to the cent or far apart, small or as large as they may be
    const std::uint64_t largest = std::uint64_t{9'000'000'000'000} >> random() % 40;
    const std::uint64_t middle = random() % largest, apart = std::uint64_t{1} << random() % 43;
    amounts_seen known{0, {}, static_cast<std::uint32_t>(1 + random() % 40)};
    for (std::uint32_t k = 0; k < known.count; ++k) {
      const std::uint64_t x = std::min(middle + random() % apart, largest);
      known.sum += x;
      known.squares = known.squares + product(x, x);
    }
    if (i % 3 == 0) {  // the same again and again, as far as there is room
      const auto times = static_cast<std::uint32_t>(1 + random() % 80'000);
      if (known.sum < ~std::uint64_t{0} / times) {
        known.sum *= times;
        known.count *= times;
        const whole192 squares = whole192{{known.squares.low, known.squares.high, 0}} * times;
        known.squares = {squares.part[0], squares.part[1]};
      }
    }
    const auto factor =
        static_cast<std::uint32_t>(i % 11 == 0 ? 0 : random() % (i % 2 == 0 ? 800 : 65'536));
    const exact spread = of(known.squares) * known.count - exact{known.sum} * known.sum;
    const auto right = [&](std::uint64_t x) {
      const exact far = exact{x} * known.count - known.sum;
      return far > 0 && far * far * 10'000 > spread * factor * factor;
    };
    const std::uint64_t ceiling = ceiling_of(known, factor);
    ASSERT_FALSE(right(ceiling)) << i;
    ASSERT_TRUE(right(ceiling + 1)) << i;
    const std::uint64_t mean = known.sum / known.count;
    for (const std::uint64_t x :
         {ceiling, ceiling + 1, ceiling - std::min(ceiling, random() % 100), mean, mean + 1, middle,
          ceiling + ceiling / 20'000, ceiling - ceiling / 20'000, random() % largest}) {
      if (x >= std::uint64_t{1} << 52U) continue;
      ASSERT_EQ(exceeds(x, known, factor), right(x)) << x << " at " << i;
      ASSERT_LE(right(x), may_exceed(x, known, factor)) << x << " at " << i;
      ++(right(x) ? over : under);
      if (right(x)) continue;
      ++quiet;
      if (!may_exceed(x, known, factor)) ++spared;
    }
  }
  EXPECT_GT(over, 50'000U);
  EXPECT_GT(under, 50'000U);
  EXPECT_GT(spared, quiet / 4);  // the short way is one
}

}  // namespace
