// tests/codegen/dimensions_test.cpp - arrays of arrays keep every scalar, whatever is merged or unrolled.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "codegen/frontend/dimensions.hpp"

namespace perdure::codegen::frontend {
namespace {

std::vector<field> spread(const dimensions& d, const std::string& path, std::uint64_t size) {
  field scalar;
  scalar.size = size;
  std::vector<field> out;
  d.spread(path, 0, scalar, out);
  return out;
}

std::multiset<std::uint64_t> offsets(const std::vector<field>& fields) {
  std::multiset<std::uint64_t> all;
  for (const auto& f : fields) {
    for (std::uint64_t i = 0; i < f.count; ++i) all.insert(f.offset + i * f.stride);
  }
  return all;
}

TEST(Dimensions, NoArrayIsOneScalar) {
  const auto fields = spread({}, "x", 4);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].count, 1U);
  EXPECT_EQ(fields[0].stride, 4U);
}

TEST(Dimensions, ContiguousOnesMergeIntoOneName) {
  const auto fields = spread(dimensions{}.with(2, 24).with(3, 8).with(2, 4), "a[][][]", 4);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "a[]");
  EXPECT_EQ(fields[0].count, 12U);
  EXPECT_EQ(fields[0].stride, 4U);
}

TEST(Dimensions, TheLongestStaysAndTheOthersAreUnrolled) {
  const auto fields = spread(dimensions{}.with(100, 16).with(2, 4), "p[].v[]", 4);
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name, "p[].v[0]");
  EXPECT_EQ(fields[1].name, "p[].v[1]");
  EXPECT_EQ(fields[1].offset, 4U);
  EXPECT_EQ(fields[1].count, 100U);
  EXPECT_EQ(fields[1].stride, 16U);
}

TEST(Dimensions, EveryScalarIsThereExactlyOnce) {
  const auto d = dimensions{}.with(3, 100).with(4, 20).with(2, 8);
  std::multiset<std::uint64_t> want;
  for (std::uint64_t i = 0; i < 3; ++i) {
    for (std::uint64_t j = 0; j < 4; ++j) {
      for (std::uint64_t k = 0; k < 2; ++k) want.insert(i * 100 + j * 20 + k * 8);
    }
  }
  EXPECT_EQ(offsets(spread(d, "a[].b[].c[]", 4)), want);
}

}  // namespace
}  // namespace perdure::codegen::frontend
