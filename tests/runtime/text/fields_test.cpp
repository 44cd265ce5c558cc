// tests/runtime/text/fields_test.cpp - messages by Boost.PFR, without a program.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <limits>
#include <perdure/fields.hpp>

#include "kernels/abi/ref_bits.cuh"
#include "tests/runtime/text/actors/holdings.hpp"

namespace bank {
namespace {

order some() {
  order o{};
  o.cents = -5;
  o.at = {0.1F, 1e300};
  o.grid = {{{1, 2}, {3, -4}}};
  o.path = {{{1, 2}, {3, 4}}};
  o.what = kind::closed;
  o.how = wide_kind::most;
  o.urgent = true;
  o.letter = 'a';
  o.by.bits = perdure::abi::make_ref(7, 2, 1, 9);
  o.whom.bits = perdure::abi::make_ref(8, 0, 1, 9);
  o.within = std::chrono::microseconds{3};
  return o;
}

TEST(Fields, AMessageIsToldFieldByField) {
  EXPECT_EQ(perdure::to_text(some()),
            "bank::order{-5, {0.1, 1e+300}, [[1, 2], [3, -4]], [{1, 2}, {3, 4}], bank::kind(-1), "
            "bank::wide_kind(18446744073709551615), true, 97, bank::clerk#7.2, type 1#8, null, "
            "3000, none}");
  EXPECT_EQ(perdure::to_text(nothing{}), "bank::nothing{}");
}

TEST(Fields, AMailboxIsToldAsAHosts) {
  order o = some();
  o.told.bits = perdure::abi::make_ref(4, 0, perdure::abi::mailbox_type, 9);
  o.whom.bits = o.told.bits;
  o.limit = 12;
  EXPECT_NE(perdure::to_text(o).find("host#4, host#4, 3000, 12}"), std::string::npos)
      << perdure::to_text(o);
}

TEST(Fields, ATypeOfTemplatesIsNamedWhole) {
  EXPECT_EQ((perdure::detail::type_name<std::array<point, 2>>()), "std::array<bank::point, 2>");
}

TEST(Fields, EachFieldCountsAndNothingBetweenThem) {
  EXPECT_TRUE(perdure::equal(nothing{}, nothing{}));
  alignas(order) unsigned char first[sizeof(order)], second[sizeof(order)];
  auto* a = ::new (first) order(some());
  auto* b = ::new (second) order(some());
  static_assert(offsetof(point, y) - sizeof(float) == 4);
  first[offsetof(order, at) + sizeof(float)] = 0x00;  // behind `at.x`
  second[offsetof(order, at) + sizeof(float)] = 0xff;
  ASSERT_NE(std::memcmp(first, second, sizeof(first)), 0);
  EXPECT_TRUE(perdure::equal(*a, *b)) << "what stands between fields is no field";

  const auto unlike = [](auto change) {
    order o = some();
    change(o);
    return !perdure::equal(o, some());
  };
  EXPECT_TRUE(unlike([](order& o) { ++o.cents; }));
  EXPECT_TRUE(unlike([](order& o) { o.at.y = 2; }));
  EXPECT_TRUE(unlike([](order& o) { ++o.grid[1][1]; }));
  EXPECT_TRUE(unlike([](order& o) { o.path[1].x = 0; }));
  EXPECT_TRUE(unlike([](order& o) { o.what = kind::savings; }));
  EXPECT_TRUE(unlike([](order& o) { o.how = wide_kind::none; }));
  EXPECT_TRUE(unlike([](order& o) { o.urgent = false; }));
  EXPECT_TRUE(unlike([](order& o) { ++o.letter; }));
  EXPECT_TRUE(unlike([](order& o) { ++o.by.bits; }));
  EXPECT_TRUE(unlike([](order& o) { o.whom = {}; }));
  EXPECT_TRUE(unlike([](order& o) { ++o.told.bits; }));
  EXPECT_TRUE(unlike([](order& o) { ++o.within; }));
  EXPECT_TRUE(unlike([](order& o) { o.limit = 0; }));
}

TEST(Fields, NumbersCompareAsNumbersDo) {
  const point zero{0.0F, 0.0}, minus{-0.0F, 0.0};
  const point nan{std::numeric_limits<float>::quiet_NaN(), 0.0};
  EXPECT_TRUE(perdure::equal(zero, minus));
  EXPECT_FALSE(perdure::equal(nan, nan));
}

}  // namespace
}  // namespace bank
