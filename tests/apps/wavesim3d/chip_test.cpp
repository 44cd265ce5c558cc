// tests/apps/wavesim3d/chip_test.cpp - a tile's fields stay on chip: what the app's speed rests on.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/cuda/chip_plan.hpp"
#include "tile.actors.hpp"

namespace {

TEST(WaveChip, ATileAndTheMessagesAtAllItsPortsFitOnAnH200) {
  using wavesim3d::tile;
  namespace abi = perdure::abi;
  perdure::driver::device_properties h200;
  h200.name = "test device";
  h200.major = 9;
  h200.processors = 132;
  h200.shared_bytes_per_block = 232'448;
  const auto plan = perdure::runtime::plan_chip(h200, ::tile::actors(), {});
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_TRUE(plan->states_on_chip);
  EXPECT_GE(plan->m.held_bytes, sizeof(tile));
  const std::uint32_t all = 4 * abi::landed_bytes(sizeof(tile::side)) +
                            2 * abi::landed_bytes(sizeof(tile::level)) +
                            abi::landed_bytes(sizeof(wavesim3d::go));
  EXPECT_GE(plan->m.land_bytes, all);
  EXPECT_GE(plan->m.stage_bytes - plan->m.stage_spare, all);
  RecordProperty("chip_bytes", static_cast<int>(plan->m.chip_bytes));
  RecordProperty("land_bytes", static_cast<int>(plan->m.land_bytes));
}

}  // namespace
