// tests/kernels/mini_std/nvrtc_test.cpp - NVRTC takes every case, and all headers cost it little time.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/jit/nvrtc.hpp"
#include "tests/kernels/mini_std/device_unit.hpp"

namespace {

struct unit {
  const char* name;
  const char* file;
  const char* call;
  const char* arch;
};

class MiniStdOnNvrtc : public testing::TestWithParam<unit> {
 protected:
  void SetUp() override {
    if (const auto found = mini_std::jit::nvrtc::open(); !found) GTEST_SKIP() << "no NVRTC here: " << found.error().context();
  }
};

TEST_P(MiniStdOnNvrtc, CompilesEveryCase) {
  const std::string source = std::string{"#include \""} + GetParam().file +
                             "\"\nextern \"C\" __global__ void k(record* r, unsigned n) { sink out{r, n}; " + GetParam().call + "(out); }\n";
  const auto made = mini_std::compile(source, GetParam().arch);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(made->function("k"), nullptr);
}
INSTANTIATE_TEST_SUITE_P(
    Units, MiniStdOnNvrtc,
    testing::Values(unit{"types_sm_90", "types.cuh", "types::run", "sm_90"}, unit{"values_sm_90", "values.cuh", "values::run", "sm_90"},
                    unit{"algorithms_sm_90", "algorithms.cuh", "algorithms::run", "sm_90"},
                    unit{"numbers_sm_90", "numbers.cuh", "numbers::run", "sm_90"},
                    unit{"functions_sm_90", "numbers.cuh", "numbers::inexact", "sm_90"},
                    unit{"values_sm_80", "values.cuh", "values::run", "sm_80"}, unit{"values_sm_100", "values.cuh", "values::run", "sm_100"},
                    unit{"functions_sm_80", "numbers.cuh", "numbers::inexact", "sm_80"},
                    unit{"functions_sm_100", "numbers.cuh", "numbers::inexact", "sm_100"}),
    [](const auto& of) { return std::string{of.param.name}; });

class MiniStdCost : public MiniStdOnNvrtc {};
TEST_P(MiniStdCost, AllHeadersTogetherAddLessThanATenthOfASecond) {
  const auto least_ms = [](const std::string& source) {  // the least of several: other programs run on this machine
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      mini_std::jit::compile_options how;
      how.use_cache = false;
      const auto made = mini_std::jit::compile(source, "cost.cu", "sm_90", how);
      EXPECT_TRUE(made) << made.error().message();
      least = std::min(least, made ? made->compile_ms : 0.0);
    }
    return least;
  };
  const std::string kernel = "extern \"C\" __global__ void k(int* p) { *p = 1; }\n";
  const double without = least_ms(kernel), with = least_ms("#include <perdure_std>\n" + kernel);
  RecordProperty("added_us", static_cast<int>((with - without) * 1000));
  EXPECT_LT(with - without, 100.0);
}
INSTANTIATE_TEST_SUITE_P(Once, MiniStdCost, testing::Values(unit{"all", "", "", "sm_90"}));

}  // namespace
