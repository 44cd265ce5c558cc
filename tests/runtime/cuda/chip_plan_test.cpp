// tests/runtime/cuda/chip_plan_test.cpp - how a block is laid out for devices of all kinds, none of which is needed.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/whole.cuh"
#include "runtime/cuda/chip_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "kernels/dispatch/on_chip.cuh"
#include "runtime/system/sizing.hpp"

namespace {

using perdure::runtime::chip_plan;
using perdure::runtime::plan_chip;
namespace abi = perdure::abi;

/// A program of one small and up to two wide actors; message 0 is joined and opened by the wide ones.
struct program_of_wide {
  std::uint32_t clerk = 16, clerk_align = 8, state = 1024, other_state = 1024, message_bytes = 256;
  std::uint32_t other_bytes = 0;  ///< of message 1, if there is one: joined and opened, too
  std::uint16_t lanes = 256, other_lanes = 64;
  bool joins = true, wide = true, runs = false;
  abi::overflow rule = abi::overflow::wait;

  perdure::result<chip_plan> plan(const perdure::driver::device_properties& device,
                                  const perdure::options& how = {}) {
    perdure::result<chip_plan> made{chip_plan{}};
    with([&](const perdure::program& p) { made = plan_chip(device, p, how); });
    return made;
  }
  /// What a system is laid out as whose code was made for `plan`.
  perdure::loop::memory sized(const chip_plan& plan, const perdure::options& how) {
    perdure::runtime::engine_defaults d = perdure::runtime::chip_defaults(plan);
    d.inbox_slots = d.spill_slots = d.outbox_slots = 1U << 14U;
    d.host_slots = d.timer_slots = d.buffer_slots = 1U << 12U;
    perdure::loop::memory m{};
    with([&](const perdure::program& p) {
      const auto ok = perdure::runtime::choose_sizes(m, how, d, p);
      EXPECT_TRUE(ok.has_value()) << ok.error().message();
    });
    return m;
  }

 private:
  void with(const std::function<void(const perdure::program&)>& call) {
    static constexpr const char* ports[] = {"west", "east"};
    static constexpr std::uint16_t both[] = {0, 1};
    const perdure::message_info messages[] = {{"face", 1, message_bytes, 4, {}},
                                              {"note", 2, other_bytes, 4, {}}};
    const std::span<const std::uint16_t> carried{both, other_bytes != 0 ? 2U : 1U};
    const auto in = joins ? carried : carried.first(0);
    const std::uint16_t joined = joins ? 1 : 0;
    const perdure::wide_info first{lanes, ports, {}, 0, carried, in, joined};
    const perdure::wide_info second{other_lanes, ports, {}, 0, carried, in, joined};
    const perdure::actor_info actors[] = {
        {"clerk", 1, clerk, clerk_align, {}, nullptr, nullptr, rule},
        {"tile", 2, state, 8, {}, nullptr, wide ? &first : nullptr},
        {"brick", 3, other_state, 8, {}, nullptr, wide ? &second : nullptr}};
    perdure::program p{};
    p.name = "wall";
    p.actors = actors;
    p.messages = std::span{messages}.first(other_bytes != 0 ? 2 : 1);
    perdure::handler_info takes{1, 1, 0, nullptr};
    takes.in_runs = runs;
    p.handlers = std::span{&takes, 1};
    call(p);
  }
};

perdure::driver::device_properties device_of(int major, int processors, std::size_t shared_bytes) {
  perdure::driver::device_properties d;
  d.name = "test device";
  d.major = major;
  d.processors = processors;
  d.shared_bytes_per_block = shared_bytes;
  d.threads_per_processor = 2048;
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
TEST(ChipPlan, MoreSmallWorkersThanProcessorsShareThem) {
  program_of_wide p;
  p.wide = false;
  EXPECT_EQ(p.plan(h200)->blocks_each, 1U);
  EXPECT_EQ(p.plan(h200, {.workers = 132})->blocks_each, 1U);
  for (const std::uint32_t each : {2U, 3U, 4U}) {
    const auto plan = p.plan(h200, {.workers = 132 * each, .lanes = 128});
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->blocks_each, each);
    // 228 KiB of an SM, of which each block takes 1 KiB that it cannot use
    EXPECT_LE((plan->m.chip_bytes + 1024U + 1024U) * each, 228U * 1024U);
    EXPECT_LE(plan->m.chip_bytes, plan->bytes);
  }
  EXPECT_EQ(p.plan(h200, {.workers = 133, .lanes = 128})->blocks_each, 2U);
  EXPECT_EQ(p.plan(h200, {.workers = 264})->lanes, 256U) << "a processor's, shared out";
  EXPECT_EQ(p.plan(h200, {.workers = 396})->lanes, 160U);
  for (const std::uint32_t lanes : {32U, 512U, 672U}) {
    const auto plan = p.plan(h200, {.workers = 396, .lanes = lanes});
    ASSERT_TRUE(plan.has_value());
    EXPECT_LE(plan->m.chip_bytes, plan->bytes) << lanes;
  }
  expect_bad_option(p.plan(h200, {.workers = 132 * 32, .lanes = 32}),
                    {"4224", "32", "test device"});
  expect_bad_option(p.plan(h200, {.workers = 396, .lanes = 1024}),
                    {"396", "1024", "3 blocks", "2048"});
  p.wide = true;
  EXPECT_EQ(p.plan(h200, {.workers = 264})->blocks_each, 1U) << "a wide actor has its processor";
}
TEST(ChipPlan, ANextBatchHasRoomWhereSomeHandlerTakesRuns) {
  program_of_wide p;
  p.wide = false;
  p.clerk = 448;  // stays in memory, so that there is room
  EXPECT_EQ(p.plan(h200)->m.lands_ahead, 0U);
  EXPECT_EQ(p.sized(*p.plan(h200), {}).lands_ahead, 0U);
  const auto without = p.plan(h200)->m.chip_bytes;
  p.runs = true;
  const auto plan = p.plan(h200);
  EXPECT_EQ(plan->m.lands_ahead, 1U);
  EXPECT_EQ(plan->m.chip_bytes - without, 16U * plan->m.in_words);
  const auto m = p.sized(*plan, {});
  EXPECT_EQ(m.lands_ahead, 1U);
  EXPECT_LE(m.chip_bytes, plan->bytes);
  EXPECT_EQ(p.plan(h200, {.lanes = 32})->m.lands_ahead, 0U) << "nobody is beside a warp";
  // what does not fit is left out before anything else gets smaller
  p.runs = false;
  p.clerk = 16;
  for (const std::size_t shared : {65'536U, 101'376U, 166'912U}) {
    const auto device = device_of(8, 100, shared);
    p.runs = false;
    const auto bare = p.plan(device);
    p.runs = true;
    const auto tight = p.plan(device);
    ASSERT_TRUE(bare.has_value() && tight.has_value());
    EXPECT_EQ(tight->m.claim_slots, bare->m.claim_slots) << shared;
    EXPECT_EQ(tight->m.chip_units, bare->m.chip_units) << shared;
    EXPECT_EQ(tight->m.state_pitch, bare->m.state_pitch) << shared;
    EXPECT_LE(tight->m.chip_bytes, tight->bytes) << shared;
  }
  p.wide = true;
  EXPECT_EQ(p.plan(h200)->m.lands_ahead, 0U) << "the chip is the wide actors'";
}
TEST(ChipPlan, HalfTheLanesWhereEverySmallActorStaysInMemory) {
  program_of_wide p;
  p.wide = false;
  EXPECT_EQ(p.plan(h200)->lanes, 512U) << "the clerk is brought on chip";
  p.clerk = abi::staged_most - 8;  // with its header
  EXPECT_EQ(p.plan(h200)->lanes, 512U);
  p.clerk += 8;
  EXPECT_EQ(p.plan(h200)->lanes, 256U);
  EXPECT_EQ(p.plan(h200, {.workers = 264})->lanes, 128U) << "a processor's, shared out";
  EXPECT_EQ(p.plan(h200, {.lanes = 512})->lanes, 512U);
  p.clerk = 16;
  p.clerk_align = 32;
  EXPECT_EQ(p.plan(h200)->lanes, 256U) << "not brought, however small";
  p.wide = true;
  p.lanes = 128;
  EXPECT_EQ(p.plan(h200)->lanes, 128U) << "the widest actor's";
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
TEST(ChipPlan, SmallStatesStayOnChipBesideTheOneThatIsHeld) {
  program_of_wide p;
  p.other_state = 128;
  const auto cached_bytes = [](const perdure::loop::memory& m) {
    return m.cache_ways * way_bytes(m);
  };
  for (const std::uint32_t cluster : {1U, 2U}) {
    for (p.state = 128; p.state <= 8192; p.state += 128) {
      const auto plan = p.plan(h200, {.cluster = cluster});
      const std::uint32_t each = way_bytes(plan->m) + sizeof(perdure::loop::cached_actor);
      EXPECT_EQ(plan->m.cache_ways, std::min(32U, std::bit_floor(81'920U / each))) << p.state;
      EXPECT_LE(plan->m.chip_bytes, plan->bytes);
      if (cluster == 2) {
        EXPECT_GE(plan->m.link_bytes, cached_bytes(plan->m)) << "half of the room is for links";
      }
    }
    p.state = 8192 + 1;
    EXPECT_EQ(p.plan(h200, {.cluster = cluster})->m.cache_ways, 0U) << "the copy engine moves it";
    p.state = 240'000;
    p.other_state = 250'000;
    EXPECT_EQ(p.plan(h200, {.cluster = cluster})->m.cache_ways, 0U) << "none is on chip";
    p.other_state = 128;
  }
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
/// Of states that just fit, or do not: a few workers' tables are smaller, those of types that drop messages are larger, and
/// the driver may say that not all processors have a cluster.
TEST(ChipPlan, ASystemIsLaidOutAsItsCodeWasMadeForHoweverManyWorkersItHas) {
  std::uint32_t on_chip = 0, in_memory = 0, brought_only_to_few = 0;
  for (const abi::overflow rule : {abi::overflow::wait, abi::overflow::drop_newest}) {
    program_of_wide p;
    p.rule = rule;
    for (p.state = 185'000; p.state < 230'000; p.state += abi::wide_align) {
      p.other_state = p.state;
      const bool to_all = p.plan(h200)->m.held_bytes != 0;
      for (const std::uint32_t workers : {0U, 1U, 2U, 32U, 132U}) {
        const perdure::options how{.workers = workers};
        const auto plan = p.plan(h200, how);
        chip_plan fewer = *plan;
        if (workers == 0) fewer.workers -= 4;
        for (const chip_plan& one : {*plan, fewer}) {
          const perdure::loop::memory m = p.sized(one, how);
          ASSERT_LE(m.chip_bytes, plan->bytes);
          if (plan->states_on_chip) {
            ASSERT_EQ(m.held_bytes, abi::wide_up(p.state));
          }
          if (plan->states_in_memory) {
            ASSERT_EQ(m.held_bytes, 0U);
          }
        }
        on_chip += plan->states_on_chip ? 1 : 0;
        in_memory += plan->states_in_memory ? 1 : 0;
        brought_only_to_few += workers == 2 && plan->states_on_chip && !to_all ? 1 : 0;
      }
    }
  }
  EXPECT_GT(on_chip, 0U);
  EXPECT_GT(in_memory, 0U);
  EXPECT_GT(brought_only_to_few, 0U);
}
TEST(ChipPlan, WhereNoStateIsBroughtMessagesTakeNoRoomButForThatOfOneThatIsNotLinked) {
  program_of_wide p;
  p.state = p.other_state = 240'000;
  p.message_bytes = 16'384;
  for (const std::uint32_t cluster : {0U, 1U, 2U}) {
    for (const std::uint32_t messages : {0U, 1U, 4U}) {
      const auto plan = p.plan(h200, {.cluster = cluster, .port_messages = messages});
      EXPECT_EQ(plan->m.whole_links, 1U);
      EXPECT_EQ(plan->m.land_bytes, sizeof(perdure::loop::whole_messages));
      EXPECT_EQ(plan->m.stage_bytes, abi::landed_bytes(p.message_bytes));
      EXPECT_EQ(plan->m.link_bytes, 0U);
      EXPECT_EQ(plan->m.run_most, 0U);
      EXPECT_EQ(p.sized(*plan, {.cluster = cluster}).whole_links, 1U);
    }
  }
  p.other_state = 1024;
  EXPECT_EQ(p.plan(h200)->m.whole_links, 0U) << "the other one is brought";
}
TEST(ChipPlan, RoomForFewerMessagesLeavesMoreOfTheChip) {
  program_of_wide p;
  p.state = 240'000;
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
TEST(ChipPlan, TheSmallestMessageHasRoomBesideThoseCountedIfItIsNotAboutAsLarge) {
  program_of_wide p;
  p.state = 240'000;
  p.message_bytes = 16'384;
  const auto land_bytes = [&](std::uint32_t bytes) {
    p.other_bytes = bytes;
    return p.plan(h200, {.cluster = 1, .port_messages = 1})->m.land_bytes;
  };
  const std::uint32_t alone = land_bytes(0), message = abi::landed_bytes(p.message_bytes);
  EXPECT_EQ(land_bytes(16), alone);
  EXPECT_GE(land_bytes(4096), message + abi::landed_bytes(4096));
  EXPECT_EQ(land_bytes(12'288), alone);
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
