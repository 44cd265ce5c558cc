// tests/runtime/replay/recording_file_test.cpp - what is no recording, or not all of one, is said to be that and does no harm.
// Why: such a file comes from another machine, another version, or a full disk.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tests/runtime/replay/passing_on.hpp"

namespace replay_test {
namespace {

using perdure::errc;

void expect_bad(const perdure::result<perdure::replay_report>& r, const std::string& text) {
  ASSERT_FALSE(r.has_value()) << text;
  EXPECT_EQ(r.error().code(), errc::bad_recording) << r.error().message();
  EXPECT_NE(r.error().context().find(text), std::string::npos) << r.error().context();
}

TEST_F(PassingOn, IsGoneThroughAgainWithTheSameLines) {
  record();
  std::map<std::uint64_t, std::string> again;
  perdure::replay_options look;
  look.on_log = [&](const perdure::log_record& r) { again.emplace(r.at.bits, r.text); };
  const auto report = perdure::replay(program.done(), file, look);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(report->messages, passes + 1);
  EXPECT_EQ(report->compared, 3U);
  EXPECT_EQ(report->differ, 0U);
  EXPECT_EQ(again.size(), passes + 1);
  EXPECT_EQ(again, lines);
}

TEST_F(PassingOn, AFileThatIsCutOffAnywhereIsRefused) {
  record();
  const auto all = bytes();
  for (std::size_t n = 0; n < all.size(); ++n) {
    SCOPED_TRACE(n);
    write({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)});
    const auto report = perdure::replay(program.done(), file);
    ASSERT_FALSE(report.has_value());
    ASSERT_EQ(report.error().code(), errc::bad_recording) << report.error().message();
  }
}

/// No byte of it is believed: whatever one says, the replay is refused, diverges, comes to something else, or to the same.
TEST_F(PassingOn, AByteThatIsAnotherDoesNoHarm) {
  record();
  const auto all = bytes();
  std::size_t noticed = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE(n);
      auto other = all;
      other[n] = static_cast<char>(other[n] ^ flip);
      write(other);
      const auto report = perdure::replay(program.done(), file);
      noticed += !report || report->differ != 0 || report->compared != 3 ? 1 : 0;
    }
  }
  // what is between fields and behind names, and stamps that nobody asks for, may be anything
  EXPECT_GT(noticed, all.size() * 3 / 2);
}

TEST_F(PassingOn, IsOfNoOtherProgram) {
  record();
  struct umpire : perdure::actor<umpire> {
    void on(const ball&, perdure::context&) {}
  };
  contract::registry others;
  others.actor<player, ball>().actor<umpire, ball>();
  expect_bad(perdure::replay(others.done(), file), "with other actors, messages or handlers");
}

TEST_F(PassingOn, WhatIsNoRecordingIsSaidToBeNone) {
  expect_bad(perdure::replay(program.done(), file), "there is no such file");
  write(std::vector<char>(5'000, 'x'));
  expect_bad(perdure::replay(program.done(), file), "this is no recording");
  write({});
  expect_bad(perdure::replay(program.done(), file), "it has no end");
  expect_bad(perdure::replay(program.done(), std::filesystem::temp_directory_path()),
             "there is no such file");
}

TEST_F(PassingOn, WhereThereCanBeNoFileNothingStarts) {
  auto o = contract::tight(perdure::schedule::seeded, 1);
  write({'o', 'l', 'd'});
  for (const std::filesystem::path& nowhere :
       {std::filesystem::path{"/dev/null"}, file / "in_no_folder", file.parent_path()}) {
    o.record = nowhere;
    const auto sys = perdure::system::start(program.done(), o);
    ASSERT_FALSE(sys.has_value()) << nowhere;
    EXPECT_EQ(sys.error().code(), errc::cannot_write) << sys.error().message();
    EXPECT_NE(sys.error().context().find(nowhere.string()), std::string::npos);
  }
  o.record = file;
  o.record_slots = 3;
  const auto few = perdure::system::start(program.done(), o);
  ASSERT_FALSE(few.has_value());
  EXPECT_EQ(few.error().code(), errc::bad_option);
  EXPECT_NE(few.error().context().find("record_slots is 3"), std::string::npos);
}

/// It comes with the stop, as a whole, and in place of what was there.
TEST_F(PassingOn, IsThereWhenTheSystemHasStopped) {
  write({'o', 'l', 'd'});
  auto o = contract::tight(perdure::schedule::seeded, 1);
  o.record = file;
  {
    auto sys = perdure::system::start(program.done(), o).value();
    EXPECT_EQ(bytes().size(), 3U);
    EXPECT_EQ(parts(), 1U);
  }
  EXPECT_GT(bytes().size(), 3U);
  EXPECT_EQ(parts(), 0U);
}

TEST_F(PassingOn, ATraceThatCannotBeWrittenIsAnError) {
  record();
  perdure::replay_options look;
  look.trace = file / "trace.json";  // in what is no folder
  auto report = perdure::replay(program.done(), file, look);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), errc::cannot_write) << report.error().message();
  look.trace = "/dev/null";  // and it stays what it is
  report = perdure::replay(program.done(), file, look);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), errc::cannot_write) << report.error().message();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace replay_test
