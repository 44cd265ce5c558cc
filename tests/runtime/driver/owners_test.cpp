// tests/runtime/driver/owners_test.cpp - owners free what they made, once, in their context, and never throw.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <thread>

#include "runtime/driver/graph.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/driver/memory.hpp"
#include "with_fake_driver.hpp"

namespace {

using namespace perdure::driver;  // NOLINT: a test of that namespace
namespace cu = perdure::driver::abi;
using perdure::errc;

class DriverOwners : public with_fake_driver {
 protected:
  std::size_t live(const char* kind) { return driver().live.count(kind); }
};

TEST_F(DriverOwners, EverythingMadeIsFreedOnceAndInItsContext) {
  {
    auto in = context::retain(cuda(), 0).value();
    auto s = stream::make(in).value();
    auto e = event::make(in, true).value();
    auto memory = device_buffer::make(in, 64).value();
    auto mapped = mapped_host_buffer::make(in, 64).value();
    std::array<std::byte, 64> segment{};
    auto adopted = mapped_host_buffer::adopt(in, segment).value();
    auto code = code_library::load(in, segment, "segment").value();
    auto recorded = graph::record(s, [] { return perdure::result<void>{}; }).value();
    for (const char* kind : {"context", "stream", "event", "device memory", "host memory",
                             "registration", "library", "graph exec"}) {
      EXPECT_EQ(live(kind), 1U) << kind;
    }
  }
  EXPECT_TRUE(driver().live.empty()) << *driver().live.begin() << " was leaked";
}

TEST_F(DriverOwners, MovingMovesTheDuty) {
  auto in = context::retain(cuda(), 0).value();
  std::optional<device_buffer> first{device_buffer::make(in, 64).value()};
  const auto at = first->address();
  device_buffer second{std::move(*first)};
  first.reset();
  EXPECT_EQ(live("device memory"), 1U);
  EXPECT_EQ(second.address(), at);
  second = device_buffer::make(in, 128).value();
  EXPECT_EQ(live("device memory"), 1U) << "assignment must free what was held before";
  EXPECT_EQ(second.bytes(), 128U);
}

TEST_F(DriverOwners, LeakGivesTheHandleAway) {
  auto in = context::retain(cuda(), 0).value();
  {
    device_buffer::make(in, 64).value().leak();
  }
  {
    stream::make(in).value().leak();
  }
  EXPECT_EQ(live("device memory"), 1U);
  EXPECT_EQ(live("stream"), 1U);
  EXPECT_FALSE(called("cuMemFree_v2"));
}

TEST_F(DriverOwners, FailedFreeIsKeptAndNotThrown) {
  auto in = context::retain(cuda(), 0).value();
  EXPECT_FALSE(cuda().take_teardown_failure().has_value());
  {
    auto memory = device_buffer::make(in, 64).value();
    driver().fails["cuMemFree_v2"] = 700;
  }
  auto failure = cuda().take_teardown_failure();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code(), errc::device_failed);
  EXPECT_HAS(failure->context(), "cuMemFree");
  EXPECT_HAS(failure->context(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_FALSE(cuda().take_teardown_failure().has_value()) << "a failure is told once";
}

TEST_F(DriverOwners, FailingCallNamesCallStatusAndText) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  driver().fails["cuStreamSynchronize"] = 700;
  auto done = s.synchronize();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), errc::device_failed);
  EXPECT_EQ(
      done.error().context(),
      "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS 700, an illegal memory access was encountered");
}

TEST_F(DriverOwners, StatusUnknownToTheDriverStillMakesASentence) {
  auto in = context::retain(cuda(), 0).value();
  driver().fails["cuStreamCreateWithPriority"] = 4711;
  auto made = stream::make(in);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().context(),
            "cuStreamCreateWithPriority: unknown CUDA error 4711, no description");
}

TEST_F(DriverOwners, OutOfMemorySaysHowMuchWasAskedAndFree) {
  auto in = context::retain(cuda(), 0).value();
  driver().fails["cuMemAlloc_v2"] = 2;
  auto made = device_buffer::make(in, 123456);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), errc::out_of_memory);
  EXPECT_HAS(made.error().context(), "123456 bytes asked, 1000 bytes of 2000 bytes free");
}

TEST_F(DriverOwners, MappingThatFailsFreesTheHostMemory) {
  auto in = context::retain(cuda(), 0).value();
  driver().fails["cuMemHostGetDevicePointer_v2"] = 700;
  EXPECT_FALSE(mapped_host_buffer::make(in, 64));
  EXPECT_EQ(live("host memory"), 0U);
}

TEST_F(DriverOwners, MappedMemoryIsPortableMappedAndZero) {
  auto in = context::retain(cuda(), 0).value();
  auto mapped = mapped_host_buffer::make(in, 64).value();  // the fake hands out 0xff
  for (std::size_t i = 0; i < 64; ++i)
    ASSERT_EQ(static_cast<unsigned char*>(mapped.host())[i], 0) << i;
  EXPECT_EQ(driver().last_host_flags, 3U);
  EXPECT_EQ(mapped.device(),
            static_cast<cu::device_ptr>(reinterpret_cast<std::uintptr_t>(mapped.host())));
}

TEST_F(DriverOwners, CopiesAndFillsReachTheirPlaces) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  EXPECT_EQ(driver().last_stream_flags, cu::stream_non_blocking);
  auto a = device_buffer::make(in, 16).value();
  auto b = device_buffer::make(in, 16).value();
  const std::array<unsigned, 4> from{1, 2, 3, 4};
  std::array<unsigned, 4> to{};
  ASSERT_TRUE(copy_to_device(a.address(), from.data(), 16, s));
  ASSERT_TRUE(copy_on_device(b.address(), a.address(), 16, s));
  ASSERT_TRUE(fill_words(b.address(), 9, 1, s));
  ASSERT_TRUE(fill_bytes(b.address() + 12, 0xee, 4, s));
  ASSERT_TRUE(copy_to_host(to.data(), b.address(), 16, s));
  EXPECT_EQ(to, (std::array<unsigned, 4>{9, 2, 3, 0xeeeeeeeeU}));
}

TEST_F(DriverOwners, UnfinishedWorkIsNotAnError) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  auto e = event::make(in, false).value();
  driver().fails = {{"cuStreamQuery", cu::not_ready}, {"cuEventQuery", cu::not_ready}};
  EXPECT_FALSE(s.done().value());
  EXPECT_FALSE(e.done().value());
  driver().fails.clear();
  EXPECT_TRUE(s.done().value());
  EXPECT_TRUE(e.done().value());
}

TEST_F(DriverOwners, CallsLeaveTheThreadsContextAsItWas) {
  auto mine = context::retain(cuda(), 0).value();
  auto theirs = context::retain(cuda(), 1).value();
  ASSERT_EQ(cuda().cuCtxPushCurrent(theirs.view().handle), cu::success);
  {
    auto s = stream::make(mine).value();
    auto memory = device_buffer::make(mine, 8).value();
  }
  cu::context now = nullptr;
  ASSERT_EQ(cuda().cuCtxGetCurrent(&now), cu::success);
  EXPECT_EQ(now, theirs.view().handle);
  cuda().cuCtxPopCurrent(&now);
}

TEST_F(DriverOwners, OwnersMayDieOnAnotherThread) {
  auto in = context::retain(cuda(), 0).value();
  std::thread{[memory = device_buffer::make(in, 8).value()]() mutable {
    device_buffer gone{std::move(memory)};
  }}.join();
  EXPECT_EQ(live("device memory"), 0U);
  EXPECT_FALSE(cuda().take_teardown_failure().has_value());
}

class DriverKernel : public DriverOwners {};

TEST_F(DriverKernel, KernelIsLoadedWhenFoundSoThatTheLaunchLoadsNothing) {
  auto in = context::retain(cuda(), 0).value();
  auto code = code_library::load(in, {}, "loop").value();
  EXPECT_FALSE(called("cuFuncLoad"));
  auto found = code.find("perdure_loop").value();
  EXPECT_TRUE(called("cuFuncLoad"));
  EXPECT_EQ(found.attributes().value().registers, 104);  // the fake answers 100 + attribute
  EXPECT_EQ(found.blocks_per_processor(512, 0).value(), 3);
}

TEST_F(DriverKernel, FailedLoadNamesTheEntryAndItsLibrary) {
  auto in = context::retain(cuda(), 0).value();
  auto code = code_library::load(in, {}, "bank.sm_90").value();
  driver().fails["cuLibraryGetKernel"] = 500;
  auto found = code.find("perdure_loop");
  ASSERT_FALSE(found);
  EXPECT_HAS(found.error().context(), "cuLibraryGetKernel (perdure_loop of bank.sm_90)");
}

TEST_F(DriverKernel, LaunchCarriesShapeArgumentsAndAttributes) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  auto code = code_library::load(in, {}, "loop").value();
  auto loop = code.find("perdure_loop").value();
  const launch_shape shape{.grid = {132, 2, 1},
                           .block = {512, 1, 1},
                           .dynamic_shared_bytes = 4096,
                           .cooperative = true,
                           .cluster = 4};
  ASSERT_TRUE(loop.launch(shape, s, 77L, 5));
  EXPECT_EQ(driver().last_grid[0], 132U);
  EXPECT_EQ(driver().last_grid[1], 2U);
  EXPECT_EQ(driver().last_block[0], 512U);
  EXPECT_EQ(driver().last_shared, 4096U);
  EXPECT_EQ(driver().last_launch_stream, static_cast<void*>(s.handle()));
  EXPECT_TRUE(driver().last_cooperative);
  EXPECT_EQ(driver().last_cluster, 4U);
  EXPECT_EQ(driver().last_argument, 77);
  ASSERT_TRUE(loop.launch({}, s, 78L));
  EXPECT_FALSE(driver().last_cooperative);
  EXPECT_EQ(driver().last_cluster, 0U);
}

TEST_F(DriverKernel, OneRecordingMakesManyGraphsAndLoadsNone) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  {
    auto recorded = recording::of(s, [] { return perdure::result<void>{}; }).value();
    EXPECT_EQ(live("graph"), 1U);
    auto first = recorded.instantiate().value();
    auto second = recorded.instantiate().value();
    EXPECT_FALSE(called("cuGraphUpload")) << "its first launch is measured with the upload";
    ASSERT_TRUE(first.upload(s));
    EXPECT_TRUE(called("cuGraphUpload"));
    EXPECT_EQ(live("graph exec"), 2U);
  }
  EXPECT_EQ(live("graph"), 0U);
  EXPECT_EQ(live("graph exec"), 0U);
}

TEST_F(DriverKernel, CaptureIsEndedWhenWhatItRecordsFails) {
  auto in = context::retain(cuda(), 0).value();
  auto s = stream::make(in).value();
  auto recorded = graph::record(
      s, [] { return perdure::result<void>{perdure::error{errc::bad_option, "no"}}; });
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error().code(), errc::bad_option);
  EXPECT_TRUE(called("cuStreamEndCapture"));
  EXPECT_EQ(live("graph"), 0U);
  EXPECT_FALSE(called("cuGraphInstantiateWithFlags"));
}

}  // namespace
