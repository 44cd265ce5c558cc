// tests/apps/txmon/device_test.cpp - the same rows on a GPU: equal to the oracle, to the last bit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "runs.hpp"

namespace {

using namespace txmon;

/// Runs on the device, or skips where there is none.
void expect_equal(source& from, session::settings s) {
  s.actors.system.backend = perdure::backend::cuda;
  try {
    const test::whole_run r{from, s};
    EXPECT_EQ(r.figures.layout.backend, "cuda");
    EXPECT_EQ(r.difference, std::nullopt);
    EXPECT_GT(r.counts.alerts, 1'000U);
  } catch (const std::exception& e) {
    const std::string why{e.what()};
    if (why.find("no_device") == std::string::npos && why.find("no_driver") == std::string::npos)
      throw;
    GTEST_SKIP() << why;
  }
}

TEST(TxmonOnDevice, TheRealRowsGiveTheOraclesAlertsAndStates) {
  // built here, run elsewhere: then from the root of the tree
  csv_source from{std::filesystem::exists(TXMON_INPUT) ? TXMON_INPUT : TXMON_INPUT_HERE,
                  column_map::paysim(), false};
  expect_equal(from, test::on_cpu());
}

TEST(TxmonOnDevice, AShuffledGeneratedStreamGivesTheOraclesAlertsAndStates) {
  test::generated g{"rows=300000,accounts=20000,disorder=4000,gap=100"};
  auto s = test::on_cpu();
  s.actors.schedule = g.rules;
  s.lateness_ms = 3'000;
  s.reading.threads = s.actors.lanes = 4;
  s.actors.system.inbox_slots = 64;
  expect_equal(g.from, s);
}

}  // namespace
