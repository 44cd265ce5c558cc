// tests/contract/placed_loop_test.cpp - loops that count traffic or record compile for every architecture: plain, with overflow rules, wide.
// Why: the tool's check compiles what most programs run; with options.placement or .record a program is compiled when it starts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "flood.actors.hpp"
#include "kernels/abi/actor_slot.cuh"
#include "mesh.actors.hpp"
#include "runtime/jit/compile.hpp"
#include "talk.actors.hpp"
#include "tolls.actors.hpp"

namespace {

namespace jit = perdure::runtime::jit;

class PlacedLoop : public ::testing::TestWithParam<const char*> {
 protected:
  /// @param fits  its values have room in registers, as without counting.
  static void compile(const perdure::program& p, std::vector<std::string> more, bool fits,
                      const char* kind = "-DPERDURE_PLACES=1") {
    jit::compile_options how;
    how.use_cache = false;
    how.extra = std::move(more);
    how.extra.emplace_back(kind);
    const auto counted = jit::compile(p.device_source, p.name, GetParam(), how);
    if (!counted && counted.error().code() == perdure::errc::no_nvrtc)
      GTEST_SKIP() << counted.error().message();
    ASSERT_TRUE(counted.has_value()) << counted.error().message();
    const auto* loop = counted->function("perdure_loop");
    ASSERT_NE(loop, nullptr);
    RecordProperty("spill_store_bytes", static_cast<int>(loop->spill_store_bytes));
    RecordProperty("registers", static_cast<int>(loop->registers));
    if (fits) {
      // a lane's two words of a message that is deferred (kernels/dispatch/defer.cuh), once a batch; no handler pays for it
      EXPECT_LE(loop->spill_store_bytes, 32U);
    }
  }
};

/// By as many lanes as programs have whose states are brought on chip: these have the fewest registers.
TEST_P(PlacedLoop, OfSmallActors) {
  compile(talk::actors(), {"-DPERDURE_LANES=" + std::to_string(perdure::abi::usual_lanes(false))},
          true);
}
TEST_P(PlacedLoop, WithOverflowRules) { compile(flood::actors(), {}, false); }
TEST_P(PlacedLoop, OfWideActorsBesideSmallOnes) {
  compile(mesh::actors(), {"-DPERDURE_LANES=128", "-DPERDURE_STATES_ON_CHIP=1"}, false);
}

TEST_P(PlacedLoop, ThatIsRecorded) {
  compile(mesh::actors(), {"-DPERDURE_LANES=128", "-DPERDURE_STATES_ON_CHIP=1"}, false,
          "-DPERDURE_RECORD=1");
}
TEST_P(PlacedLoop, ThatIsRecordedOfHotActorsWithRuns) {
  compile(tolls::actors(), {}, false, "-DPERDURE_RECORD=1");
}

INSTANTIATE_TEST_SUITE_P(Architectures, PlacedLoop, testing::Values("sm_80", "sm_90", "sm_100"));

}  // namespace
