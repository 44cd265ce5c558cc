// tests/runtime/cuda/fake_device.hpp - a fixture: programs that come with a cubin, on the fake driver library.
// Why: with an embedded cubin no NVRTC is asked, so an engine can be made on any machine; it is never launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <vector>

#include "kernels/abi/layout_hash.cuh"
#include "kernels/dispatch/memory.cuh"
#include "runtime/driver/context.hpp"
#include "runtime/jit/loop_layout.hpp"
#include "runtime/system/core.hpp"
#include "with_fake_driver.hpp"

class with_fake_device : public with_fake_driver {
 protected:
  void SetUp() override {
    with_fake_driver::SetUp();
    ::setenv("PERDURE_CUDA_DRIVER", path().c_str(), 1);
    driver().global_bytes = sizeof(perdure::loop::memory);  // as of a program of this version
    arch_ = perdure::driver::describe(cuda(), 0).value().architecture();
    embed_for(perdure::abi::usual_lanes(true));  // it has no actors
    actors.name = "embedded";
    actors.abi_hash = perdure::abi::layout_hash();
    actors.cubins = embedded_;
  }
  void TearDown() override {
    ::unsetenv("PERDURE_CUDA_DRIVER");
    EXPECT_TRUE(driver().live.empty()) << *driver().live.begin() << " was leaked";
    with_fake_driver::TearDown();
  }
  static perdure::options on(int device) {
    perdure::options o;
    o.backend = perdure::backend::cuda;
    o.device = device;
    return o;
  }
  auto make(int device = 0) { return perdure::runtime::make_cuda_engine(actors, on(device)); }

  perdure::program actors{};

  /// What the program comes with is for blocks of so many threads.
  void embed_for(std::uint32_t lanes) {
    layout_ = perdure::runtime::jit::name_of({lanes}, actors.device_source);
    embedded_[0] = {arch_.c_str(), layout_.c_str(), image_};
  }

 private:
  std::string arch_, layout_;
  std::vector<std::uint8_t> image_{'f', 'o', 'o', 'b', 'a', 'r'};
  perdure::cubin_info embedded_[1]{};
};
