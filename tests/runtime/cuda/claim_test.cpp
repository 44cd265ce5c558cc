// tests/runtime/cuda/claim_test.cpp - one resident system a device and process, for as long as it lives.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/system.hpp"
#include "tests/runtime/cuda/fake_device.hpp"

namespace {

using perdure::backend;
using perdure::errc;

class DeviceClaim : public with_fake_device {
 protected:
  template <class T>
  static void expect_busy(const perdure::result<T>& made, const char* device) {
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), errc::device_busy) << made.error().message();
    EXPECT_EQ(made.error().context(), device);
  }
};

TEST_F(DeviceClaim, ASecondSystemOnADeviceIsRefusedUntilTheFirstIsGone) {
  auto first = make(0).value();
  expect_busy(make(0), "device 0");
  expect_busy(make(0), "device 0");  // a refusal gives nothing back
  expect_busy(perdure::system::start(actors, on(0)), "device 0");
  first.reset();
  auto next = make(0);
  ASSERT_TRUE(next.has_value()) << next.error().message();
  expect_busy(make(0), "device 0");
}

TEST_F(DeviceClaim, ABusyDeviceIsNoReasonToTakeTheCpuUnasked) {
  const auto first = make(0).value();
  auto choose = on(0);
  choose.backend = backend::automatic;
  expect_busy(perdure::system::start(actors, choose), "device 0");
}

TEST_F(DeviceClaim, AnotherDeviceIsFree) {
  const auto zero = make(0).value();
  auto one = make(1);
  ASSERT_TRUE(one.has_value()) << one.error().message();
  expect_busy(make(1), "device 1");
}

TEST_F(DeviceClaim, ADeviceThatCannotBeIsNeverBusy) {
  for (const int device : {-1, -1, 2, 2}) {
    const auto made = make(device);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), errc::no_device) << made.error().message();
  }
}

TEST_F(DeviceClaim, WhatFailsToStartLeavesTheDeviceFree) {
  auto narrow = on(0);
  narrow.lanes = 33;
  const auto refused = perdure::runtime::make_cuda_engine(actors, narrow);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), errc::bad_option);
  for (const char* call : {"cuDevicePrimaryCtxRetain", "cuLibraryLoadData", "cuMemHostAlloc"}) {
    driver().fails[call] = 2;
    const auto failed = make(0);
    ASSERT_FALSE(failed.has_value()) << call;
    EXPECT_EQ(failed.error().code(), errc::out_of_memory) << failed.error().message();
    driver().fails.clear();
  }
  const auto made = make(0);
  EXPECT_TRUE(made.has_value()) << made.error().message();
}

}  // namespace
