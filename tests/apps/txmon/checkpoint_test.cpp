// tests/apps/txmon/checkpoint_test.cpp - a checkpoint is read back as it was, or refused.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include "failure.hpp"
#include "records.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::scratch;

snapshot sample(std::uint64_t epoch) {
  snapshot s;
  s.epoch = epoch;
  s.input = "in.csv";
  s.reading = "columns";
  s.alerts = "/a.db";
  s.schedule = R"({"amount_limit": 5})";
  s.lateness_ms = 9;
  s.at = {10, 11, 21};
  s.next_number = 12;
  s.greatest_ms = 13;
  s.counts.alerts = 14;
  s.lengths = {15, 16};
  s.names = {"C1", "", "M2"};
  s.labels = {{17, 3}};
  s.held_back = {test::record({18, 19, 20})};
  s.states.resize(448 * 3, std::byte{7});
  return s;
}

TEST(Checkpoint, WhatIsWrittenIsReadBack) {
  const scratch s;
  const checkpoint_folder folder{s.path() / "deep"};
  folder.write(sample(4));
  const snapshot b = folder.read(4), a = sample(4);
  EXPECT_EQ(b.epoch, a.epoch);
  EXPECT_EQ(b.input, a.input);
  EXPECT_EQ(b.reading, a.reading);
  EXPECT_EQ(b.alerts, a.alerts);
  EXPECT_EQ(b.schedule, a.schedule);
  EXPECT_EQ(b.lateness_ms, a.lateness_ms);
  EXPECT_EQ(b.at.rows, a.at.rows);
  EXPECT_EQ(b.at.lines, a.at.lines);
  EXPECT_EQ(b.at.crc, a.at.crc);
  EXPECT_EQ(b.next_number, a.next_number);
  EXPECT_EQ(b.greatest_ms, a.greatest_ms);
  EXPECT_EQ(b.counts.alerts, a.counts.alerts);
  EXPECT_EQ(b.lengths.late, a.lengths.late);
  EXPECT_EQ(b.names, a.names);
  EXPECT_EQ(b.labels[0].row, 17U);
  ASSERT_EQ(b.held_back.size(), 1U);
  EXPECT_EQ(b.held_back[0].number.get(), 18U);
  EXPECT_EQ(b.states, a.states);
}

TEST(Checkpoint, TheNewestIsKnownAndOlderOnesGo) {
  const scratch s;
  const checkpoint_folder folder{s.path()};
  EXPECT_EQ(folder.newest(), std::nullopt);
  for (const std::uint64_t n : {1U, 9U, 10U}) folder.write(sample(n));
  s.write("checkpoint-x.bin", "");
  s.write("checkpoint-8.bin.part-4000000", "killed");
  EXPECT_EQ(folder.newest(), 10U);
  folder.keep_only(9);
  EXPECT_EQ(folder.newest(), 9U);
  EXPECT_TRUE(std::filesystem::exists(s.path() / "checkpoint-x.bin"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 2);
}

TEST(Checkpoint, AlertsOfAnotherEpochAreRefused) {
  const scratch s;
  const checkpoint_folder folder{s.path()};
  EXPECT_NO_THROW(folder.expect_unused());
  EXPECT_NO_THROW(folder.expect_epoch(0));
  EXPECT_THROW(folder.expect_epoch(1), failure);
  folder.write(sample(0));
  EXPECT_THROW(folder.expect_unused(), failure);
  EXPECT_NO_THROW(folder.expect_epoch(0));
  folder.write(sample(1));
  EXPECT_NO_THROW(folder.expect_epoch(0));  // killed before epoch 1 was committed
  EXPECT_NO_THROW(folder.expect_epoch(1));  // killed before the older one went
  folder.keep_only(1);
  EXPECT_THROW(folder.expect_epoch(0), failure);
  EXPECT_NO_THROW(folder.expect_epoch(1));
  EXPECT_THROW(folder.expect_epoch(2), failure);
  folder.write(sample(3));
  EXPECT_THROW(folder.expect_epoch(1), failure);
}

TEST(Checkpoint, AnyWrongByteAndAnyCutIsRefused) {
  const scratch s;
  const checkpoint_folder folder{s.path()};
  folder.write(sample(1));
  const std::string whole = s.read("checkpoint-1.bin");
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    s.write("checkpoint-1.bin", bad);
    EXPECT_THROW(folder.read(1), failure) << "byte " << at;
    s.write("checkpoint-1.bin", whole.substr(0, at));
    EXPECT_THROW(folder.read(1), failure) << "cut at " << at;
  }
  EXPECT_THROW(folder.read(2), failure);
}

TEST(Checkpoint, ThatOfAnotherVersionIsCalledSo) {
  const scratch s;
  const checkpoint_folder folder{s.path()};
  folder.write(sample(1));
  std::string text = s.read("checkpoint-1.bin");
  text[6] = '3';
  s.write("checkpoint-1.bin", text);
  try {
    folder.read(1);
    FAIL() << "no failure";
  } catch (const failure& e) {
    EXPECT_NE(std::string{e.what()}.find("was made by another version of txmon"), std::string::npos)
        << e.what();
  }
}

}  // namespace
