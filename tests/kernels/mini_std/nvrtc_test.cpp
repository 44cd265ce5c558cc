// tests/kernels/mini_std/nvrtc_test.cpp - NVRTC takes every case of every group.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
    if (const auto found = mini_std::jit::nvrtc::open(); !found)
      GTEST_SKIP() << "no NVRTC here: " << found.error().context();
  }
};

TEST_P(MiniStdOnNvrtc, CompilesEveryCase) {
  const std::string source =
      std::string{"#include \""} + GetParam().file +
      "\"\nextern \"C\" __global__ void k(record* r, unsigned n) { sink out{r, n}; " +
      GetParam().call + "(out); }\n";
  const auto made = mini_std::compile(source, GetParam().arch);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(made->function("k"), nullptr);
}
INSTANTIATE_TEST_SUITE_P(
    Units, MiniStdOnNvrtc,
    testing::Values(unit{"types_sm_90", "types.cuh", "types::run", "sm_90"},
                    unit{"values_sm_90", "values.cuh", "values::run", "sm_90"},
                    unit{"algorithms_sm_90", "algorithms.cuh", "algorithms::run", "sm_90"},
                    unit{"numbers_sm_90", "numbers.cuh", "numbers::run", "sm_90"},
                    unit{"functions_sm_90", "numbers.cuh", "numbers::inexact", "sm_90"},
                    unit{"values_sm_80", "values.cuh", "values::run", "sm_80"},
                    unit{"values_sm_100", "values.cuh", "values::run", "sm_100"},
                    unit{"functions_sm_80", "numbers.cuh", "numbers::inexact", "sm_80"},
                    unit{"functions_sm_100", "numbers.cuh", "numbers::inexact", "sm_100"}),
    [](const auto& of) { return std::string{of.param.name}; });

}  // namespace
