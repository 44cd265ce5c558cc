// tests/apps/txmon/rule_schedule_test.cpp - a rule file sets what it names, from when it says, and nothing is ignored.
// SPDX-License-Identifier: Apache-2.0
#include "rule_schedule.hpp"

#include <nlohmann/json.hpp>

#include "codes.hpp"
#include "failure.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;

rule_schedule parsed(std::string_view text) { return rule_schedule::parse(text, "rules.json"); }

std::string error_of(std::string_view text) {
  try {
    parsed(text);
  } catch (const failure& e) {
    EXPECT_EQ(e.code(), exit_code::usage);
    return e.what();
  }
  return "no error";
}

TEST(RuleSchedule, WhatIsNamedIsSetAndTheRestKeepsItsDefault) {
  const test::scratch s;
  const auto r = rule_schedule::read(
      s.write("rules.json",
              R"({"velocity_limit": 29, "deviation_factor": 2.5, "high_risk": ["IR", "KP"]})"));
  ASSERT_EQ(r.size(), 1U);
  rules expected;
  expected.velocity_limit = 29;
  expected.deviation_hundredths = 250;
  for (const char* code : {"IR", "KP"}) {
    const auto c = *country_of(code);
    EXPECT_TRUE(r.common(0).limits.is_high_risk(c));
    expected.high_risk[c / 64U] |= std::uint64_t{1} << c % 64U;
  }
  EXPECT_EQ(r.common(0).limits, expected);
  EXPECT_EQ(rule_schedule{}.common(0).limits, rules{});
}

TEST(RuleSchedule, WhatIsReportedIsReadBack) {
  auto shown =
      parsed(R"({"velocity_limit": 7, "rapid_percent": 55, "high_risk": ["AF", "ZW"]})").to_json(0);
  EXPECT_EQ(shown["velocity_limit"], 7);
  shown.erase("customers");
  EXPECT_EQ(parsed(shown.dump()).common(0).limits.rapid_percent, 55);
  auto again = parsed(shown.dump()).to_json(0);
  again.erase("customers");
  EXPECT_EQ(again, shown);
}

TEST(RuleSchedule, ACustomerHasTermsOfItsOwn) {
  const auto r = parsed(R"({"amount_limit": 700, "customers": {
      "C1": {"home": "DE", "allowed": ["AT", "CH"], "pep": true, "amount_limit": 90}}})");
  const terms& own = r.of(0, "C1");
  EXPECT_EQ(own.limits.amount_limit, 90U);
  EXPECT_EQ(own.who.home, *country_of("DE"));
  EXPECT_EQ(own.who.allowed[1], *country_of("CH"));
  EXPECT_TRUE(own.who.pep);
  EXPECT_EQ(r.of(0, "C2"), r.common(0));
  EXPECT_EQ(r.of(0, "C2").limits.amount_limit, 700U);
}

TEST(RuleSchedule, AChangeHoldsFromItsEventTimeOnAndKeepsWhatItDoesNotName) {
  const auto r = parsed(R"({"amount_limit": 700, "pep_limit": 5, "customers": {"C1": {"pep": true}},
      "changes": [{"from_ms": 1000, "amount_limit": 800},
                  {"from_ms": 2000, "customers": {"C1": {"amount_limit": 1}, "C2": {"home": "FR"}}}]})");
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r.at(0), 0U);
  EXPECT_EQ(r.at(999), 0U);
  EXPECT_EQ(r.at(1000), 1U);
  EXPECT_EQ(r.at(1'000'000), 2U);
  EXPECT_EQ(r.of(1, "C1").limits.amount_limit, 800U);
  EXPECT_TRUE(r.of(1, "C1").who.pep);
  EXPECT_EQ(r.of(2, "C1").limits.amount_limit, 1U);
  EXPECT_TRUE(r.of(2, "C1").who.pep);
  EXPECT_EQ(r.of(2, "C2").limits.amount_limit, 800U);
  EXPECT_EQ(r.common(2).limits.pep_limit, 5U);
}

TEST(RuleSchedule, OnlyTheFutureMayChange) {
  const auto now = parsed(R"({"changes": [{"from_ms": 1000, "amount_limit": 8}]})");
  const auto later = parsed(
      R"({"changes": [{"from_ms": 1000, "amount_limit": 8}, {"from_ms": 5000, "amount_limit": 9}]})");
  EXPECT_EQ(now.changes_the_past(later, 4999), std::nullopt);
  EXPECT_TRUE(now.changes_the_past(later, 5000));
  EXPECT_TRUE(later.changes_the_past(now, 5000));
  EXPECT_EQ(now.changes_the_past(rule_schedule{}, 999), std::nullopt);
  EXPECT_TRUE(now.changes_the_past(parsed(R"({"customers": {"C1": {"pep": true}}})"), 0));
}

TEST(RuleSchedule, AnUnknownKeyIsNamedWhereverItStands) {
  EXPECT_EQ(error_of(R"({"velocity_limits": 3})")
                .find("rules.json: unknown key 'velocity_limits'; known are amount_limit, "),
            0U);
  EXPECT_EQ(error_of(R"({"customers": {"C1": {"homes": "DE"}}})")
                .find("rules.json: customer 'C1': unknown key 'homes'"),
            0U);
  EXPECT_EQ(error_of(R"({"changes": [{"from_ms": 5, "at": 1}]})")
                .find("rules.json: change 1: unknown key 'at'"),
            0U);
}

TEST(RuleSchedule, WrongTypesAndValuesOutOfBoundsAreRefused) {
  for (const char* value : {"30", "0", "-4294967295", "2.5", "\"4\"", "null"}) {
    EXPECT_EQ(
        error_of(std::string{R"({"velocity_limit": )"} + value + "}"),
        std::string{
            "rules.json: key 'velocity_limit': expected a whole number from 1 to 29, found "} +
            value);
  }
  EXPECT_EQ(error_of(R"({"deviation_factor": "4"})"),
            "rules.json: key 'deviation_factor': expected a number from 0 to 655, found \"4\"");
  EXPECT_EQ(
      error_of(R"({"high_risk": ["XY"]})"),
      "rules.json: key 'high_risk': expected at most 249 country codes of ISO 3166-1, such as \"DE\", found "
      "[\"XY\"]");
  EXPECT_NE(error_of(R"({"customers": {"C1": {"allowed": ["AT","CH","FR","IT","ES","PT","PL"]}}})")
                .find("at most 6"),
            std::string::npos);
  EXPECT_EQ(error_of(R"({"changes": [{"amount_limit": 5}]})"),
            "rules.json: change 1: key 'from_ms': expected an event time in ms over 0");
  EXPECT_EQ(error_of(R"({"changes": [{"from_ms": 9}, {"from_ms": 9}]})"),
            "rules.json: change 2: key 'from_ms': expected an event time in ms over 9");
  EXPECT_EQ(error_of(R"({"changes": {"from_ms": 9}})"),
            "rules.json: key 'changes': expected an array of objects, found {\"from_ms\":9}");
}

TEST(RuleSchedule, AKeyThatStandsTwiceIsNamedWhereverItStands) {
  EXPECT_EQ(error_of(R"({"amount_limit": 1, "pep_limit": 3, "amount_limit": 2})"),
            "rules.json: key 'amount_limit' stands twice");
  EXPECT_EQ(error_of(R"({"customers": {"C1": {"pep": true}, "C2": {}, "C1": {"pep": true}}})"),
            "rules.json: key 'C1' stands twice, in 'customers'");
  EXPECT_EQ(
      error_of(R"({"changes": [{"from_ms": 1}, {"customers": {"C1": {"pep": 1, "pep": 1}}}]})"),
      "rules.json: key 'pep' stands twice, in 'changes/customers/C1'");
}

TEST(RuleSchedule, WhatNestsTooDeepIsRefusedBeforeItIsBuilt) {
  const auto nested = [](std::size_t times) {
    return R"({"amount_limit": )" + std::string(times, '[') + std::string(times, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(200'000)),
            "rules.json: expected at most 16 objects and arrays within each other, in "
            "'amount_limit'");
  EXPECT_NE(error_of(nested(16)).find("at most 16"), std::string::npos);
  EXPECT_NE(error_of(nested(15)).find("key 'amount_limit': expected a whole number"),
            std::string::npos);
}

TEST(RuleSchedule, MoreChangesThanALaneCanCountAreRefused) {
  const auto changes = [](std::size_t count) {
    std::string text = R"({"changes": [)";
    for (std::size_t i = 1; i <= count; ++i)
      text += (i > 1 ? "," : "") + std::string{R"({"from_ms": )"} + std::to_string(i) + "}";
    return text + "]}";
  };
  EXPECT_EQ(error_of(changes(65'535)),
            "rules.json: key 'changes': expected at most 65534 changes, found 65535");
  EXPECT_EQ(parsed(changes(65'534)).size(), 65'535U);
}

TEST(RuleSchedule, WhatIsNoObjectOrNoJsonOrNotThereIsRefused) {
  EXPECT_EQ(error_of("[1]"), "rules.json: expected a JSON object, found [1]");
  EXPECT_NE(error_of("{").find("rules.json: expected JSON: "), std::string::npos);
  for (const auto& [path, why] : {std::pair{"/nowhere/rules.json", "No such file or directory"},
                                  std::pair{"/tmp", "Is a directory"}}) {
    try {
      rule_schedule::read(path);
      ADD_FAILURE() << path;
    } catch (const failure& e) {
      EXPECT_EQ(e.code(), exit_code::usage);
      EXPECT_EQ(e.what(), std::string{path} + ": cannot be read: " + why);
    }
  }
}

}  // namespace
