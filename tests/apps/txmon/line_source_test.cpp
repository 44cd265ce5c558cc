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
  EXPECT_NE(error_of(s.write("bad", bytes)).find("cannot be read on"), std::string::npos);
}

TEST(LineSource, ALineWithoutEndIsRefusedWithItsNumber) {
  const scratch s;
  const auto path = s.write("long", "short\n" + std::string(line_source::longest_line + 1, 'x'));
  EXPECT_NE(error_of(path).find("long:2: expected a line of at most 65536 bytes"),
            std::string::npos);
  EXPECT_EQ(lines_of(s.write("fits", std::string(line_source::longest_line, 'x') + "\n")).size(),
            1U);
}

TEST(LineSource, AMissingFileAndADirectoryAreNamed) {
  const scratch s;
  const auto missing = (s.path() / "nowhere.csv").string();
  EXPECT_EQ(error_of(missing), missing + ": cannot be opened: No such file or directory");
  EXPECT_NE(error_of(s.path().string()).find(s.path().string()), std::string::npos);
}

}  // namespace
