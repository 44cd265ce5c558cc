// tests/runtime/cuda/engine_test.cpp - what an engine says of its code.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/runtime/cuda/fake_device.hpp"

namespace {

using CudaEngine = with_fake_device;

TEST_F(CudaEngine, ReportsTheHashOfTheCubinThatItLoaded) {
  const auto engine = make().value();
  perdure::layout_report report;
  engine->describe(report);
  EXPECT_EQ(report.cubin_hash, "343e1662793c64bf6f0d3597ba446f18") << "FNV-1a of \"foobar\"";
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

}  // namespace
