// tests/runtime/cuda/engine_test.cpp - what an engine says of its code.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

#include "perdure/system.hpp"
#include "tests/runtime/cuda/fake_device.hpp"

namespace {

using CudaEngine = with_fake_device;

TEST_F(CudaEngine, ReportsTheHashOfTheCubinThatItLoaded) {
  const auto engine = make().value();
  perdure::layout_report report;
  engine->describe(report);
  EXPECT_EQ(report.cubin_hash, "343e1662793c64bf6f0d3597ba446f18") << "FNV-1a of \"foobar\"";
}

TEST_F(CudaEngine, TakesTheEmbeddedCubinOfItsWidthAlone) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("perdure-width-" + std::to_string(::getpid()));
  ::setenv("PERDURE_NVRTC", PLAIN_NVRTC_PATH, 1);
  const auto hash_of = [&](std::uint32_t lanes) {
    auto options = on(0);
    options.cache_dir = folder;
    options.lanes = lanes;
    const auto engine = perdure::runtime::make_cuda_engine(actors, options).value();
    perdure::layout_report report;
    engine->describe(report);
    return report.cubin_hash;
  };
  constexpr const char* of_foobar = "343e1662793c64bf6f0d3597ba446f18";
  EXPECT_EQ(hash_of(0), of_foobar);
  constexpr std::uint32_t usual = perdure::abi::usual_lanes(true);
  EXPECT_EQ(hash_of(usual), of_foobar);
  EXPECT_NE(hash_of(2 * usual), of_foobar) << "NVRTC's";
  embed_for(2 * usual);
  EXPECT_NE(hash_of(0), of_foobar) << "NVRTC's";
  EXPECT_EQ(hash_of(2 * usual), of_foobar);
  ::unsetenv("PERDURE_NVRTC");
  std::filesystem::remove_all(folder);
}

TEST_F(CudaEngine, CompilesWhileTheDriverMakesItsContext) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("perdure-beside-" + std::to_string(::getpid()));
  ::setenv("PERDURE_NVRTC", PLAIN_NVRTC_PATH, 1);
  void* nvrtc = ::dlopen(PLAIN_NVRTC_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvrtc, nullptr) << ::dlerror();
  auto* begun = static_cast<std::atomic<int>*>(::dlsym(nvrtc, "plain_nvrtc_compiles"));
  ASSERT_NE(begun, nullptr);
  bool beside = false;
  driver().on_retain = [&] {  // would wait in vain for a compile that comes after it
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (*begun == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    beside = *begun != 0;
  };
  actors.cubins = {};
  auto options = on(0);
  options.cache_dir = folder;
  const auto engine = perdure::runtime::make_cuda_engine(actors, options);
  EXPECT_TRUE(engine) << engine.error().message();
  EXPECT_TRUE(beside);
  driver().on_retain = nullptr;
  ::unsetenv("PERDURE_NVRTC");
  std::filesystem::remove_all(folder);
}

TEST_F(CudaEngine, AContextThatCannotBeMadeIsTheErrorThoughTheProgramCompiles) {
  driver().fails["cuDevicePrimaryCtxRetain"] = 2;  // CUDA_ERROR_OUT_OF_MEMORY
  const auto engine = make();
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code(), perdure::errc::out_of_memory);
}

/// The fake device has no loop. This one's stream is busy until it is told to halt.
TEST_F(CudaEngine, ALoopThatDoesNotComeUpInTimeIsToldToLeave) {
  std::atomic<const perdure::abi::control_page*> page{nullptr};
  driver().on_launch = [&] {
    perdure::loop::memory m;
    std::memcpy(static_cast<void*>(&m), driver().global.data(), sizeof(m));
    page = m.control;
  };
  driver().fails["cuStreamQuery"] = 600;  // CUDA_ERROR_NOT_READY
  std::atomic<bool> ended{false}, told{false};
  std::jthread device{[&] {
    while (!ended && !told) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      if (page == nullptr) continue;
      const auto command =
          perdure::loop::load<perdure::loop::order::acquire, perdure::loop::scope::system>(
              &page.load()->command);
      told = perdure::abi::command_of(command) == perdure::abi::command::halt;
    }
    const std::lock_guard lock{driver().mutex};
    driver().fails.clear();  // it has left
  }};
  auto options = on(0);
  options.workers = 2;
  options.memory_bytes = 1U << 20U;
  options.inbox_slots = options.spill_slots = options.host_slots = 1024;
  options.outbox_slots = 1024;
  options.timer_slots = options.buffer_slots = 64;
  const auto sys = perdure::system::start(actors, options);
  ASSERT_FALSE(sys);
  EXPECT_EQ(sys.error().code(), perdure::errc::device_failed) << sys.error().message();
  EXPECT_HAS(sys.error().context(), "did not come up");
  ended = true;
  device.join();
  EXPECT_TRUE(told);
  EXPECT_TRUE(make()) << "the device is free again";
}

}  // namespace
