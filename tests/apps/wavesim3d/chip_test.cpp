// tests/apps/wavesim3d/chip_test.cpp - a tile's fields stay on chip: what the app's speed rests on.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/cuda/chip_plan.hpp"
#include "cube.actors.hpp"
#include "cube_medium.actors.hpp"
#include "medium.actors.hpp"
#include "plain.actors.hpp"
#include "small.actors.hpp"
#include "small_medium.actors.hpp"
#include "streamed.actors.hpp"
#include "streamed_medium.actors.hpp"
#include "swapped.actors.hpp"
#include "swapped_medium.actors.hpp"
#include "tile_kind.hpp"

namespace {

auto plan_of(const perdure::program& actors, const perdure::options& opts = {}) {
  perdure::driver::device_properties h200;
  h200.name = "test device";
  h200.major = 9;
  h200.processors = 132;
  h200.shared_bytes_per_block = 232'448;
  return perdure::runtime::plan_chip(h200, actors, opts);
}

template <class Tile>
void messages_fit(const perdure::runtime::chip_plan& plan) {
  namespace abi = perdure::abi;
  const std::uint32_t all = 2 * abi::landed_bytes(sizeof(typename Tile::side)) +
                            2 * abi::landed_bytes(sizeof(typename Tile::front)) +
                            2 * abi::landed_bytes(sizeof(typename Tile::level)) +
                            abi::landed_bytes(sizeof(wavesim3d::go));
  EXPECT_GE(plan.m.land_bytes, all);
  EXPECT_GE(plan.m.stage_bytes - plan.m.stage_spare, all);
}

template <class Tile>
void fits_on_an_h200(const perdure::program& actors) {
  const auto plan = plan_of(actors);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_TRUE(plan->states_on_chip);
  EXPECT_GE(plan->m.held_bytes, sizeof(Tile));
  messages_fit<Tile>(*plan);
  testing::Test::RecordProperty("chip_bytes", static_cast<int>(plan->m.chip_bytes));
  testing::Test::RecordProperty("land_bytes", static_cast<int>(plan->m.land_bytes));
}

TEST(WaveChip, ATileAndTheMessagesAtAllItsPortsFitOnAnH200) {
  fits_on_an_h200<wavesim3d::tile>(::plain::actors());
}
TEST(WaveChip, ASmallTileDoes) {
  fits_on_an_h200<wavesim3d::small_tile>(::small::actors());
  fits_on_an_h200<wavesim3d::small_medium_tile>(::small_medium::actors());
}
TEST(WaveChip, ATileThatKeepsOneFieldDoes) {
  fits_on_an_h200<wavesim3d::cube_tile>(::cube::actors());
  fits_on_an_h200<wavesim3d::cube_medium_tile>(::cube_medium::actors());
}
TEST(WaveChip, ATileThatIsSwappedDoes) {
  fits_on_an_h200<wavesim3d::swapped_tile>(::swapped::actors());
}
TEST(WaveChip, ATileOfSeveralMaterialsDoes) {
  fits_on_an_h200<wavesim3d::medium_tile>(::medium::actors());
  fits_on_an_h200<wavesim3d::swapped_medium_tile>(::swapped_medium::actors());
}
/// A multiprocessor of an H200 has 256 KB for both, and gives blocks 64 or 100 KB of it, but not what lies between.
template <class Tile>
void leaves_its_cache_192_kb() {
  const auto plan = plan_of(wavesim3d::tile_kind<Tile>::program(),
                            wavesim3d::tile_kind<Tile>::suited(perdure::options{}));
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_TRUE(plan->states_in_memory);
  EXPECT_EQ(plan->m.whole_links, 1U) << "its messages stay in their links";
  constexpr std::uint32_t of_the_loop = 2048;
  EXPECT_LE(plan->m.chip_bytes + of_the_loop, 64U * 1024);
}
TEST(WaveChip, ATileThatIsNeverOnTheChipLeavesItToTheCache) {
  leaves_its_cache_192_kb<wavesim3d::streamed_tile>();
  leaves_its_cache_192_kb<wavesim3d::streamed_medium_tile>();
}

}  // namespace
