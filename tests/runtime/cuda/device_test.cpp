// tests/runtime/cuda/device_test.cpp - a system on a real device; skips with the reason elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "bank.actors.hpp"

namespace {

using namespace std::chrono_literals;
using perdure::errc;

class SystemOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    options.backend = perdure::backend::cuda;
    auto made = perdure::system::start(bank::actors(), options);
    if (!made && (made.error().code() == errc::no_device || made.error().code() == errc::no_driver))
      GTEST_SKIP() << made.error().message();
    ASSERT_TRUE(made.has_value()) << made.error().message();
    first.emplace(std::move(*made));
  }
  static void expect_works(perdure::system& sys) {
    const auto accounts = sys.spawn<account>(2).value();
    sys.send(accounts[1], deposit{40}).value();
    EXPECT_EQ(sys.ask<balance>(accounts[1], deposit{2}, 10s).value().cents, 42);
  }
  perdure::options options;
  std::optional<perdure::system> first;
};

TEST_F(SystemOnDevice, ASecondOneIsRefusedUntilTheFirstIsGone) {
  const auto second = perdure::system::start(bank::actors(), options);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), errc::device_busy) << second.error().message();
  expect_works(*first);  // it did not notice
  first.reset();
  auto next = perdure::system::start(bank::actors(), options);
  ASSERT_TRUE(next.has_value()) << next.error().message();
  expect_works(*next);
}

TEST_F(SystemOnDevice, TheSameCodeHasTheSameHash) {
  const std::string hash = first->layout().cubin_hash;
  EXPECT_EQ(hash.size(), 32U);
  first.reset();
  EXPECT_EQ(perdure::system::start(bank::actors(), options).value().layout().cubin_hash, hash);
}

}  // namespace
