// tests/runtime/system/sizing_test.cpp - the least outbox that is taken suffices for any batch; clusters fit workers.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/sizing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace {

using namespace perdure;

/// Slots of 64 bytes that a message of so many bytes takes; over 240 bytes its handle must not be all that fits.
std::uint32_t slots_of(std::uint32_t bytes) {
  return loop::units_for(bytes > perdure::abi::inline_payload ? perdure::abi::max_words
                                                              : perdure::abi::words_for(bytes));
}
/// Whether each of a batch's messages, one a lane, can send one of the longest after timers have taken theirs:
/// they fire until a quarter is in use, so that the last one may end behind it (kernels/dispatch/timers.cuh).
bool suffices(std::uint32_t outbox, std::uint32_t lanes, std::uint32_t longest) {
  const std::uint32_t timers = outbox / 4 + slots_of(longest);
  return outbox >= timers + lanes * slots_of(longest);
}

result<void> size(std::uint32_t outbox, std::uint32_t lanes, std::uint32_t longest) {
  const message_info messages[] = {{"short", 1, 4, 4, {}}, {"long", 2, longest, 4, {}}};
  program actors{};
  actors.messages = messages;
  runtime::engine_defaults d{};
  d.workers = 2;
  d.cluster = 1;
  d.inbox_slots = d.spill_slots = d.host_slots = 4096;
  d.timer_slots = d.buffer_slots = d.chip_units = d.claim_slots = 64;
  options o;
  o.outbox_slots = outbox;
  o.lanes = lanes;
  loop::memory m{};
  return runtime::choose_sizes(m, o, d, actors);
}

TEST(OutboxSlots, TheLeastThatIsTakenSufficesAndIsNotMuchMoreThanThat) {
  for (const std::uint32_t lanes : {8U, 32U, 64U, 250U, 512U, 1024U}) {
    for (const std::uint32_t longest : {4U, 38U, 100U, 240U, 241U, 5'000U}) {
      SCOPED_TRACE(fmt::format("{} lanes, {} bytes", lanes, longest));
      std::uint32_t least = 64;  // fewer are refused however few lanes there are
      while (!suffices(least, lanes, longest)) ++least;
      std::uint32_t taken = 60;
      while (!size(taken, lanes, longest) && taken < 10'000) ++taken;
      EXPECT_GE(taken, least) << "a batch could not send what it may";
      EXPECT_LE(taken, least + 2);
      const auto refused = size(taken - 1, lanes, longest);
      ASSERT_FALSE(refused.has_value()) << "under 64 slots is too little for anything";
      EXPECT_EQ(refused.error().code(), errc::bad_option);
      EXPECT_EQ(refused.error().context(),
                fmt::format("outbox_slots is {}; it must be in {}..16777216", taken - 1, taken));
    }
  }
}

result<void> cluster_of(std::uint32_t cluster, std::uint32_t workers) {
  const message_info messages[] = {{"short", 1, 4, 4, {}}};
  program actors{};
  actors.messages = messages;
  runtime::engine_defaults d{};
  d.inbox_slots = d.spill_slots = d.host_slots = d.outbox_slots = 4096;
  d.timer_slots = d.buffer_slots = d.chip_units = d.claim_slots = 64;
  d.lanes = 32;
  d.cluster = 1;
  options o;
  o.cluster = cluster;
  o.workers = workers;
  loop::memory m{};
  return runtime::choose_sizes(m, o, d, actors);
}

TEST(Clusters, ArePowersOfTwoUpToEightThatDivideTheWorkers) {
  for (std::uint32_t workers = 1; workers <= 24; ++workers) {
    for (std::uint32_t cluster = 1; cluster <= 17; ++cluster) {
      const bool may =
          (cluster == 1 || cluster == 2 || cluster == 4 || cluster == 8) && workers % cluster == 0;
      const auto got = cluster_of(cluster, workers);
      ASSERT_EQ(got.has_value(), may) << cluster << " of " << workers;
      if (may) continue;
      EXPECT_EQ(got.error().code(), errc::bad_option);
      EXPECT_EQ(got.error().context(),
                fmt::format("cluster is {}; it must be 1, 2, 4 or 8 and divide workers ({})",
                            cluster, workers));
    }
  }
}

/// The room that one actor type needs lets another one have more messages than were planned for it.
TEST(WideActors, EveryRunOfWhateverFitsByItsBytesHasAPlaceInTheTable) {
  for (const std::uint32_t state : {1'000U, 100'000U, 140'000U, 150'000U}) {
    for (const std::uint32_t lanes : {64U, 256U, 1024U}) {
      SCOPED_TRACE(fmt::format("{} bytes of state, {} lanes", state, lanes));
      const message_info messages[] = {{"many", 1, 1148, 4, {}}, {"large", 2, 9400, 4, {}}};
      std::vector<const char*> names(16, "port");
      const std::uint16_t many[] = {0}, large[] = {1};
      const wide_info a{64, names, {}, 0, many, many, 1};
      const wide_info b{64, std::span{names}.first(4), {}, 0, large, large, 2};
      const actor_info actors[] = {{"a", 1, 1'000, 8, {}, nullptr, &a},
                                   {"b", 2, state, 8, {}, nullptr, &b}};
      program p{};
      p.actors = actors;
      p.messages = messages;
      loop::memory m{};
      m.workers = 132;
      m.cluster = 1;
      m.lanes = lanes;
      m.chip_units = 64;
      m.claim_slots = 64;
      m.lane_words_in = 1;
      ASSERT_TRUE(runtime::plan_wide(m, p, 231'424));
      std::uint32_t runs_of_largest_set = 0;
      for (const message_info& message : messages) {
        const std::uint32_t ports = message.size == 1148 ? 16 : 4;
        const std::uint32_t in =
            std::min(ports, m.land_bytes / perdure::abi::landed_bytes(message.size));
        const std::uint32_t out = std::min(
            ports, (m.stage_bytes - m.stage_spare) / perdure::abi::landed_bytes(message.size));
        runs_of_largest_set = std::max(runs_of_largest_set,
                                       (in + out) * perdure::abi::link_runs(message.size, lanes));
      }
      EXPECT_GE(m.run_most, runs_of_largest_set);
    }
  }
}

runtime::engine_defaults engine_of(std::uint32_t workers) {
  runtime::engine_defaults d{};
  d.workers = workers;
  d.cluster = 1;
  d.lanes = 32;
  d.inbox_slots = d.spill_slots = d.host_slots = 4096;
  d.outbox_slots = 16384;
  d.timer_slots = d.buffer_slots = d.chip_units = d.claim_slots = 64;
  d.host_buffer_bytes = 16U << 20U;
  return d;
}
/// Of the host, for messages over 240 bytes.
/// @param in_links  only a wide actor's joined handler takes it.
loop::memory with_longest(std::uint32_t longest, const options& o, bool in_links = false) {
  const message_info messages[] = {{"long", 2, longest, 4, {}}};
  wide_info wide{};
  wide.lanes = 32;
  wide.joined = 1;
  actor_info who[1] = {};
  if (in_links) who[0].wide = &wide;
  handler_info takes[1] = {};
  takes[0].actor = 1;
  program actors{};
  actors.messages = messages;
  actors.actors = who;
  actors.handlers = takes;
  const runtime::engine_defaults d = engine_of(2);
  loop::memory m{};
  EXPECT_TRUE(runtime::choose_sizes(m, o, d, actors).has_value());
  return m;
}
TEST(HostBuffers, AreAsManyAsFitAndOneEachLaneAtLeast) {
  EXPECT_EQ(with_longest(240, {}).host_buffer_count, 0U) << "what is short travels in the ring";
  EXPECT_EQ(with_longest(241, {}).host_buffer_count, 4096U);
  EXPECT_EQ(with_longest(5'000, {}).host_buffer_count, ((16U << 20U) / 5'120 + 7) / 8 * 8);
  EXPECT_EQ(with_longest(65'536, {}).host_buffer_count, 256U);
  EXPECT_EQ(with_longest(4'096, {}, true).host_buffer_count, 0U) << "the host sends into no link";
  options few;
  few.host_buffer_slots = 3;
  EXPECT_EQ(with_longest(5'000, few).host_buffer_count, 8U) << "there are eight lanes";
  few.host_lanes = 2;
  EXPECT_EQ(with_longest(5'000, few).host_buffer_count, 4U) << "equal parts";
}

/// To the host, of a program whose longest message goes there. @return host_slots and buffer_count, or why not.
perdure::result<loop::memory> with_letter(std::uint32_t longest, const options& o,
                                          bool to_host = true) {
  const message_info messages[] = {{"long", 2, longest, 4, {}, to_host}};
  actor_info who[1] = {};
  program actors{};
  actors.messages = messages;
  actors.actors = who;
  const runtime::engine_defaults d = engine_of(100);
  loop::memory m{};
  if (const auto chosen = runtime::choose_sizes(m, o, d, actors); !chosen) return chosen.error();
  return m;
}
TEST(LongLetters, MustFitIntoTheRingToTheHost) {
  options o;
  o.host_slots = 64;  // 256 words
  EXPECT_TRUE(with_letter(3'700, o));
  EXPECT_TRUE(with_letter(65'536, o, false)) << "none goes to a host";
  const auto refused = with_letter(4'000, o);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), errc::bad_option);
  EXPECT_EQ(refused.error().context(),
            "host_slots is 64; it must be a power of two in 128..4194304");
  o.host_slots = 1'024;
  EXPECT_FALSE(with_letter(65'536, o));
  o.host_slots = 2'048;
  EXPECT_TRUE(with_letter(65'536, o));
}
TEST(LongLetters, HaveABufferForEachMessageOfAllBatchesIfThereIsRoom) {
  EXPECT_EQ(with_letter(240, {})->buffer_count, 0U);
  EXPECT_EQ(with_letter(1'000, {})->buffer_count, 100U * 32U);
  EXPECT_EQ(with_letter(1'000, {}, false)->buffer_count, 64U) << "as without";
  EXPECT_EQ(with_letter(65'536, {})->buffer_count, 100U * 32U) << "200 of 256 MB";
  options o;
  o.lanes = 64;
  EXPECT_EQ(with_letter(65'536, o)->buffer_count, 4096U) << "256 MB";
  o.buffer_slots = 7;
  EXPECT_EQ(with_letter(1'000, o)->buffer_count, 7U) << "as told";
}

}  // namespace
