// tests/runtime/jit/ptxas_log_test.cpp - the figures out of a log as NVRTC 13.0 writes it.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/ptxas_log.hpp"

#include <gtest/gtest.h>

namespace perdure::runtime::jit {
namespace {

constexpr const char* real_log =
    R"(bank.hpp(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z2k2Pf' for 'sm_90'
ptxas info    : Function properties for _Z2k2Pf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 3.941 ms
ptxas info    : Compiling entry function 'kern' for 'sm_90'
ptxas info    : Function properties for kern
ptxas         .     160 bytes stack frame, 28 bytes spill stores, 36 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 192 bytes cumulative stack size, 256 bytes smem
ptxas info    : Compile time = 8.110 ms
ptxas info    : Function properties for _Z2h1Pfi
ptxas         .     32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
)";

TEST(PtxasLog, GivesEachFunctionItsOwnFigures) {
  const auto all = parse_ptxas_log(real_log);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "_Z2k2Pf");
  EXPECT_TRUE(all[0].entry);
  EXPECT_EQ(all[0].registers, 8U);
  EXPECT_EQ(all[0].barriers, 0U);
  EXPECT_EQ(all[1].name, "kern");
  EXPECT_EQ(all[1].registers, 40U);
  EXPECT_EQ(all[1].barriers, 1U);
  EXPECT_EQ(all[1].stack_bytes, 160U);
  EXPECT_EQ(all[1].deepest_stack_bytes, 192U);
  EXPECT_EQ(all[1].spill_store_bytes, 28U);
  EXPECT_EQ(all[1].spill_load_bytes, 36U);
  EXPECT_EQ(all[1].shared_bytes, 256U);
  EXPECT_EQ(all[2].name, "_Z2h1Pfi");
  EXPECT_FALSE(all[2].entry);
  EXPECT_EQ(all[2].stack_bytes, 32U);
}
TEST(PtxasLog, ALogWithoutFiguresGivesNone) {
  EXPECT_TRUE(parse_ptxas_log("").empty());
  EXPECT_TRUE(
      parse_ptxas_log("bank.hpp(1): error: Used 3 registers\nno newline at the end").empty());
}

}  // namespace
}  // namespace perdure::runtime::jit
