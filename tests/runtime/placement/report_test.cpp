// tests/runtime/placement/report_test.cpp - what a placement report says to people and to programs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "perdure/placement.hpp"

namespace {

perdure::placement_report example() {
  perdure::placement_report r;
  r.counted = true;
  r.types.push_back({"bank::\"account\"", false, 10, 4, {5, 5}});
  r.types.push_back({"field::tile", true, 3, 0, {2, 1}});
  r.sent = {30, 10, 60};
  r.from_hosts = 7;
  r.samples = 50;
  r.seen = {15, 5, 30};
  r.predicted = {45, 0, 5};
  r.workers = {{60, 48}, {40, 52}};
  r.kept = 2;
  return r;
}

TEST(PlacementReport, JsonHasAllOfIt) {
  const auto j = nlohmann::json::parse(example().json());
  EXPECT_EQ(j["types"][0]["name"], "bank::\"account\"");
  EXPECT_EQ(j["types"][1]["wide"], true);
  EXPECT_EQ(j["types"][0]["at"], (std::vector<int>{5, 5}));
  EXPECT_EQ(j["types"][0]["moved"], 4);
  EXPECT_EQ(j["sent"]["elsewhere"], 60);
  EXPECT_EQ(j["predicted"]["same_worker"], 45);
  EXPECT_EQ(j["workers"][1]["after"], 52);
  EXPECT_EQ(j["from_hosts"], 7);
  EXPECT_EQ(j["kept"], 2);
}

TEST(PlacementReport, TheTableHasALineAType) {
  const std::string text = example().text();
  for (const char* part : {"field::tile", "wide", "30.0 %", "90.0 %", "1.20 of the average",
                           "predicted 1.04", "50 samples"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  perdure::placement_report fixed;
  fixed.types.push_back({"a", false, 0, 0, {}});
  EXPECT_EQ(fixed.text().find("messages"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(fixed.json()));
}

TEST(PlacementReport, SharesOfNothingAreNothing) {
  EXPECT_EQ(perdure::tiers{}.share_of_own_worker(), 0.0);
  EXPECT_EQ((perdure::tiers{1, 1, 2}).share_of_own_worker(), 0.25);
}

}  // namespace
