// tests/runtime/driver/load_test.cpp - each way in which a machine lacks a usable driver has its own answer.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "runtime/driver/context.hpp"
#include "with_fake_driver.hpp"

namespace {

using perdure::errc;
using perdure::driver::api;

class DriverLoad : public with_fake_driver {};

TEST_F(DriverLoad, MissingLibraryIsNoDriverAndSaysWhatToDo) {
  auto loaded = api::load_from("/nowhere/libcuda.so.1");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::no_driver);
  EXPECT_HAS(loaded.error().context(), "/nowhere/libcuda.so.1");
  EXPECT_HAS(loaded.error().context(), "install the NVIDIA driver");
  EXPECT_HAS(loaded.error().context(), "PERDURE_CUDA_DRIVER");
}

TEST_F(DriverLoad, EnvironmentVariableNamesAnotherLibrary) {
  ::setenv("PERDURE_CUDA_DRIVER", path().c_str(), 1);
  auto loaded = api::load();
  ::unsetenv("PERDURE_CUDA_DRIVER");
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->version(), 13000);
  EXPECT_EQ((*loaded)->library_path(), path());
}

TEST_F(DriverLoad, LibraryThatIsNoDriverIsNoDriver) {
  auto loaded = api::load_from("libm.so.6");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::no_driver);
  EXPECT_HAS(loaded.error().context(), "libm.so.6 is not a CUDA driver");
}

TEST_F(DriverLoad, OldDriverSaysWhatWasFoundAndWhatIsNeeded) {
  driver().version = 12080;
  auto loaded = api::load_from(path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::driver_too_old);
  EXPECT_HAS(loaded.error().context(), path());
  EXPECT_HAS(loaded.error().context(), "CUDA 12.8");
  EXPECT_HAS(loaded.error().context(), "13.0 or newer");
  EXPECT_FALSE(called("cuInit")) << "an old driver must not be initialised";
}

TEST_F(DriverLoad, FailedLoadIsNotRemembered) {
  driver().version = 12080;
  ASSERT_FALSE(api::load_from(path()));
  driver().version = 13010;
  auto again = api::load_from(path());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*api::load_from(path()), *again) << "one table a path";
}

TEST_F(DriverLoad, MissingSymbolIsNamed) {
  copy_of(FAKE_CUDA_OMITTING_PATH);
  auto loaded = api::load_from(path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::driver_too_old);
  EXPECT_HAS(loaded.error().context(), "does not offer cuLibraryLoadData");
}

TEST_F(DriverLoad, ToolkitStubIsNoDriver) {
  driver().fails["cuDriverGetVersion"] = 34;
  auto loaded = api::load_from(path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::no_driver);
  EXPECT_HAS(loaded.error().context(), "stub");
}

TEST_F(DriverLoad, DriverWithoutDeviceIsNoDevice) {
  driver().fails["cuInit"] = 100;
  auto loaded = api::load_from(path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), errc::no_device);
  EXPECT_HAS(loaded.error().context(), "cuInit");
  EXPECT_HAS(loaded.error().context(), "CUDA_ERROR_NO_DEVICE 100");
}

TEST_F(DriverLoad, NoVisibleDeviceIsNoDevice) {
  driver().devices = 0;
  auto count = perdure::driver::device_count(cuda());
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), errc::no_device);
  EXPECT_HAS(count.error().context(), "CUDA_VISIBLE_DEVICES");
}

TEST_F(DriverLoad, UnknownOrdinalNamesThoseThatExist) {
  auto device = perdure::driver::describe(cuda(), 2);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), errc::no_device);
  EXPECT_HAS(device.error().context(), "device 2 was asked for, but only 0..1 exist");
}

TEST_F(DriverLoad, DeviceIsDescribed) {
  auto device = perdure::driver::describe(cuda(), 1).value();
  EXPECT_EQ(device.name, "Fake GPU 1");
  EXPECT_EQ(device.uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  EXPECT_EQ(device.pci, "0032:21:22");  // the fake's attributes have their own number as value
  EXPECT_EQ(device.architecture(), "sm_7576");
  EXPECT_EQ(device.processors, 16);
  EXPECT_EQ(device.shared_bytes_per_block, 97U);
  EXPECT_EQ(device.memory_bytes, 1U << 30U);
  EXPECT_TRUE(device.cooperative_launch);
}

}  // namespace
