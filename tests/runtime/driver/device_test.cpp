// tests/runtime/driver/device_test.cpp - the driver layer on a real device; skips with the reason elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/driver/memory.hpp"

namespace {

using namespace perdure::driver;  // NOLINT: a test of that namespace

class DriverDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = api::load();
    if (!loaded) GTEST_SKIP() << loaded.error().message();
    auto retained = context::retain(**loaded, 0);
    if (!retained) GTEST_SKIP() << retained.error().message();
    in_.emplace(std::move(*retained));
  }
  void TearDown() override {
    if (!in_) return;
    const api& cuda = *in_->view().cuda;
    in_.reset();
    auto failure = cuda.take_teardown_failure();
    EXPECT_FALSE(failure.has_value()) << failure->message();
  }
  std::optional<context> in_;
};

TEST_F(DriverDevice, DescribesItself) {
  const auto& p = in_->properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_EQ(p.uuid.size(), 40U);
  EXPECT_GE(p.major, 8);
  EXPECT_GT(p.processors, 0);
  EXPECT_GT(p.clock_khz, 0);
  EXPECT_TRUE(p.cooperative_launch);
  const auto memory = in_->memory().value();
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
  EXPECT_EQ(memory.total_bytes, p.memory_bytes);
}

TEST_F(DriverDevice, CopiesComeBackAsTheyWent) {
  auto s = stream::make(*in_).value();
  std::vector<std::uint32_t> from(1U << 20U), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<std::uint32_t>(i * 2654435761U);
  auto a = device_buffer::make(*in_, from.size() * 4).value();
  auto b = device_buffer::make(*in_, from.size() * 4).value();
  copy_to_device(a.address(), from.data(), a.bytes(), s).value();
  copy_on_device(b.address(), a.address(), a.bytes(), s).value();
  fill_words(b.address(), 7, 1, s).value();
  copy_to_host(to.data(), b.address(), b.bytes(), s).value();
  s.synchronize().value();
  from[0] = 7;
  EXPECT_EQ(from, to);
}

TEST_F(DriverDevice, DeviceCopiesIntoMappedHostMemory) {
  auto s = stream::make(*in_).value();
  auto mapped = mapped_host_buffer::make(*in_, 4096).value();
  fill_bytes(mapped.device(), 0x5a, 4096, s).value();
  s.synchronize().value();
  EXPECT_EQ(static_cast<unsigned char*>(mapped.host())[4095], 0x5a);
}

TEST_F(DriverDevice, MemoryOfSomebodyElseCanBeMapped) {
  auto s = stream::make(*in_).value();
  struct page_deleter {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, page_deleter> pages{
      static_cast<std::byte*>(std::aligned_alloc(4096, 8192))};
  auto adopted = mapped_host_buffer::adopt(*in_, {pages.get(), 8192}).value();
  fill_bytes(adopted.device() + 4096, 0x77, 4096, s).value();
  s.synchronize().value();
  EXPECT_EQ(static_cast<unsigned char>(pages.get()[8191]), 0x77);
}

TEST_F(DriverDevice, TooLargeAllocationIsOutOfMemory) {
  auto made = device_buffer::make(*in_, std::size_t{1} << 50U);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), perdure::errc::out_of_memory) << made.error().message();
}

TEST_F(DriverDevice, EventsMeasureDeviceTime) {
  auto s = stream::make(*in_).value();
  auto first = event::make(*in_, true).value();
  auto second = event::make(*in_, true).value();
  first.record(s).value();
  second.record(s).value();
  second.synchronize().value();
  EXPECT_GE(second.milliseconds_since(first).value(), 0.0F);
}

}  // namespace
