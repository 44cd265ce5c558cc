// tests/codegen/golden_test.cpp - the device unit of a header is exactly the text that was agreed on.
// Why: slicing is judged by eye once, and by this test from then on.
// To accept a change on purpose: PERDURE_UPDATE_GOLDEN=1 and read the diff.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>

#include "run_tool.hpp"

namespace perdure::test {
namespace {

std::string normalised(const std::string& text) {
  static const std::regex line{R"re((#line \d+ ")[^"\n]*/([^"/\n]*"))re"};
  return std::regex_replace(text, line, "$1$2");
}

void expect_same_text(const fs::path& expected, const std::string& got) {
  std::istringstream a{read(expected)}, b{got};
  std::string left, right;
  for (int n = 1;; ++n) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left && !more_right) return;
    if (!more_left) left.clear();
    if (!more_right) right.clear();
    ASSERT_EQ(left, right) << expected << ", line " << n;
  }
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, DeviceUnitIsTheAgreedText) {
  const fs::path folder{PERDURE_GOLDEN_DIR};
  const auto expected = folder / (GetParam() + ".expected.cu");
  const scratch here;
  const auto done =
      run_tool(here, {(folder / (GetParam() + ".hpp")).string(), "-o", (here / "out").string()});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto got = normalised(read(here / "out" / (GetParam() + ".actors.cu")));
  if (std::getenv("PERDURE_UPDATE_GOLDEN") != nullptr) write(expected, got);
  expect_same_text(expected, got);
}

INSTANTIATE_TEST_SUITE_P(Headers, Golden,
                         testing::Values("rally", "mixed", "wide", "long_faces", "short_faces"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace perdure::test
