// tests/generated/processes_test.cpp - a few processes at a time, each one's end told with its code and its text.
// SPDX-License-Identifier: Apache-2.0
#include "tests/generated/processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

using perdure::generated::run_processes;

struct end {
  int code = -1;
  std::string text;
};

std::vector<end> run_scripts(const std::vector<std::string>& scripts, unsigned jobs) {
  std::vector<std::vector<std::string>> lists;
  for (const auto& s : scripts) lists.push_back({"-c", s});
  std::vector<end> ends(scripts.size());
  run_processes("/bin/sh", lists, jobs, [&](std::size_t which, int code, const std::string& text) {
    EXPECT_EQ(ends[which].code, -1) << "told twice";
    ends[which] = {code, text};
  });
  return ends;
}

class Processes : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  /// Puts a file down and waits until the other one is there: the two end only if they run at the same time.
  std::string meet(const char* mine, const char* other) const {
    return "cd " + folder.string() + "; : > " + mine + "; for i in $(seq 1000); do [ -e " + other +
           " ] && exit 0; sleep 0.01; done; exit 3";
  }
  std::filesystem::path folder;
};

TEST_F(Processes, EachEndIsToldWithItsCodeAndAllItsText) {
  const auto ends = run_scripts({"echo out; echo err >&2; exit 0", "echo nine; exit 9",
                                 "echo last; kill -9 $$", "seq 100000"},
                                2);
  EXPECT_EQ(ends[0].code, 0);
  EXPECT_EQ(ends[0].text, "out\nerr\n");
  EXPECT_EQ(ends[1].code, 9);
  EXPECT_EQ(ends[1].text, "nine\n");
  EXPECT_EQ(ends[2].code, 128 + 9);
  EXPECT_EQ(ends[2].text, "last\n");
  EXPECT_EQ(ends[3].code, 0);
  EXPECT_EQ(ends[3].text.size(), 588'895U) << "more than any pipe holds";
}

TEST_F(Processes, AProgramThatIsNotThereEndsWith127) {
  int code = -1;
  run_processes("/nowhere/program", {{}}, 1, [&](auto, int c, const auto&) { code = c; });
  EXPECT_EQ(code, 127);
}

TEST_F(Processes, AsManyAsAskedForRunAtTheSameTime) {
  const auto ends = run_scripts({meet("a", "b"), meet("b", "a")}, 2);
  EXPECT_EQ(ends[0].code, 0);
  EXPECT_EQ(ends[1].code, 0);
}

TEST_F(Processes, NeverMoreThanAskedForRunAtTheSameTime) {
  const std::string one = "cd " + folder.string() +
                          "; : > $$; sleep 0.05; n=$(ls | wc -l); rm $$; [ $n -le 2 ] || exit 4";
  for (const end& e : run_scripts(std::vector<std::string>(7, one), 2)) EXPECT_EQ(e.code, 0);
}

}  // namespace
