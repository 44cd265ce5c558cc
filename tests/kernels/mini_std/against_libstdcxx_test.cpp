// tests/kernels/mini_std/against_libstdcxx_test.cpp - the cases built with both libraries print
//   the same records.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct group {
  const char* name;
  int number;
};

/// The lines that the program prints for a group; a status other than 0 is a line of its own.
std::vector<std::string> records(const char* program, int number) {
  std::vector<std::string> lines;
  FILE* out = ::popen((std::string{program} + " " + std::to_string(number)).c_str(), "r");
  if (out == nullptr) return {"cannot start " + std::string{program}};
  char text[128];
  while (std::fgets(text, sizeof(text), out) != nullptr) lines.emplace_back(text);
  if (const int status = ::pclose(out); status != 0)
    lines.push_back("status " + std::to_string(status));
  return lines;
}

class MiniStd : public testing::TestWithParam<group> {};

TEST_P(MiniStd, GivesWhatTheHostsLibraryGives) {
  const auto real = records(CASES_REAL, GetParam().number),
             mini = records(CASES_MINI, GetParam().number);
  ASSERT_GE(real.size(), 20U) << (real.empty() ? "" : real.back());
  ASSERT_EQ(real.size(), mini.size()) << mini.back();
  int shown = 0;
  for (std::size_t i = 0; i < real.size() && shown < 10; ++i) {
    EXPECT_EQ(real[i], mini[i]) << "in cases/ of this group, at that line";
    shown += real[i] != mini[i] ? 1 : 0;
  }
}
INSTANTIATE_TEST_SUITE_P(Groups, MiniStd,
                         testing::Values(group{"types", 0}, group{"values", 1},
                                         group{"algorithms", 2}, group{"numbers", 3},
                                         group{"functions", 4}),
                         [](const auto& of) { return std::string{of.param.name}; });

}  // namespace
