// tests/contract/placed_loop_test.cpp - loops with counted placement compile for every architecture: plain, with overflow rules, wide.
// Why: the tool's check compiles what most programs run; with options.placement a program is compiled when it starts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "flood.actors.hpp"
#include "mesh.actors.hpp"
#include "runtime/jit/compile.hpp"
#include "talk.actors.hpp"

namespace {

namespace jit = perdure::runtime::jit;

class PlacedLoop : public ::testing::TestWithParam<const char*> {
 protected:
  static void compile(const perdure::program& p, std::vector<std::string> more) {
    jit::compile_options how;
    how.use_cache = false;
    how.extra = std::move(more);
    const auto fixed = jit::compile(p.device_source, p.name, GetParam(), how);
    if (!fixed && fixed.error().code() == perdure::errc::no_nvrtc)
      GTEST_SKIP() << fixed.error().message();
    ASSERT_TRUE(fixed.has_value()) << fixed.error().message();
    how.extra.emplace_back("-DPERDURE_PLACES=1");
    const auto counted = jit::compile(p.device_source, p.name, GetParam(), how);
    ASSERT_TRUE(counted.has_value()) << counted.error().message();
    const auto* loop = counted->function("perdure_loop");
    const auto* plain = fixed->function("perdure_loop");
    ASSERT_NE(loop, nullptr);
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(loop->spill_store_bytes, plain->spill_store_bytes) << "registers run out";
    EXPECT_NE(fixed->bytes, counted->bytes) << "nothing is counted";
  }
};

TEST_P(PlacedLoop, OfSmallActors) { compile(talk::actors(), {}); }
TEST_P(PlacedLoop, WithOverflowRules) { compile(flood::actors(), {}); }
TEST_P(PlacedLoop, OfWideActorsBesideSmallOnes) {
  compile(mesh::actors(), {"-DPERDURE_LANES=128", "-DPERDURE_STATES_ON_CHIP=1"});
}

INSTANTIATE_TEST_SUITE_P(Architectures, PlacedLoop, testing::Values("sm_80", "sm_90", "sm_100"));

}  // namespace
