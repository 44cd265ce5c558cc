// tests/apps/txmon/cli_refusal_test.cpp - runs that must fail, as a script sees them: codes, messages, and what stays untouched.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using nlohmann::json;
using txmon::test::has;
using txmon::test::header;
using txmon::test::run;
using txmon::test::scratch;
using txmon::test::without_stamps;

/// A run that must fail: its code, its message, and not a single file left behind.
void expect_refused(const std::string& arguments, int code, const std::string& part) {
  const scratch out;
  const auto e = run(arguments + " --out " + (out.path() / "o").string());
  EXPECT_EQ(e.code, code) << arguments << "\n" << e.text;
  EXPECT_TRUE(has(e.text, part)) << e.text;
  for (const auto& left : std::filesystem::recursive_directory_iterator{out.path()})
    EXPECT_TRUE(left.is_directory()) << arguments << ": " << left.path();
}

/// A small `txmon bench`. @return its exit code
int bench(const std::string& rest) {
  const std::string line =
      TXMON_PROGRAM
      " bench --backend cpu --only capacity --accounts 64 --transactions 10 --runs 1 " +
      rest + " >/dev/null";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(TxmonCli, WrongInputExitsWithOneAndWritesNothing) {
  const scratch s;
  const auto bad =
      s.write("bad.csv", std::string{header} +
                             "1,PAYMENT,1,C1,0,0,M1,0,0,0,0\n1,PAYMENT,two,C1,0,0,M1,0,0,0,0\n");
  expect_refused("--input " + bad, 1, "bad.csv:3:11: column 'amount': expected a decimal number");
  expect_refused("--input /nowhere.csv", 1,
                 "/nowhere.csv: cannot be opened: No such file or directory");
  expect_refused("--input " + s.write("empty.csv", ""), 1, "empty.csv:1: the input is empty");
  expect_refused("--input " + s.path().string(), 1, s.path().string());
}

TEST(TxmonCli, WrongUsageExitsWithTwoAndWritesNothing) {
  const scratch s;
  expect_refused("", 2, "--input is required");
  expect_refused("--input " TXMON_INPUT " --colour red", 2, "--colour");
  expect_refused("--input " TXMON_INPUT " --backend gpu", 2,
                 "--backend: gpu not in {auto,cpu,cuda}");
  expect_refused("--input " TXMON_INPUT " --seed many", 2, "--seed");
  expect_refused("--input " TXMON_INPUT " --seed -5", 2, "--seed");
  expect_refused("--input " TXMON_INPUT " --generate rows=5", 2, "--generate");
  expect_refused("--generate rows=5,colour=1", 2, "unknown key 'colour'");
  for (const std::string option : {"--speed", "--epoch-seconds"})
    expect_refused("--input " TXMON_INPUT " " + option + " nan", 2, option + ": ");
  for (const std::string value : {"zipf=nan", "rows=nan", "gap=-1", "seed=0.5"})
    expect_refused("--generate " + value, 2, ": expected a number from ");
  expect_refused("--input " TXMON_INPUT " --inbox-slots 100", 2, "inbox_slots");
  expect_refused("--input " TXMON_INPUT " --resume", 2, "--checkpoints");
  expect_refused("--input " TXMON_INPUT " --columns " + s.write("c.json", R"({"time": "t"})"), 2,
                 "c.json: key 'account': expected the name of a column");
  expect_refused("--input " TXMON_INPUT " --rules " + s.write("r.json", R"({"velocity": 1})"), 2,
                 "r.json: unknown key 'velocity'");
  for (const std::string option : {" --rules ", " --columns "})
    expect_refused("--input " TXMON_INPUT + option + s.path().string(), 2,
                   s.path().string() + ": cannot be read: Is a directory");
  EXPECT_EQ(run("--help").code, 0);
}

TEST(TxmonCli, APathThatIsEmptyIsNoOptionThatWasLeftOut) {
  for (const std::string option : {"--columns", "--alerts", "--rules", "--json", "--checkpoints"})
    expect_refused("--input " TXMON_INPUT " " + option + " ''", 2,
                   option + ": expected a path, found nothing");
  expect_refused("--input ''", 2, "--input: expected a path, found nothing");
  const auto e = run("--input " TXMON_INPUT " --out ''");
  EXPECT_EQ(e.code, 2) << e.text;
  EXPECT_TRUE(has(e.text, "--out: expected a path, found nothing")) << e.text;
  for (const std::string rest : {"--to ''", "--to /nowhere/x.bin --rules-to ''"})
    EXPECT_EQ(run("convert --input " TXMON_INPUT " " + rest).code, 2) << rest;
  EXPECT_EQ(bench("--json ''"), 2);
}

TEST(TxmonCli, AWholeNumberIsDecimalAndNoLargerThanItsType) {
  expect_refused("--input " TXMON_INPUT " --seed 18446744073709551616", 2, "--seed: expected");
  for (const std::string option : {"--workers", "--threads", "--lateness", "--seed"})
    expect_refused("--input " TXMON_INPUT " " + option + " 010", 2,
                   option + ": expected a whole number");
  EXPECT_EQ(bench("--accounts 0100"), 2);
  const scratch s;
  const auto e = run("--quiet --seed 18446744073709551615 --workers 0 --input " +
                     s.write("in.csv", header) + " --out " + s.path().string());
  EXPECT_EQ(e.code, 0) << e.text;
}

TEST(TxmonCli, WhatWouldBeReadByNobodyIsRefused) {
  const scratch s;
  expect_refused("--generate rows=5,rows=6", 2, "--generate: key 'rows' stands twice");
  expect_refused("--generate rows=5 --columns nope.json", 2, "excludes");
  const auto bin = (s.path() / "x.bin").string(), rules = (s.path() / "r.json").string();
  ASSERT_EQ(run("convert --quiet --generate rows=5 --to " + bin).code, 0);
  expect_refused("--input " + bin + " --columns nope.json", 2,
                 "--columns nope.json: " + bin + " is read as a binary file");
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    const auto e = run(arguments);
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, part)) << e.text;
  };
  const std::string convert = "convert --input " + bin + " --to " + (s.path() / "y.bin").string();
  refused(convert + " --rules-to " + rules, "--rules-to requires --generate");
  refused("--input x bench --only even", "--input: stands before 'bench', whose options stand");
  refused("--quiet " + convert, "stands before 'convert'");
  refused(convert + " bench", "not expected: bench");
  EXPECT_FALSE(std::filesystem::exists(rules));
  EXPECT_FALSE(std::filesystem::exists(s.path() / "y.bin"));
}

/// Places that are one: refused before a row is read, and the file is as it was.
TEST(TxmonCli, AFileIsNotBothReadAndWrittenNorWrittenTwice) {
  const scratch s;
  const std::string text = std::string{header} + "1,PAYMENT,1,C1,0,0,M1,0,0,0,0\n";
  const auto rows = s.write("rows.csv", text);
  const auto lines = s.write("rows.jsonl", text);
  const auto rules = s.write("rules.json", "{}");
  const auto out = " --out " + (s.path() / "o").string();
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    const auto e = run(arguments, "cd " + s.path().string() + " &&");
    EXPECT_EQ(e.code, 2) << arguments << "\n" << e.text;
    EXPECT_TRUE(has(e.text, part)) << e.text;
    EXPECT_TRUE(has(e.text, "it would be replaced")) << e.text;
  };
  refused("convert --input " + rows + " --to " + rows, "is --input and --to");
  refused("convert --input " + rows + " --to " + s.path().string() + "/./rows.csv", "--to");
  refused("--input " + rows + " --json " + rows + out, "is --input and --json");
  refused("--input " + lines + " --format csv --alerts " + lines + out, "is --input and --alerts");
  refused("--input " + rows + " --rules " + rules + " --json " + rules + out,
          "is --rules and --json");
  const auto same = (s.path() / "same.jsonl").string();
  refused("--input " + rows + " --alerts " + same + " --json " + same + out,
          "is --json and --alerts");
  refused("--input " + rows + " --alerts " + same + " --json same.jsonl" + out,
          "is --json and --alerts");
  EXPECT_FALSE(std::filesystem::exists(same));
  EXPECT_FALSE(std::filesystem::exists(s.path() / "o"));
  EXPECT_EQ(s.read("rows.csv"), text);
  EXPECT_EQ(s.read("rows.jsonl"), text);
  EXPECT_EQ(s.read("rules.json"), "{}");
}

TEST(TxmonCli, AnErrorLeavesTheFilesOfTheRunBefore) {
  const scratch s;
  s.write("alerts.jsonl", "older alerts");
  s.write("result.json", "older result");
  const auto bad = s.write("bad.csv", std::string{header} + "1,PAYMENT,two,C1,0,0,M1,0,0,0,0\n");
  EXPECT_EQ(run("--input " + bad + " --out " + s.path().string()).code, 1);
  EXPECT_EQ(s.read("alerts.jsonl"), "older alerts");
  EXPECT_EQ(s.read("result.json"), "older result");
}

TEST(TxmonCli, ADiskThatIsFullUnderTheStoreIsNamedAndTheOldStoreStays) {
  const scratch s;
  s.write("alerts.db", "older alerts");
  s.write("result.json", "older result");
  const auto db = (s.path() / "alerts.db").string();
  // Files of this process end at 64 blocks of 512 or 1024 bytes, far less than the alerts need.
  const auto e = run("--input " TXMON_INPUT " --out " + s.path().string() + " --alerts " + db,
                     "trap '' XFSZ; ulimit -f 64;");
  EXPECT_EQ(e.code, 1) << e.text;
  EXPECT_TRUE(has(e.text, "alerts.db: ")) << e.text;
  EXPECT_EQ(s.read("alerts.db"), "older alerts");
  EXPECT_EQ(s.read("result.json"), "older result");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 2);
}

TEST(TxmonCli, TheCopyMayBeTheResultItself) {
  const scratch s;
  const auto input = s.write("in.csv", header);
  const auto e = run("--input " + input + " --out " + s.path().string() + " --json " +
                     (s.path() / "." / "result.json").string());
  EXPECT_EQ(e.code, 0) << e.text;
  EXPECT_EQ(json::parse(s.read("result.json"))["transactions"], 0);
}

TEST(TxmonCli, AnOutputThatCannotBeMadeIsNamed) {
  const scratch s;
  const auto file = s.write("file", "");
  const auto e = run("--input " TXMON_INPUT " --out " + file + "/out");
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e.text, file)) << e.text;
}

TEST(TxmonCli, APlaceThatCannotBeWrittenIsFoundBeforeTheWork) {
  const scratch s;
  const auto file = s.write("file", "older");
  std::filesystem::create_directories(s.path() / "o" / "result.json");
  // The row would be refused if it were read.
  const auto input = s.write("in.csv", std::string{header} + "1,PAYMENT,two,C1,0,0,M1,0,0,0,0\n");
  const auto refused = [&](const std::string& rest, const std::string& place) {
    const auto e = run("--input " + input + " --alerts " + s.path().string() + "/a.jsonl" + rest);
    EXPECT_EQ(e.code, 1) << e.text;
    EXPECT_TRUE(has(e.text, "error: " + place)) << e.text;
    EXPECT_FALSE(std::filesystem::exists(s.path() / "a.jsonl")) << rest;
  };
  const auto at = s.path().string();
  refused(" --out " + at + "/o", at + "/o/result.json: is not a regular file");
  refused(" --out " + at + " --json " + file + "/r.json", file + "/r.json: the directory cannot");
  refused(" --out " + at + " --checkpoints " + file, file + "/checkpoint-0.bin: the directory");
  EXPECT_EQ(s.read("file"), "older");
  EXPECT_FALSE(std::filesystem::exists(s.path() / "result.json"));
}

TEST(TxmonCli, WhatStandardErrorDoesNotTakeChangesNeitherTheEndNorAFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const scratch s;
  const auto at = s.path().string();
  const auto bad = s.write("bad.csv", std::string{header} + "rubbish\n");
  // warns, of late rows, while its files are open
  const std::string late = "--quiet --generate rows=2000,disorder=500000";
  ASSERT_EQ(run(late + " --out " + at + "/right").code, 0);
  for (const std::string error : {"2>/dev/full", "2>&-"}) {
    const auto code = [&](const std::string& arguments) {
      const std::string line = TXMON_PROGRAM " " + arguments + " --out " + at + "/o " + error;
      const int status = std::system((line + " >/dev/null").c_str());
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    EXPECT_EQ(code("--backend cpu --lenient --input " + bad), 0) << error;
    EXPECT_EQ(code("--backend cpu --input " + bad), 1) << error;
    EXPECT_EQ(code("--backend cpu --workers 5000 --input " + bad), 2) << error;
    EXPECT_EQ(code("--backend cpu " + late), 0) << error;
    EXPECT_EQ(without_stamps(s.read("o/alerts.jsonl")),
              without_stamps(s.read("right/alerts.jsonl")))
        << error;
    EXPECT_EQ(bench(error), 0) << error;
  }
}

TEST(TxmonCli, WhatStandardOutputDoesNotTakeIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const scratch s;
  const auto input = s.write("in.csv", header), at = s.path().string();
  for (const std::string option : {"", " --json -"}) {
    const std::string command = TXMON_PROGRAM " --backend cpu --input " + input + " --out " + at +
                                option + " >/dev/full 2>" + at + "/told";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1);
    EXPECT_EQ(s.read("told"),
              "txmon: error: standard output cannot be written: No space left on device\n");
  }
}

}  // namespace
