// tests/runtime/jit/hash_test.cpp - the hash against its published vectors.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/hash.hpp"

#include <gtest/gtest.h>

#include "runtime/jit/compile.hpp"

namespace perdure::runtime::jit {
namespace {

TEST(Hash, IsFnv1aOf128Bits) {  // draft-eastlake-fnv, test vectors
  EXPECT_EQ(hash128{}.hex(), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(hash128{}.bytes("a").hex(), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(hash128{}.bytes("foobar").hex(), "343e1662793c64bf6f0d3597ba446f18");
}
TEST(Hash, TwoTextsDoNotRunIntoOneAnother) {
  EXPECT_NE(hash128{}.text("ab").text("c"), hash128{}.text("a").text("bc"));
  EXPECT_NE(hash128{}.text("").text("a"), hash128{}.text("a").text(""));
}
TEST(Hash, OfACubinIsOfAllItsBytesAndOfNothingElse) {
  cubin code;
  for (const char c : {'f', 'o', 'o', 'b', 'a', 'r'})
    code.bytes.push_back(static_cast<std::uint8_t>(c));
  const std::string foobar = "343e1662793c64bf6f0d3597ba446f18";  // as above
  EXPECT_EQ(code.hash(), foobar);
  code.arch = "sm_90";
  code.log = "ptxas info";
  code.from_cache = true;
  EXPECT_EQ(code.hash(), foobar) << "the same code from the cache is the same code";
  code.bytes.push_back(0);
  EXPECT_NE(code.hash(), foobar) << "a zero byte is a byte";
}

}  // namespace
}  // namespace perdure::runtime::jit
