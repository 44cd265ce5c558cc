// tests/apps/txmon/device_test.cpp - the same rows on a GPU: equal to the oracle, to the last bit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "perdure/system.hpp"
#include "real_run.hpp"

namespace {

using namespace txmon;

TEST(TxmonOnDevice, TheRealRowsGiveTheOraclesAlertsAndStates) {
  monitor::settings s;
  s.system.backend = perdure::backend::cuda;
  try {
    // built here, run elsewhere: then from the root of the tree
    const char* input = std::filesystem::exists(TXMON_INPUT) ? TXMON_INPUT : TXMON_INPUT_HERE;
    const test::real_run r{input, s};
    EXPECT_EQ(r.figures.layout.backend, "cuda");
    EXPECT_EQ(first_difference(r.got, r.expected), std::nullopt);
  } catch (const std::exception& e) {
    const std::string why{e.what()};
    if (why.find("no_device") == std::string::npos && why.find("no_driver") == std::string::npos)
      throw;
    GTEST_SKIP() << why;
  }
}

}  // namespace
