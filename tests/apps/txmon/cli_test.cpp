// tests/apps/txmon/cli_test.cpp - the program as a script sees it: files, messages, exit codes.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "scratch.hpp"

namespace {

using nlohmann::json;
using txmon::test::header;
using txmon::test::scratch;

struct ended {
  int code = -1;
  std::string text;  ///< standard output and standard error
};
/// Runs txmon on the CPU with these arguments, after `before` (such as "cat x |").
ended run(const std::string& arguments, const std::string& before = "") {
  const std::string command = before + " " TXMON_PROGRAM " --backend cpu " + arguments + " 2>&1";
  ended e;
  std::FILE* out = popen(command.c_str(), "r");
  char chunk[4096];
  for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, out)) > 0;) e.text.append(chunk, n);
  const int status = pclose(out);
  e.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return e;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A run that must fail: its code, its message, and not a single file left behind.
void expect_refused(const std::string& arguments, int code, const std::string& part) {
  const scratch out;
  const auto e = run(arguments + " --out " + (out.path() / "o").string());
  EXPECT_EQ(e.code, code) << arguments << "\n" << e.text;
  EXPECT_TRUE(has(e.text, part)) << e.text;
  EXPECT_FALSE(std::filesystem::exists(out.path() / "o")) << arguments;
}

TEST(TxmonCli, TheRealRowsLeaveAlertsAndResult) {
  const scratch s;
  const auto e = run("--verify --input " TXMON_INPUT " --out " + s.path().string() + " --json " +
                     (s.path() / "copy.json").string());
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(e.text, "equal to the oracle")) << e.text;
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(s.read("copy.json"), s.read("result.json"));
  EXPECT_EQ(result["transactions"], 19'999);
  EXPECT_EQ(result["accounts"], 32'870);
  EXPECT_EQ(result["backend"], "cpu");
  EXPECT_EQ(result["verified_against_oracle"], true);
  EXPECT_EQ(result["labels"]["fraud"], 81);

  std::istringstream lines{s.read("alerts.jsonl")};
  json by_rule{{"amount", 0}, {"velocity", 0}, {"deviation", 0}};
  std::uint64_t count = 0, last = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json a = json::parse(line);
    EXPECT_GE(a["transaction"].get<std::uint64_t>(), last);
    last = a["transaction"];
    by_rule[a["rule"].get<std::string>()] = by_rule[a["rule"].get<std::string>()].get<int>() + 1;
    EXPECT_GT(a["value"].get<double>(), a["limit"].get<double>());
  }
  EXPECT_EQ(result["alerts"], count);
  EXPECT_EQ(result["alerts_by_rule"], by_rule);
}

TEST(TxmonCli, TheSameInputGivesTheSameBytesAgain) {
  const scratch a, b;
  ASSERT_EQ(run("--quiet --input " TXMON_INPUT " --out " + a.path().string()).code, 0);
  ASSERT_EQ(run("--quiet --input - --out " + b.path().string(), "cat " TXMON_INPUT " |").code, 0);
  EXPECT_FALSE(a.read("alerts.jsonl").empty());
  EXPECT_EQ(a.read("alerts.jsonl"), b.read("alerts.jsonl"));
  EXPECT_EQ(json::parse(a.read("result.json"))["checksum"],
            json::parse(b.read("result.json"))["checksum"]);
}

TEST(TxmonCli, ARuleFileChangesWhatFires) {
  const scratch s;
  const auto rules = s.write("rules.json", R"({"amount_limit_cents": 100, "velocity_limit": 1})");
  const auto input =
      s.write("in.csv", std::string{header} +
                            "1,PAYMENT,1,C1,0,0,M1,0,0,0,0\n1,PAYMENT,2,C2,0,0,M1,0,0,1,0\n");
  const auto e =
      run("--verify --input " + input + " --rules " + rules + " --out " + s.path().string());
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_EQ(s.read("alerts.jsonl"),
            "{\"transaction\":2,\"account\":\"M1\",\"rule\":\"velocity\",\"side\":\"credit\","
            "\"time_ms\":3600000,\"value\":2,\"limit\":1}\n"
            "{\"transaction\":2,\"account\":\"C2\",\"rule\":\"amount\",\"side\":\"debit\",\"time_"
            "ms\":3600000,\"value\":200,\"limit\":100}\n");
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["labels"]["precision"], 1.0);
  EXPECT_EQ(result["labels"]["recall"], 1.0);
}

TEST(TxmonCli, AnInputWithoutTransactionsIsNoError) {
  const scratch s;
  const auto e = run("--quiet --input " + s.write("in.csv", header) + " --out " +
                     s.path().string() + " --json -");
  ASSERT_EQ(e.code, 0) << e.text;
  const json result = json::parse(e.text);
  EXPECT_EQ(result["transactions"], 0);
  EXPECT_TRUE(result["labels"]["precision"].is_null());
  EXPECT_EQ(s.read("alerts.jsonl"), "");
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
  expect_refused("--input " TXMON_INPUT " --rules " + s.write("r.json", R"({"velocity": 1})"), 2,
                 "r.json: unknown key 'velocity'");
  EXPECT_EQ(run("--help").code, 0);
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

}  // namespace
