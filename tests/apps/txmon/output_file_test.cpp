// tests/apps/txmon/output_file_test.cpp - a file is there whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#include "common/output_file.hpp"

#include "failure.hpp"
#include "scratch.hpp"

namespace {

using txmon::failure;
using txmon::output_file;
using txmon::test::scratch;

std::size_t entries(const scratch& s) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{s.path()}, {}));
}

TEST(OutputFile, NothingIsThereBeforeCommitAndAllAfterIt) {
  const scratch s;
  output_file f{s.path() / "a.json"};
  f.write("first ");
  f.write("second");
  EXPECT_FALSE(std::filesystem::exists(s.path() / "a.json"));
  f.commit();
  EXPECT_EQ(s.read("a.json"), "first second");
  EXPECT_EQ(entries(s), 1U);
}

TEST(OutputFile, WithoutCommitTheOlderFileStaysAndNoPartIsLeft) {
  const scratch s;
  s.write("a.json", "older");
  {
    output_file f{s.path() / "a.json"};
    f.write("newer");
    f.close();
  }
  EXPECT_EQ(s.read("a.json"), "older");
  EXPECT_EQ(entries(s), 1U);
}

TEST(OutputFile, MissingDirectoriesAreMade) {
  const scratch s;
  output_file f{s.path() / "deep" / "er" / "a.json"};
  f.commit();
  EXPECT_TRUE(std::filesystem::exists(s.path() / "deep" / "er" / "a.json"));
}

TEST(OutputFile, TwoNamesOfAFileThatIsNotThereYetAreOne) {
  const scratch s;
  EXPECT_TRUE(apps::same_file("new.json", std::filesystem::current_path() / "new.json"));
  EXPECT_TRUE(apps::same_file(s.path() / "x" / ".." / "new.json", s.path() / "new.json"));
  EXPECT_FALSE(apps::same_file("new.json", s.path() / "new.json"));
}

TEST(OutputFile, ADirectoryADeviceOrAFileInTheWayIsRefused) {
  const scratch s;
  EXPECT_THROW(output_file{s.path()}, failure);
  EXPECT_THROW(output_file{"/dev/null"}, failure);
  s.write("file", "");
  EXPECT_THROW(output_file{s.path() / "file" / "a.json"}, failure);
}

TEST(OutputFile, AFullDiskIsAnErrorBeforeAnythingIsRenamed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const scratch s;
  // The temporary name leads to a device that is always full.
  const auto path = s.path() / "a.json";
  std::filesystem::create_symlink("/dev/full", path.string() + ".part-" + std::to_string(getpid()));
  output_file f{path};
  f.write("some text");
  EXPECT_THROW(f.commit(), failure);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
