// tests/runtime/driver/with_fake_driver.hpp - a fixture: a fresh copy of the fake driver library a test.
// Why: an api is kept for the life of the process, so each test needs a library of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "fake_cuda.hpp"
#include "runtime/driver/api.hpp"

class with_fake_driver : public ::testing::Test {
 protected:
  void SetUp() override { copy_of(FAKE_CUDA_PATH); }
  void TearDown() override {
    std::filesystem::remove(path_);
    EXPECT_TRUE(driver().misuse.empty()) << driver().misuse.front();
  }

  /// Puts a copy in place of the one in hand and opens it.
  void copy_of(const char* library) {
    static int count = 0;
    if (!path_.empty())
      std::filesystem::remove(path_);  // of an earlier copy in this test; it stays mapped
    path_ =
        std::filesystem::temp_directory_path() /
        ("perdure-fake-cuda-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".so");
    std::filesystem::copy_file(library, path_, std::filesystem::copy_options::overwrite_existing);
    void* handle = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << ::dlerror();
    auto state_of = reinterpret_cast<fake::state* (*)()>(::dlsym(handle, "fake_cuda_state"));
    ASSERT_NE(state_of, nullptr);
    state_ = state_of();
  }
  fake::state& driver() { return *state_; }
  const std::string path() const { return path_.string(); }
  const perdure::driver::api& cuda() { return *perdure::driver::api::load_from(path()).value(); }
  bool called(const std::string& symbol) {
    for (const auto& call : driver().calls) {
      if (call == symbol) return true;
    }
    return false;
  }

 private:
  std::filesystem::path path_;
  fake::state* state_ = nullptr;
};

#define EXPECT_HAS(text, part) \
  EXPECT_NE(std::string{text}.find(part), std::string::npos) << "in: " << (text)
