// tests/apps/txmon/cli_checkpoint_test.cpp - runs that go on, as a script sees them: whose alerts, whose input, what is cut.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

TEST(TxmonCheckpoints, AlertLinesAreNotCutForAFolderWithoutTheirCheckpoint) {
  const scratch s;
  const auto at = s.path().string();
  const std::string common = "--quiet --input " TXMON_INPUT " --alerts " + at + "/a.jsonl --out " +
                             at + " --checkpoints " + at;
  ASSERT_EQ(run(common + "/right").code, 0);
  const std::string alerts = s.read("a.jsonl");
  ASSERT_GT(alerts.size(), 1'000'000U);
  for (const bool late_only : {false, true}) {
    if (late_only) std::filesystem::remove(s.path() / "a.jsonl"), s.write("a.late.jsonl", "late");
    const auto e = run(common + "/typo --resume");
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, at + (late_only ? "/a.late.jsonl: " : "/a.jsonl: "))) << e.text;
    EXPECT_TRUE(has(e.text, "no checkpoint in " + at + "/typo")) << e.text;
    EXPECT_EQ(s.read("a.jsonl"), late_only ? "" : alerts);
    EXPECT_EQ(s.read("a.late.jsonl"), late_only ? "late" : "");
    EXPECT_FALSE(std::filesystem::exists(s.path() / "typo"));
  }
}

TEST(TxmonCheckpoints, ACheckpointOfOtherAlertsStaysAndNothingNewIsMade) {
  const scratch s;
  const auto at = s.path().string();
  const std::string common = "--quiet --input " TXMON_INPUT " --out " + at + " --checkpoints " +
                             at + "/c --alerts " + at + "/";
  ASSERT_EQ(run(common + "a.db").code, 0);
  const std::string checkpoint = s.read("c/checkpoint-1.bin");
  ASSERT_GT(checkpoint.size(), 0U);
  const auto refused = [&](const std::string& rest, const std::string& part) {
    const auto e = run(common + rest);
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, part)) << e.text;
    EXPECT_EQ(s.read("c/checkpoint-1.bin"), checkpoint);
  };
  for (const std::string name : {"typo.db", "typo.jsonl"}) {
    refused(name + " --resume", at + "/" + name + ": is not there, but " + at + "/c has");
    refused(name, at + "/c: has a checkpoint already");
    EXPECT_FALSE(std::filesystem::exists(s.path() / name));
  }
  EXPECT_FALSE(std::filesystem::exists(s.path() / "typo.late.jsonl"));
  s.write("empty.db", "");
  refused("empty.db --resume",
          at + "/c: cannot go on from checkpoint 1: it was made with --alerts '" + at +
              "/a.db', not '" + at + "/empty.db'");
  EXPECT_EQ(run(common + "a.db --resume").code, 0);
}

TEST(TxmonCheckpoints, AFolderThatIsNotNamedLeavesTheAlertsOfACheckpointedRun) {
  const scratch s;
  const auto at = s.path().string();
  const auto input = s.write("in.csv", std::string{header} + "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n");
  const std::string common = "--quiet --input " + input + " --out " + at;
  const std::string rest = " --alerts " + at + "/a.db";
  ASSERT_EQ(run(common + rest + " --checkpoints " + at + "/c").code, 0);
  const std::string alerts = s.read("a.db");
  s.write("in.csv", header);  // none
  for (const std::string nothing : {"--resume --checkpoints ''", "--checkpoints --resume"}) {
    const auto e = run(common + " " + nothing + rest, "cd " + at + " &&");
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, "--checkpoints: expected a path, found ")) << e.text;
    EXPECT_TRUE(s.read("a.db") == alerts) << nothing;
  }
}

TEST(TxmonCheckpoints, AlertsOfAnotherRunAreNeitherCutNorTakenForItsOwn) {
  const scratch s;
  const auto at = s.path().string();
  const std::string common =
      "--quiet --input " TXMON_INPUT " --out " + at + " --alerts " + at + "/";
  for (const std::string kind : {"db", "jsonl"}) {
    for (const std::string name : {"a.", "b."}) {
      ASSERT_EQ(run(common + name + kind + " --checkpoints " + at + "/" + name + kind + ".c").code,
                0);
    }
    if (kind == "jsonl") s.write("b.jsonl", s.read("b.jsonl") + "{\"longer\":1}\n");
    const std::string other = s.read("b." + kind);
    const auto e =
        run(common + "b." + kind + " --resume --checkpoints " + at + "/a." + kind + ".c");
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, "it was made with --alerts '" + at + "/a." + kind + "', not '" + at +
                                "/b." + kind + "'"))
        << e.text;
    EXPECT_TRUE(s.read("b." + kind) == other);
  }
}

TEST(TxmonCheckpoints, ColumnsThatMeanSomethingElseAreNoReasonToGoOn) {
  const scratch s;
  const auto at = s.path().string();
  const std::string common = "--quiet --input " TXMON_INPUT " --out " + at + " --alerts " + at +
                             "/a.db --checkpoints " + at + "/c";
  ASSERT_EQ(run(common).code, 0);
  const auto columns = s.write("columns.json", R"({"time": "step", "time_unit_ms": 1000,
    "account": "nameOrig", "counterparty": "nameDest", "amount": "amount"})");
  for (const std::string& other : {" --columns " + columns, std::string{" --lenient"}}) {
    const auto e = run(common + " --resume" + other);
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, "cannot go on from checkpoint 1: it was made with its input read by"))
        << e.text;
  }
  EXPECT_EQ(run(common + " --resume").code, 0);
}

TEST(TxmonCheckpoints, AnInputGoesOnByAnotherPathAndAnotherOfItsNameDoesNot) {
  const scratch s;
  const auto at = s.path().string();
  const auto csv = s.write("in.csv", std::string{header} +
                                         "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n"
                                         "1,PAYMENT,30000,C2,0,0,M1,0,0,0,0\n");
  const auto bin = at + "/in.bin";
  ASSERT_EQ(run("convert --input " + csv + " --to " + bin).code, 0);
  s.write("other.csv", std::string{header} +
                           "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n"
                           "1,PAYMENT,30001,C2,0,0,M1,0,0,0,0\n");
  ASSERT_EQ(run("convert --input " + at + "/other.csv --to " + at + "/other.bin").code, 0);
  for (const std::string kind : {"csv", "bin"}) {
    const std::string rest = "in." + kind + " --quiet --alerts " + at + "/" + kind +
                             ".jsonl --out " + at + " --checkpoints " + at + "/" + kind + ".c";
    ASSERT_EQ(run("--input " + at + "/" + rest).code, 0);
    const auto again = run("--resume --input " + rest, "cd " + at + " &&");
    EXPECT_EQ(again.code, 0) << again.text;
    s.write(kind + ".jsonl", s.read(kind + ".jsonl") + "more");
    std::filesystem::rename(s.path() / ("other." + kind), s.path() / ("in." + kind));
    const auto e = run("--resume --input " + at + "/" + rest);
    EXPECT_EQ(e.code, 2) << e.text;
    EXPECT_TRUE(has(e.text, at + "/in." + kind + ": is another input than the checkpoint's"))
        << e.text;
    EXPECT_TRUE(s.read(kind + ".jsonl").ends_with("more"));  // nothing is cut
  }
}

std::size_t alerts_in(const std::string& lines) {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

TEST(TxmonCheckpoints, WhatStandsBeforeABadLineIsStoredAndOnceItIsMendedTheRunGoesOn) {
  const scratch s;
  const auto at = s.path().string();
  const std::string three = std::string{header} +
                            "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n1,PAYMENT,20000,C2,0,0,M1,0,0,0,0\n"
                            "2,PAYMENT,20000,C3,0,0,M1,0,0,0,0\n";
  const auto input = s.write("in.csv", three + "2,PAYMENT,two,C4,0,0,M1,0,0,0,0\n");
  const auto rest = [&](const std::string& name) {
    return " --quiet --lateness 1000 --alerts " + at + "/" + name + ".jsonl --out " + at +
           " --checkpoints " + at + "/" + name;
  };
  const auto piped = run("--input -" + rest("piped"), "cat " + input + " |");
  EXPECT_EQ(piped.code, 1) << piped.text;
  EXPECT_TRUE(has(piped.text, "<stdin>:5:11: column 'amount'")) << piped.text;
  EXPECT_EQ(alerts_in(s.read("piped.jsonl")),
            3U);  // what was held back, too: nobody can read it again
  const auto again = run("--resume --input -" + rest("piped"), "cat " + input + " |");
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(has(again.text, "--resume: standard input cannot be read again")) << again.text;

  ASSERT_EQ(run("--input " + input + rest("file")).code, 1);
  EXPECT_EQ(alerts_in(s.read("file.jsonl")), 2U);
  s.write("in.csv", three + "2,PAYMENT,20000,C4,0,0,M1,0,0,0,0\n");
  const auto mended = run("--resume --input " + input + rest("file"));
  EXPECT_EQ(mended.code, 0) << mended.text;
  EXPECT_EQ(alerts_in(s.read("file.jsonl")), 4U);
  EXPECT_EQ(json::parse(s.read("result.json"))["transactions"], 4);
}

TEST(TxmonCheckpoints, ASignalEndsTheOpenEpochAndWithoutCheckpointsLeavesNothing) {
  const scratch s;
  const auto at = s.path().string();
  const auto input = s.write("in.csv", std::string{header} + "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n");
  const std::string silent =
      "{ cat " + input + "; while [ ! -e " + at + "/go ]; do sleep 0.05; done; } |";
  const auto stopped = [&](const std::string& arguments, const std::string& signal) {
    std::filesystem::remove(s.path() / "go");
    const std::string out = at + "/o", told = at + "/told";
    auto e = run(
        "--quiet --input - --epoch-seconds 1000 --out " + out + " " + arguments + " 2>" + told +
            " & p=$!; until [ -n \"$(ls " + out + ")\" ]; do sleep 0.05; done; sleep 1; kill -" +
            signal + " $p; i=0; until grep -q stopped " + told +
            " || [ $i = 400 ]; do sleep 0.05; i=$((i+1)); done; touch " + at + "/go; wait $p",
        silent);
    e.text += s.read("told");
    return e;
  };
  const auto whole = stopped("", "TERM");
  EXPECT_EQ(whole.code, 143) << whole.text;
  EXPECT_TRUE(has(whole.text, "without --checkpoints nothing is stored")) << whole.text;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path() / "o"}, {}), 0);
  const auto kept = stopped("--checkpoints " + at + "/c", "TERM");
  EXPECT_EQ(kept.code, 143) << kept.text;
  EXPECT_TRUE(has(kept.text, "stopped by signal 15: the alerts until then are stored"))
      << kept.text;
  EXPECT_EQ(alerts_in(s.read("o/alerts.jsonl")), 1U);
}

TEST(TxmonCheckpoints, AfterSilenceTheAlertsOfWhatHasComeAreStored) {
  const scratch s;
  const auto at = s.path().string();
  // The pipe stays open and silent until the alert is in the file, or for a minute: then the test fails.
  const std::string wait = "i=0; while [ $i -lt 600 ] && ! grep -q transaction " + at +
                           "/a.jsonl 2>/dev/null; do sleep 0.1; i=$((i+1)); done; echo $i > " + at +
                           "/waited";
  const auto input = s.write("in.csv", std::string{header} + "1,PAYMENT,20000,C1,0,0,M1,0,0,0,0\n");
  const std::string command = "(cat " + input + "; " + wait +
                              ") | " TXMON_PROGRAM
                              " --quiet --input - --epoch-seconds 1000 --idle-flush 50 --alerts " +
                              at + "/a.jsonl --out " + at + " --checkpoints " + at + "/c";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(has(s.read("a.jsonl"), "\"rule\":\"amount\"")) << s.read("a.jsonl");
  EXPECT_LT(std::stoi(s.read("waited")), 600);
  const json result = json::parse(s.read("result.json"));
  EXPECT_EQ(result["epochs"], 2);  // that of the silence, and the end
  EXPECT_EQ(result["alerts"], 1);
}

TEST(TxmonCheckpoints, LinesOfAFirstEpochThatWasNotFinishedAreCut) {
  const scratch s;
  const auto at = s.path().string();
  const std::string rest =
      " --alerts " + at + "/a.jsonl --out " + at + " --checkpoints " + at + "/c";
  const auto bad = s.write("bad.csv", std::string{header} + "1,PAYMENT,two,C1,0,0,M1,0,0,0,0\n");
  ASSERT_EQ(run("--input " + bad + rest).code, 1);  // ends after the start, before an epoch
  s.write("a.jsonl", "half a li");  // as a kill in the midst of the first epoch would
  s.write("a.late.jsonl", "half");
  std::filesystem::copy_file(TXMON_INPUT, bad, std::filesystem::copy_options::overwrite_existing);
  const auto e = run("--quiet --input " + bad + " --resume" + rest);
  ASSERT_EQ(e.code, 0) << e.text;
  EXPECT_EQ(s.read("a.jsonl").substr(0, 15), "{\"transaction\":");
  EXPECT_GT(s.read("a.jsonl").size(), 1'000'000U);
  EXPECT_EQ(s.read("a.late.jsonl"), "");
}

}  // namespace
