// tests/runtime/jit/fixture.hpp - a folder of its own for each test, and a plain skip where NVRTC
//   is absent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/jit/compile.hpp"
#include "runtime/jit/nvrtc.hpp"

namespace perdure::runtime::jit {

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
inline void spill(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

/// Sets a variable of the environment for as long as it lives; nullptr unsets it.
class environment {
 public:
  environment(const char* name, const char* value) : name_{name} {
    if (const char* old = std::getenv(name); old != nullptr) {
      had_ = true;
      old_ = old;
    }
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~environment() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

/// Without NVRTC nothing of this can run; the reason goes into the report.
class in_folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-jit-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder, ignored);
  }
  compile_options options() {
    compile_options o;
    o.cache_dir = folder / "cache";
    o.on_warning = [this](const std::string& text) { warnings.push_back(text); };
    return o;
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> all;
    for (const auto& e : std::filesystem::directory_iterator{folder / "cache"})
      all.push_back(e.path());
    return all;
  }

  std::filesystem::path folder;
  std::vector<std::string> warnings;
};

class with_nvrtc : public in_folder {
 protected:
  void SetUp() override {
    in_folder::SetUp();
    if (const auto found = nvrtc::open(); !found)
      GTEST_SKIP() << "no NVRTC here: " << found.error().context();
  }
};

inline constexpr const char* small_kernel =
    "extern \"C\" __global__ void twice(int* p) { p[threadIdx.x] *= 2; }\n";

}  // namespace perdure::runtime::jit
