// tests/runtime/jit/headers_test.cpp - the embedded headers are the files of the tree, byte for
//   byte.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/runtime/jit/fixture.hpp"

namespace perdure::runtime::jit {
namespace {

namespace fs = std::filesystem;

/// Where a header of that name lies in the tree.
fs::path file_of(const std::string& name) {
  const fs::path root{PERDURE_ROOT};
  if (name.starts_with("kernels/")) return root / name;
  if (name.starts_with("perdure/")) return root / "dsl/include" / name;
  return root / "kernels/mini_std" / name;
}

TEST(EmbeddedHeaders, AreTheFilesByteForByteSortedByName) {
  std::string last;
  for (const auto& h : embedded_headers()) {
    EXPECT_LT(last, std::string{h.name});
    last = h.name;
    ASSERT_TRUE(fs::exists(file_of(h.name))) << h.name;
    EXPECT_TRUE(slurp(file_of(h.name)) == h.text) << h.name;
  }
}
TEST(EmbeddedHeaders, AreAllOfThem) {
  std::set<std::string> names;
  for (const auto& h : embedded_headers()) names.insert(h.name);
  for (const char* needed :
       {"kernels/unit.cuh", "kernels/entry.cuh", "kernels/abi/errors.def", "perdure/actor.hpp",
        "perdure/detail/keys.hpp", "array", "perdure_std", "detail/sort"}) {
    EXPECT_EQ(names.count(needed), 1U) << needed;
  }
  const fs::path root{PERDURE_ROOT};
  for (const auto& e : fs::recursive_directory_iterator{root / "kernels"}) {
    if (e.path().extension() != ".cuh") continue;
    EXPECT_EQ(names.count(fs::relative(e.path(), root).string()), 1U) << e.path();
  }
}

}  // namespace
}  // namespace perdure::runtime::jit
