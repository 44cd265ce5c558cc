// tests/runtime/cuda/chip_plan_test.cpp - how a block is laid out for devices of all kinds, none of which is needed.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/chip_plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kernels/dispatch/on_chip.cuh"

namespace {

using perdure::runtime::chip_plan;
using perdure::runtime::plan_chip;
namespace abi = perdure::abi;

/// A program of one small and up to two wide actors; message 0 is joined and opened by the wide ones.
struct program_of_wide {
  std::uint32_t state = 1024, other_state = 1024, message_bytes = 256;
  std::uint16_t lanes = 256, other_lanes = 64;
  bool joins = true, wide = true;

  perdure::result<chip_plan> plan(const perdure::driver::device_properties& device,
                                  const perdure::options& how = {}) {
    static constexpr const char* ports[] = {"west", "east"};
    static constexpr std::uint16_t carried[] = {0};
    const perdure::message_info messages[] = {{"face", 1, message_bytes, 4, {}}};
    const std::span<const std::uint16_t> in{carried, joins ? 1U : 0U};
    const std::uint16_t joined = joins ? 1 : 0;
    const perdure::wide_info first{lanes, ports, {}, 0, carried, in, joined};
    const perdure::wide_info second{other_lanes, ports, {}, 0, carried, in, joined};
    const perdure::actor_info actors[] = {
        {"clerk", 1, 16, 8, {}, nullptr, nullptr},
        {"tile", 2, state, 8, {}, nullptr, wide ? &first : nullptr},
        {"brick", 3, other_state, 8, {}, nullptr, wide ? &second : nullptr}};
    perdure::program p{};
    p.name = "wall";
    p.actors = actors;
    p.messages = messages;
    return plan_chip(device, p, how);
  }
};

perdure::driver::device_properties device_of(int major, int processors, std::size_t shared_bytes) {
  perdure::driver::device_properties d;
  d.name = "test device";
  d.major = major;
  d.processors = processors;
  d.shared_bytes_per_block = shared_bytes;
  return d;
}
const auto h200 = device_of(9, 132, 232'448);
const auto a100 = device_of(8, 108, 166'912);

void expect_bad_option(const perdure::result<chip_plan>& got,
                       std::initializer_list<const char*> words) {
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code(), perdure::errc::bad_option);
  for (const char* word : words) {
    EXPECT_NE(got.error().context().find(word), std::string::npos)
        << word << " is not in: " << got.error().context();
  }
}

TEST(ChipPlan, TheBlockIsAsWideAsTheWidestActor) {
  program_of_wide p;
  EXPECT_EQ(p.plan(h200)->lanes, 256U);
  p.other_lanes = 1024;
  EXPECT_EQ(p.plan(h200)->lanes, 1024U);
  p.wide = false;
  EXPECT_EQ(p.plan(h200)->lanes, 512U);
}
TEST(ChipPlan, FewerLanesThanAnActorIsWrittenForAreRefusedAndItIsNamed) {
  program_of_wide p;
  expect_bad_option(p.plan(h200, {.lanes = 224}), {"224", "tile", "256"});
  expect_bad_option(p.plan(h200, {.lanes = 100}), {"100", "32"});
  expect_bad_option(p.plan(h200, {.lanes = 1056}), {"1056", "1024"});
  EXPECT_EQ(p.plan(h200, {.lanes = 512})->lanes, 512U);
}
TEST(ChipPlan, StatesAreOnChipIfAllOfThemFit) {
  program_of_wide p;
  const auto fits = p.plan(h200);
  EXPECT_TRUE(fits->states_on_chip);
  EXPECT_EQ(fits->m.held_bytes, 1024U);
  EXPECT_LE(fits->m.chip_bytes, fits->bytes);
  p.state = 120'000;
  const auto large = p.plan(h200);
  EXPECT_TRUE(large->states_on_chip);
  EXPECT_EQ(large->m.held_bytes, abi::wide_up(120'000));
  EXPECT_LE(large->m.chip_bytes, large->bytes);
  p.state = 240'000;
  const auto too_large = p.plan(h200);
  ASSERT_TRUE(too_large.has_value()) << "it stays in memory";
  EXPECT_FALSE(too_large->states_on_chip);
  EXPECT_EQ(too_large->m.held_bytes, 1024U) << "the other one is brought";
  EXPECT_LE(too_large->m.chip_bytes, too_large->bytes);
}
TEST(ChipPlan, StatesAreInMemoryIfNoneOfThemFits) {
  program_of_wide p;
  EXPECT_FALSE(p.plan(h200)->states_in_memory);
  p.state = 240'000;
  EXPECT_FALSE(p.plan(h200)->states_in_memory) << "the other one is brought";
  p.other_state = 250'000;
  const auto none = p.plan(h200);
  EXPECT_TRUE(none->states_in_memory);
  EXPECT_FALSE(none->states_on_chip);
  EXPECT_EQ(none->m.held_bytes, 0U);
}
TEST(ChipPlan, RoomForFewerMessagesLeavesMoreOfTheChip) {
  program_of_wide p;
  p.state = p.other_state = 240'000;
  p.message_bytes = 16'384;
  const std::uint32_t message = abi::landed_bytes(p.message_bytes);
  const auto all = p.plan(h200, {.cluster = 1});
  const auto one = p.plan(h200, {.cluster = 1, .port_messages = 1});
  EXPECT_GE(all->m.land_bytes, 2 * message);
  EXPECT_GE(one->m.land_bytes, message);
  EXPECT_LT(one->m.land_bytes, 2 * message);
  constexpr std::uint32_t for_small_ones = 2048;
  EXPECT_LE(one->m.chip_bytes + 2 * message, all->m.chip_bytes + for_small_ones)
      << "one that has landed and one that is filled";
  EXPECT_EQ(p.plan(h200, {.cluster = 1, .port_messages = 99})->m.chip_bytes, all->m.chip_bytes);
}
TEST(ChipPlan, ALargestStateFitsExactlyAndAByteMoreDoesNot) {
  program_of_wide p;
  p.other_state = 128;
  std::uint32_t fits = 1024, not_any_more = 230'000;
  while (not_any_more - fits > 1) {
    p.state = (fits + not_any_more) / 2;
    (p.plan(h200, {.cluster = 1})->states_on_chip ? fits : not_any_more) = p.state;
  }
  EXPECT_GT(fits, 150'000U);
  EXPECT_EQ(fits % abi::wide_align, 0U);
  p.state = fits;
  const auto full = p.plan(h200, {.cluster = 1});
  EXPECT_EQ(full->m.held_bytes, fits);
  EXPECT_LE(full->m.chip_bytes, full->bytes);
  EXPECT_GT(full->m.chip_bytes + 2 * abi::wide_align, full->bytes) << "room was left";
}
TEST(ChipPlan, MessagesThatHaveNoRoomOnChipAreRefusedWithTheSizes) {
  program_of_wide p;
  p.message_bytes = 70'000;
  const auto small = device_of(8, 46, 101'376);
  expect_bad_option(p.plan(small),
                    {"wall", "bytes on chip", std::to_string(101'376 - 1024).c_str()});
  p.message_bytes = 256;
  EXPECT_TRUE(p.plan(small).has_value());
}
TEST(ChipPlan, LinksGetClustersOfTwoWhereTheDeviceHasThem) {
  program_of_wide p;
  const auto linked = p.plan(h200);
  EXPECT_EQ(linked->cluster, 2U);
  EXPECT_EQ(linked->workers, 132U);
  EXPECT_GT(linked->m.link_bytes, 0U);
  EXPECT_EQ(p.plan(device_of(9, 131, 232'448))->workers, 130U) << "whole clusters only";
  EXPECT_EQ(p.plan(a100)->cluster, 1U);
  EXPECT_EQ(p.plan(a100)->m.link_bytes, 0U);
  p.joins = false;
  EXPECT_EQ(p.plan(h200)->cluster, 1U) << "nothing can be linked";
}
TEST(ChipPlan, AClusterThatWasNotAskedForDividesTheWorkers) {
  program_of_wide p;
  EXPECT_EQ(p.plan(h200, {.workers = 7})->cluster, 1U);
  EXPECT_EQ(p.plan(h200, {.workers = 6})->cluster, 2U);
  EXPECT_EQ(p.plan(h200, {.workers = 8})->cluster, 2U);
}
TEST(ChipPlan, AClusterAskedForIsRefusedOnADeviceWithoutThem) {
  program_of_wide p;
  EXPECT_EQ(p.plan(h200, {.cluster = 2})->cluster, 2U);
  expect_bad_option(p.plan(a100, {.cluster = 2}), {"cluster", "2", "test device"});
  EXPECT_EQ(p.plan(a100, {.cluster = 1})->cluster, 1U);
}
TEST(ChipPlan, AProgramWithoutWideActorsLeavesRoomForItsTables) {
  program_of_wide p;
  p.wide = false;
  for (std::size_t shared : {101'376U, 166'912U, 232'448U}) {
    const auto got = p.plan(device_of(8, 46, shared));
    EXPECT_LE(got->m.chip_bytes + 28'672U, shared);
    EXPECT_FALSE(got->states_on_chip);
    EXPECT_EQ(got->m.held_bytes, 0U);
  }
}

}  // namespace
