// tests/apps/txmon/cli_test.cpp - the program as a script sees it: files, messages, exit codes.
// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

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

TEST(TxmonCli, ARowFarAheadIsTurnedAwayOrWhatItMakesLateIsTold) {
  const scratch s;
  const std::string ahead = "78187493,PAYMENT,1,C7,0,0,M7,0,0,1,0\n";
  std::string rows;
  for (int i = 1; i <= 5'000; ++i)  // more than a block
    rows += std::to_string(i) + ",PAYMENT,20000,C1,0,0,M1,0,0," + (i == 4 ? "1" : "0") + ",0\n";
  const auto third = rows.find("\n3,") + 1;
  const auto input =
      s.write("in.csv", std::string{header} + rows.substr(0, third) + ahead + rows.substr(third));
  const auto right = s.write("right.csv", std::string{header} + rows);
  const std::string out = " --quiet --verify --threads 2 --out " + s.path().string();

  auto e = run("--input " + input + out);
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_TRUE(has(e.text, "warning: 4998 of 5001 transactions came late")) << e.text;
  json result = json::parse(s.read("result.json"));
  ASSERT_EQ(result["warnings"].size(), 1U);
  EXPECT_TRUE(has(result["warnings"][0], "the greatest of all is 281474974800000 ms"));

  e = run("--input " + input + out + " --most-ahead 3600000");
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e.text, input + ": transaction 3: its time, 281474974800000 ms, lies more than"))
      << e.text;

  e = run("--input " + input + out + " --most-ahead 3600000 --lenient");
  ASSERT_EQ(e.code, 0) << e.text;
  result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["skipped_lines"], 1);
  EXPECT_EQ(result["late"], 0);
  EXPECT_TRUE(result["warnings"].empty());
  ASSERT_EQ(run("--input " + right + out).code, 0);
  const json wanted = json::parse(s.read("result.json"));
  EXPECT_EQ(result["checksum"]["alerts"], wanted["checksum"]["alerts"]);
  EXPECT_EQ(result["labels"], wanted["labels"]);
  EXPECT_EQ(result["transactions"], 5'000);

  // A replay does not wait for it, and what came before it is stored: the mended file goes on there.
  const std::string replay = " --quiet --threads 2 --speed 1e9 --most-ahead 3600000 --input " +
                             input + " --out " + s.path().string();
  e = run(replay + "/lenient --lenient");
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_EQ(json::parse(s.read("lenient/result.json"))["checksum"]["alerts"],
            wanted["checksum"]["alerts"]);
  const std::string strict = replay + "/strict --checkpoints " + (s.path() / "cp").string();
  e = run(strict);
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e.text, input + ": transaction 3: ")) << e.text;
  s.write("in.csv", std::string{header} + rows);
  e = run(strict + " --resume");
  ASSERT_EQ(e.code, 0) << e.text;
  const json went_on = json::parse(s.read("strict/result.json"));
  EXPECT_EQ(went_on["checksum"]["alerts"], wanted["checksum"]["alerts"]);
  EXPECT_GT(went_on["epochs"], 1);
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

}  // namespace
