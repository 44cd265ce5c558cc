// tests/generated/report_test.cpp - many processes are judged by their runs, and a process that failed is not lost.
// SPDX-License-Identifier: Apache-2.0
#include "tests/generated/report.hpp"

#include <gtest/gtest.h>

namespace {

using namespace perdure::generated;

ordered_json a_run(const char* program, bool agrees = true, int wraps = 1, int spilled = 2,
                   int dead = 3) {
  return {{"program", program},
          {"agrees", agrees},
          {"wraps", wraps},
          {"spilled", spilled},
          {"dead", dead}};
}
ordered_json report_of(std::initializer_list<ordered_json> runs) {
  ordered_json results = ordered_json::array();
  for (const auto& r : runs) results.push_back(r);
  return {{"results", results}};
}
const ordered_json none = ordered_json::parse("", nullptr, false);
const ordered_json good = report_of({a_run("free1_0"), a_run("free1_0"), a_run("free1_1")});
const ordered_json other = report_of({a_run("ordered1_0", true, 10, 20, 30)});
const ordered_json bad = report_of({a_run("free2_0"), a_run("free2_1", false)});
const ordered_json error =
    report_of({{{"program", "free3_0"}, {"on", "cuda"}, {"error", "no_device"}}});

TEST(JoinedReport, TotalsCountProgramsOnceAndRunsAll) {
  joined_report all;
  all.add("free_1", 0, good);
  all.add("ordered_1", 0, other);
  const ordered_json t = all.totals();
  EXPECT_EQ(t.at("programs"), 3);
  EXPECT_EQ(t.at("order_free"), 2);
  EXPECT_EQ(t.at("order_dependent"), 1);
  EXPECT_EQ(t.at("runs"), 4);
  EXPECT_EQ(t.at("runs_with_wraps_spills_and_dead_letters"), 4);
  EXPECT_EQ(t.at("disagree"), 0);
  EXPECT_EQ(t.at("wraps"), 13);
  EXPECT_EQ(t.at("spilled"), 26);
  EXPECT_EQ(t.at("dead"), 39);
  EXPECT_EQ(all.exit_code(), verdict::all_agree);
}

TEST(JoinedReport, ARunThatDisagreesOrEndsInAnErrorIsADisagreement) {
  joined_report all;
  all.add("free_1", 0, good);
  all.add("free_2", 1, bad);
  all.add("free_3", 1, error);
  EXPECT_EQ(all.totals().at("disagree"), 2);
  EXPECT_EQ(all.totals().at("programs"), 5);
  EXPECT_EQ(all.exit_code(), verdict::some_do_not);
  ordered_json file;
  all.write(file);
  EXPECT_EQ(file.at("failed_processes").size(), 0U);
}

TEST(JoinedReport, AProcessThatDiedOrExplainsNothingFailsTheWhole) {
  struct {
    const char* what;
    int code;
    const ordered_json& report;
  } const children[] = {{"killed before its report", 139, none},
                        {"killed after its report", 139, good},
                        {"left no report", 0, none},
                        {"left no report, not possible", 2, none},
                        {"says 1, all its runs agree", 1, good},
                        {"says 0, a run does not agree", 0, bad}};
  for (const auto& child : children) {
    joined_report all;
    all.add("free_1", 0, good);
    all.add("free_2", child.code, child.report);
    EXPECT_EQ(all.exit_code(), verdict::some_do_not) << child.what;
    ordered_json file;
    all.write(file);
    ASSERT_EQ(file.at("failed_processes").size(), 1U) << child.what;
    EXPECT_EQ(file.at("failed_processes")[0].at("header"), "free_2");
    EXPECT_EQ(file.at("failed_processes")[0].at("exit_code"), child.code);
    EXPECT_EQ(file.at("headers"), 2);
  }
}

TEST(JoinedReport, NotPossibleIsSaidOnlyIfItWasSoForEveryHeader) {
  joined_report all;
  all.add("free_1", 2, error);
  all.add("free_2", 2, error);
  EXPECT_EQ(all.exit_code(), verdict::not_possible);
  all.add("free_3", 0, good);
  EXPECT_EQ(all.exit_code(), verdict::some_do_not) << "a skip would hide what was not shown";
}

TEST(JoinedReport, RunsInWhichNothingWasEverFullShowTooLittle) {
  const ordered_json quiet[] = {a_run("free1_0", true, 0, 2, 3), a_run("free1_1", true, 1, 0, 3),
                                a_run("free1_2", true, 1, 2, 0)};
  EXPECT_EQ(verdict_of(totals_of({a_run("free1_3"), quiet[0]})), verdict::all_agree);
  for (const auto& q : quiet) {
    EXPECT_EQ(verdict_of(totals_of({a_run("free1_3"), q, q})), verdict::some_do_not) << q.dump();
  }
  EXPECT_EQ(verdict_of(totals_of(ordered_json::array())), verdict::some_do_not) << "no run at all";
}

}  // namespace
