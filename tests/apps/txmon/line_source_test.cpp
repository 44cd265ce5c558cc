// tests/apps/txmon/line_source_test.cpp - every line once and whole; damage is an error, not an end.
// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include <vector>

#include "failure.hpp"
#include "scratch.hpp"

namespace {

using txmon::failure;
using txmon::line_source;
using txmon::test::scratch;

std::vector<std::string> lines_of(const std::string& path) {
  line_source in{path};
  std::vector<std::string> out;
  for (std::string_view line; in.next(line);) out.emplace_back(line);
  return out;
}
std::string error_of(const std::string& path) {
  try {
    lines_of(path);
  } catch (const failure& e) {
    return e.what();
  }
  return "no error";
}
std::string many_lines() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(LineSource, EndingsMayBeLfOrCrLfAndTheLastMayBeMissing) {
  const scratch s;
  const std::vector<std::string> expected{"a", "", "b", "c"};
  EXPECT_EQ(lines_of(s.write("lf", "a\n\nb\nc\n")), expected);
  EXPECT_EQ(lines_of(s.write("crlf", "a\r\n\r\nb\r\nc\r\n")), expected);
  EXPECT_EQ(lines_of(s.write("open", "a\n\nb\nc")), expected);
}

TEST(LineSource, GzipAndPlainGiveTheSameLinesAcrossManyBuffers) {
  const scratch s;
  const auto text = many_lines();
  const auto plain = lines_of(s.write("plain", text));
  EXPECT_EQ(plain.size(), 50'000U);
  EXPECT_EQ(plain[49'999], "line " + std::to_string(49'999 * 7919));
  EXPECT_EQ(lines_of(s.write_gzip("packed", text)), plain);
}

TEST(LineSource, AnEmptyFileHasNoLines) {
  const scratch s;
  EXPECT_TRUE(lines_of(s.write("empty", "")).empty());
}

TEST(LineSource, AGzipCutShortIsAnErrorWhereverItIsCut) {
  const scratch s;
  s.write_gzip("whole", many_lines());
  const auto bytes = s.read("whole");
  for (const std::size_t keep :
       {std::size_t{12}, bytes.size() / 2, bytes.size() - 9, bytes.size() - 1}) {
    const auto error = error_of(s.write("cut", bytes.substr(0, keep)));
    EXPECT_NE(error.find("cut short"), std::string::npos)
        << keep << " of " << bytes.size() << ": " << error;
  }
}

TEST(LineSource, AGzipWithAWrongByteIsAnError) {
  const scratch s;
  s.write_gzip("whole", many_lines());
  auto bytes = s.read("whole");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55);  // in the checksum
  EXPECT_NE(error_of(s.write("bad", bytes)).find("cannot be read any further"), std::string::npos);
}

TEST(LineSource, AGzipOfSeveralMembersGivesTheLinesOfAll) {
  const scratch s;
  const auto text = many_lines();
  s.write_gzip("first", text.substr(0, 100'003));  // in the midst of a line
  s.write_gzip("empty", "");
  s.write_gzip("second", text.substr(100'003));
  const auto all = s.read("first") + s.read("empty") + s.read("second");
  EXPECT_EQ(lines_of(s.write("all", all)), lines_of(s.write("plain", text)));
}

TEST(LineSource, WhatFollowsAGzipAndIsNoMemberIsRefused) {
  const scratch s;
  s.write_gzip("whole", many_lines());
  const auto member = s.read("whole");
  auto damaged = member;
  damaged[0] = static_cast<char>(damaged[0] ^ 1);
  for (const std::string& behind :
       {damaged, std::string{"plain text\n"}, std::string(512, '\0'), member.substr(0, 1)}) {
    const auto path = s.write("both", member + behind);
    EXPECT_EQ(error_of(path),
              path + ":50001: cannot be read any further: there are bytes behind the gzip stream");
  }
  EXPECT_NE(error_of(s.write("cut", member + member.substr(0, 20))).find("cut short"),
            std::string::npos);
}

TEST(LineSource, TextThatBeginsLikeAGzipIsText) {
  const scratch s;
  EXPECT_EQ(lines_of(s.write("one", "\x1f")), std::vector<std::string>{"\x1f"});
  EXPECT_EQ(lines_of(s.write("two", "\x1fz\nb")), (std::vector<std::string>{"\x1fz", "b"}));
}

TEST(LineSource, ALineTooLongIsCutAndTheNextOneIsWhole) {
  const scratch s;
  constexpr auto most = line_source::longest_line;
  for (const std::size_t size :
       {most + 1, most + 2, 4 * most - 2, 4 * most - 1, 4 * most, 9 * most + 17}) {
    for (const char* ending : {"\n", "\r\n"}) {
      const auto text = "short\n" + std::string(size, 'x') + ending + "b\n";
      const auto lines = lines_of(s.write("long", text));
      ASSERT_EQ(lines.size(), 3U) << size;
      EXPECT_EQ(lines[1], std::string(most + 1, 'x')) << size;
      EXPECT_EQ(lines[2], "b") << size;
    }
    EXPECT_EQ(lines_of(s.write("open", std::string(size, 'x'))).size(), 1U);
  }
  for (const char* ending : {"", "\n", "\r\n"}) {
    const auto lines = lines_of(s.write("fits", std::string(most, 'x') + ending));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].size(), most);
  }
}

TEST(LineSource, AMissingFileAndADirectoryAreNamed) {
  const scratch s;
  const auto missing = (s.path() / "nowhere.csv").string();
  EXPECT_EQ(error_of(missing), missing + ": cannot be opened: No such file or directory");
  EXPECT_NE(error_of(s.path().string()).find(s.path().string()), std::string::npos);
}

}  // namespace
