// tests/apps/txmon/rules_file_test.cpp - a rule file sets what it names, and nothing is ignored.
// SPDX-License-Identifier: Apache-2.0
#include "rules_file.hpp"

#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::scratch;

std::string error_of(std::string_view text) {
  const scratch s;
  try {
    read_rules(s.write("rules.json", text));
  } catch (const failure& e) {
    EXPECT_EQ(e.code(), exit_code::usage);
    return std::string{e.what()}.substr(s.path().string().size() + 1);
  }
  return "no error";
}

TEST(RulesFile, WhatIsNamedIsSetAndTheRestKeepsItsDefault) {
  const scratch s;
  const rules r =
      read_rules(s.write("rules.json", R"({"velocity_limit": 31, "deviation_factor": 2.5})"));
  EXPECT_EQ(r.velocity_limit, 31U);
  EXPECT_EQ(r.deviation_factor, 2.5);
  EXPECT_EQ(r.amount_limit_cents, rules{}.amount_limit_cents);
  EXPECT_EQ(r.velocity_window_ms, rules{}.velocity_window_ms);
  EXPECT_EQ(r.deviation_min_count, rules{}.deviation_min_count);
}

TEST(RulesFile, WhatIsWrittenIsReadBack) {
  const scratch s;
  const rules r{5, 6, 7, 8, 9.5};
  const rules back = read_rules(s.write("rules.json", to_json(r).dump()));
  EXPECT_EQ(to_json(back), to_json(r));
  EXPECT_EQ(to_json(back)["velocity_limit"], 7);
}

TEST(RulesFile, AnUnknownKeyIsNamed) {
  EXPECT_EQ(error_of(R"({"velocity_limits": 3})"),
            "rules.json: unknown key 'velocity_limits'; known are amount_limit_cents, "
            "velocity_window_ms, velocity_limit, "
            "deviation_min_count, deviation_factor");
}

TEST(RulesFile, WrongTypesAndValuesOutOfBoundsAreRefused) {
  EXPECT_EQ(error_of(R"({"velocity_limit": 32})"),
            "rules.json: key 'velocity_limit': expected a whole number from 1 to 31, found 32");
  EXPECT_EQ(error_of(R"({"velocity_limit": 0})"),
            "rules.json: key 'velocity_limit': expected a whole number from 1 to 31, found 0");
  EXPECT_EQ(
      error_of(R"({"velocity_limit": -4294967295})"),
      "rules.json: key 'velocity_limit': expected a whole number from 1 to 31, found -4294967295");
  EXPECT_EQ(error_of(R"({"velocity_limit": 2.5})"),
            "rules.json: key 'velocity_limit': expected a whole number from 1 to 31, found 2.5");
  EXPECT_EQ(error_of(R"({"deviation_factor": "4"})"),
            "rules.json: key 'deviation_factor': expected a number from 0 to 1000000, found \"4\"");
}

TEST(RulesFile, WhatIsNoObjectOrNoJsonOrNotThereIsRefused) {
  EXPECT_EQ(error_of("[1]"), "rules.json: expected a JSON object of thresholds");
  EXPECT_NE(error_of("{").find("rules.json: expected JSON: "), std::string::npos);
  EXPECT_THROW(read_rules("/nowhere/rules.json"), failure);
}

}  // namespace
