// tests/apps/txmon/cli_test.cpp - the program as a script sees it: files, messages, exit codes.
// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using nlohmann::json;
using txmon::test::ended;
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

TEST(TxmonCli, TheRealRowsLeaveAlertsAndResult) {
  const scratch s;
  const auto e = run("--verify --input " TXMON_INPUT " --out " + s.path().string() + " --json " +
                     (s.path() / "copy.json").string());
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(e.text, "equal to the oracle")) << e.text;
  EXPECT_TRUE(has(e.text, "rapid_movement")) << e.text;
  EXPECT_TRUE(has(e.text, "precision")) << e.text;
  const json result = json::parse(s.read("result.json"));
  EXPECT_FALSE(result.at("commit").get<std::string>().empty());
  EXPECT_GT(result.at("host").at("threads").get<int>(), 0);
  EXPECT_EQ(s.read("copy.json"), s.read("result.json"));
  EXPECT_EQ(result["transactions"], 19'999);
  EXPECT_EQ(result["accounts"], 32'870);
  EXPECT_EQ(result["backend"], "cpu");
  EXPECT_EQ(result["verified_against_oracle"], true);
  EXPECT_EQ(result["labels"]["fraud"], 81);

  std::istringstream lines{s.read("alerts.jsonl")};
  json by_rule;
  for (const auto& [name, n] : result["alerts_by_rule"].items()) by_rule[name] = 0;
  ASSERT_EQ(by_rule.size(), 7U);
  std::uint64_t count = 0;
  std::pair<std::int64_t, std::uint64_t> last{0, 0};
  for (std::string line; std::getline(lines, line); ++count) {
    const json a = json::parse(line);
    const std::pair<std::int64_t, std::uint64_t> now{a["time_ms"], a["transaction"]};
    EXPECT_GE(now, last);
    last = now;
    by_rule[a["rule"].get<std::string>()] = by_rule[a["rule"].get<std::string>()].get<int>() + 1;
    EXPECT_GE(a["value"].get<double>(), a["limit"].get<double>());
    EXPECT_EQ(a["evidence"].back(), a["transaction"]);
    EXPECT_GT(a["score"].get<int>(), 0);
    EXPECT_LE(a["score"].get<int>(), 100);
    EXPECT_GT(a["hlc"].get<std::uint64_t>(), 0U);
  }
  EXPECT_EQ(result["alerts"], count);
  EXPECT_EQ(result["alerts_by_rule"], by_rule);
}

TEST(TxmonCli, TheSameInputGivesTheSameAlertsAgainWhateverTheThreads) {
  const scratch a, b, c;
  ASSERT_EQ(run("--quiet --input " TXMON_INPUT " --out " + a.path().string()).code, 0);
  ASSERT_EQ(run("--quiet --input - --out " + b.path().string(), "cat " TXMON_INPUT " |").code, 0);
  ASSERT_EQ(run("--quiet --threads 4 --lanes 3 --inbox-slots 64 --workers 5 --input - --out " +
                    c.path().string(),
                "zcat " TXMON_INPUT " |")
                .code,
            0);
  const json right = json::parse(a.read("result.json"))["checksum"];
  EXPECT_EQ(json::parse(b.read("result.json"))["checksum"], right);
  EXPECT_EQ(json::parse(c.read("result.json"))["checksum"], right);
  EXPECT_EQ(without_stamps(a.read("alerts.jsonl")), without_stamps(c.read("alerts.jsonl")));
  EXPECT_GT(a.read("alerts.jsonl").size(), 1'000'000U);
}

TEST(TxmonCli, ADatabaseHoldsWhatTheLinesHold) {
  const scratch s;
  const auto db = (s.path() / "deep" / "alerts.db").string();
  ASSERT_EQ(run("--quiet --input " TXMON_INPUT " --out " + s.path().string()).code, 0);
  ASSERT_EQ(
      run("--quiet --input " TXMON_INPUT " --out " + s.path().string() + " --alerts " + db).code,
      0);
  std::istringstream lines{s.read("alerts.jsonl")};
  std::string from_lines, from_db;
  for (std::string line; std::getline(lines, line);) {
    const json a = json::parse(line);
    for (const char* key :
         {"transaction", "account", "side", "rule", "severity", "score", "value", "evidence"})
      from_lines += (a[key].is_string() ? a[key].get<std::string>() : a[key].dump()) + "|";
  }
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open_v2(db.c_str(), &file, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto add = [](void* to, int n, char** values, char**) {
    for (int i = 0; i < n; ++i) *static_cast<std::string*>(to) += std::string{values[i]} + "|";
    return 0;
  };
  sqlite3_exec(
      file,
      "SELECT number, account, side, rule, severity, score, value, evidence FROM alert ORDER BY time_ms, number, side DESC, "
      "CASE rule WHEN 'velocity' THEN 0 WHEN 'amount' THEN 1 WHEN 'structuring' THEN 2 WHEN 'deviation' THEN 5 "
      "ELSE 6 END",
      add, &from_db, nullptr);
  sqlite3_close(file);
  EXPECT_EQ(from_db, from_lines);
  EXPECT_GT(from_db.size(), 100'000U);
}

TEST(TxmonCli, ARuleFileChangesWhatFires) {
  const scratch s;
  const auto rules = s.write("rules.json", R"({"amount_limit": 1, "velocity_limit": 1,
    "changes": [{"from_ms": 7200000, "velocity_limit": 29, "customers": {"C3": {"amount_limit": 3}}}]})");
  const auto input =
      s.write("in.csv", std::string{header} +
                            "1,PAYMENT,1,C1,0,0,M1,0,0,0,0\n1,PAYMENT,2,C2,0,0,M1,0,0,1,0\n"
                            "2,PAYMENT,2,C3,0,0,M1,0,0,0,0\n2,PAYMENT,4,C3,0,0,M1,0,0,0,0\n");
  const auto e =
      run("--verify --input " + input + " --rules " + rules + " --out " + s.path().string());
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_EQ(
      without_stamps(s.read("alerts.jsonl")),
      R"({"transaction":2,"time_ms":3600000,"account":"C2","side":"debit","rule":"amount","severity":"high",)"
      R"("reason":"","score":30,"value":200,"limit":100,"from_ms":3600000,"counterparty":"M1","evidence":[2])"
      "}\n"
      R"({"transaction":2,"time_ms":3600000,"account":"M1","side":"credit","rule":"velocity","severity":"high",)"
      R"("reason":"","score":30,"value":2,"limit":1,"from_ms":3600000,"counterparty":"C2","evidence":[1,2])"
      "}\n"
      R"({"transaction":4,"time_ms":7200000,"account":"C3","side":"debit","rule":"amount","severity":"medium",)"
      R"("reason":"","score":20,"value":400,"limit":300,"from_ms":7200000,"counterparty":"M1","evidence":[4])"
      "}\n");
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["labels"]["precision"], 0.5);
  EXPECT_EQ(result["labels"]["recall"], 1.0);
  EXPECT_EQ(result["rules"].size(), 2U);
}

TEST(TxmonCli, ABinaryFileGivesWhatItsCsvGives) {
  const scratch s;
  const auto bin = (s.path() / "x.bin").string();
  const auto made = run("convert --input " TXMON_INPUT " --to " + bin);
  ASSERT_EQ(made.code, 0) << made.text;
  EXPECT_TRUE(has(made.text, "19999 rows, 32870 accounts")) << made.text;
  ASSERT_EQ(
      run("--verify --quiet --threads 3 --input " + bin + " --out " + (s.path() / "b").string())
          .code,
      0);
  ASSERT_EQ(run("--quiet --input " TXMON_INPUT " --out " + (s.path() / "c").string()).code, 0);
  EXPECT_EQ(json::parse(s.read("b/result.json"))["checksum"],
            json::parse(s.read("c/result.json"))["checksum"]);
  EXPECT_EQ(json::parse(s.read("b/result.json"))["labels"],
            json::parse(s.read("c/result.json"))["labels"]);
}

TEST(TxmonCli, AGeneratedStreamIsTheSameFromItsFile) {
  const scratch s;
  const auto bin = (s.path() / "x.bin").string(), rules = (s.path() / "rules.json").string();
  const std::string spec = " --generate rows=30000,accounts=2000,fraud=200 ";
  ASSERT_EQ(run("convert" + spec + "--to " + bin + " --rules-to " + rules).code, 0);
  const auto e = run("--verify" + spec + "--out " + (s.path() / "a").string());
  ASSERT_EQ(e.code, 0) << e.text;
  ASSERT_EQ(
      run("--quiet --input " + bin + " --rules " + rules + " --out " + (s.path() / "b").string())
          .code,
      0);
  const json a = json::parse(s.read("a/result.json")), b = json::parse(s.read("b/result.json"));
  EXPECT_EQ(a["checksum"], b["checksum"]);
  EXPECT_EQ(a["labels"], b["labels"]);
  EXPECT_EQ(a["labels"]["recall"], 1.0);
  EXPECT_EQ(a["labels"]["by_kind"].size(), 7U);
}

TEST(TxmonCli, LenientCountsWhatItSkipsAndLateRowsGoToTheSideOutput) {
  const scratch s;
  const auto input = s.write(
      "in.csv", std::string{header} +
                    "5,PAYMENT,1,C1,0,0,M1,0,0,0,0\nrubbish\n5,PAYMENT,-2,C2,0,0,M1,0,0,0,0\n"
                    "4,PAYMENT,2,C3,0,0,M1,0,0,0,0\n3,PAYMENT,4,C3,0,0,M1,0,0,0,0\n");
  const auto e =
      run("--verify --lenient --lateness 3600000 --input " + input + " --out " + s.path().string());
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(e.text, "skipped: " + input + ":3: expected 11 fields")) << e.text;
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["transactions"], 3);
  EXPECT_EQ(result["skipped_lines"], 2);
  EXPECT_EQ(result["late"], 1);
  EXPECT_EQ(
      s.read("alerts.late.jsonl"),
      "{\"transaction\":3,\"time_ms\":10800000,\"account\":\"C3\",\"counterparty\":\"M1\",\"cents\":400}\n");
}

TEST(TxmonCli, ASignalReadsTheRulesAgain) {
  const scratch s;
  const auto rules = s.write("rules.json", R"({"amount_limit": 100})");
  const auto at = s.path().string();
  // The pipe waits until the rules have changed; the store is there once the program listens to signals.
  const std::string input = "{ echo '" + std::string{header.substr(0, header.size() - 1)} +
                            "'; echo 1,PAYMENT,99,C1,0,0,M1,0,0,0,0; while [ ! -e " + at +
                            "/go ]; do sleep 0.05; done; echo 2,PAYMENT,99,C9,0,0,M1,0,0,0,0; } |";
  const std::string meanwhile =
      " & p=$!; until [ -e " + at + "/a.jsonl ]; do sleep 0.05; done; echo '" +
      R"({"amount_limit": 100, "changes": [{"from_ms": 7200000, "amount_limit": 50}]})" + "' > " +
      rules + "; kill -HUP $p; sleep 0.2; touch " + at + "/go; wait $p";
  const auto e = run("--input - --rules " + rules + " --checkpoints " + at + "/c --alerts " + at +
                         "/a.jsonl --out " + at + meanwhile,
                     input);
  ASSERT_EQ(e.code, 0) << e.text;
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["rules"].size(), 2U) << e.text;
  EXPECT_EQ(result["alerts_by_rule"]["amount"], 1);
}

TEST(TxmonCli, OnASilentPipeTooASignalTellsWhatBecameOfTheRules) {
  const scratch s;
  const auto rules = s.write("rules.json", R"({"amount_limit": 100})");
  const auto at = s.path().string(), told = at + "/told";
  const std::string silent = "{ echo '" + std::string{header.substr(0, header.size() - 1)} +
                             "'; while [ ! -e " + at + "/go ]; do sleep 0.05; done; } |";
  const auto until_told = [&](const std::string& what) {
    return "i=0; until grep -q '" + what + "' " + told +
           " || [ $i = 400 ]; do sleep 0.05; i=$((i+1)); done; ";
  };
  const auto e =
      run("--input - --rules " + rules + " --checkpoints " + at + "/c --alerts " + at +
              "/a.jsonl --out " + at + " 2>" + told + " & p=$!; until [ -e " + at +
              "/c/checkpoint-0.bin ]; do sleep 0.05; done; echo '{' >" + rules +
              "; kill -HUP $p; " + until_told("not taken") + "echo '{\"amount_limit\": 50}' >" +
              rules + "; kill -HUP $p; " + until_told("in force") + "touch " + at + "/go; wait $p",
          silent);
  EXPECT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(s.read("told"), "the new rules are not taken: " + rules)) << s.read("told");
  EXPECT_TRUE(has(s.read("told"), "new rules in force from event time 0 ms")) << s.read("told");
}

TEST(TxmonCli, ASignalAndABadRuleFileLeaveTheOldRulesInForce) {
  const scratch s;
  const auto rules = s.write("rules.json", R"({"amount_limit": 100})");
  const auto at = s.path().string();
  const std::string input = "{ echo '" + std::string{header.substr(0, header.size() - 1)} +
                            "'; echo 1,PAYMENT,200,C1,0,0,M1,0,0,0,0; while [ ! -e " + at +
                            "/go ]; do sleep 0.05; done; echo 2,PAYMENT,200,C9,0,0,M1,0,0,0,0; } |";
  const std::string meanwhile = " 2> " + at + "/told & p=$!; until [ -e " + at +
                                "/a.jsonl ]; do sleep 0.05; done; rm " + rules + "; mkdir " +
                                rules + "; kill -HUP $p; sleep 0.2; touch " + at + "/go; wait $p";
  const auto e = run("--input - --rules " + rules + " --checkpoints " + at + "/c --alerts " + at +
                         "/a.jsonl --out " + at + meanwhile,
                     input);
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(s.read("told"),
                  "the new rules are not taken: " + rules + ": cannot be read: Is a directory"))
      << s.read("told");
  EXPECT_EQ(json::parse(s.read("result.json"))["alerts_by_rule"]["amount"], 2);
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
