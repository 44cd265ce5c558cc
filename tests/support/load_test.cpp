// tests/support/load_test.cpp - the harness that proves the tool must itself notice what it claims to notice.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/load.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "tests/support/fields.hpp"
#include "tests/support/hand_program.hpp"
#include "tests/support/hand_wide.hpp"
#include "tests/support/links.hpp"

namespace perdure::support {
namespace {

options seeded(std::uint64_t seed, std::uint32_t workers = 3) {
  options o;
  o.backend = backend::cpu;
  o.schedule = schedule::seeded;
  o.seed = seed;
  o.workers = workers;
  o.lanes = 8;
  o.memory_bytes = std::size_t{16} << 20U;
  return o;
}
std::uint64_t same(std::uint64_t bits) { return bits; }

TEST(Load, OneSeedGivesOneStateTwice) {
  const program p = hand::program();
  load_plan plan;
  plan.burst = 16;
  const auto first = run_load(p, seeded(7), plan);
  const auto second = run_load(p, seeded(7), plan);
  ASSERT_TRUE(first && second) << (first ? second : first).error().message();
  EXPECT_EQ(first->state_hash, second->state_hash);
  EXPECT_EQ(compare(p, *first, *second), "");
  EXPECT_GT(first->counters.handled, plan.messages);  // actors sent too
  EXPECT_GT(first->counters.dead_total(), 0U);        // some references are null
}

TEST(Load, AnotherSeedGivesAnotherState) {
  const program p = hand::program();
  load_plan plan;
  const auto first = run_load(p, seeded(7), plan);
  plan.seed = 8;
  const auto second = run_load(p, seeded(8), plan);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->state_hash, second->state_hash);
}

TEST(Load, AWrongHandlerIsNoticedAndItsFieldIsNamed) {
  const program right = hand::program();
  program wrong = right;
  wrong.handlers = hand::wrong_handlers;
  const auto first = run_load(right, seeded(7), {});
  const auto second = run_load(wrong, seeded(7), {});
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->state_hash, second->state_hash);
  EXPECT_NE(compare(right, *first, *second).find(" low="), std::string::npos)
      << compare(right, *first, *second);
}

TEST(Load, AWrongJoinedHandlerIsNoticedAndItsFieldIsNamed) {
  const program right = hand_wide::program(), wrong = hand_wide::program<true>();
  const auto first = run_load(right, seeded(7), {});
  const auto second = run_load(wrong, seeded(7), {});
  ASSERT_TRUE(first && second) << (first ? second : first).error().message();
  EXPECT_GT(first->counters.fired, 0U);
  const std::string text = compare(right, *first, *second);
  EXPECT_NE(text.find(" fired="), std::string::npos) << text;
}

TEST(Load, LinksLeaveOneStateOnAnyNumberOfWorkers) {
  const program p = hand_wide::program();
  const auto first = run_load(p, seeded(7, 1), {});
  const auto second = run_load(p, seeded(7, 5), {});
  ASSERT_TRUE(first && second) << (first ? second : first).error().message();
  EXPECT_EQ(first->state_hash, second->state_hash);
  EXPECT_EQ(compare(p, *first, *second), "");
}

TEST(Links, EveryPortIsTakenOnceAndAnActorIsLinkedToItself) {
  const program p = hand_wide::program();
  random_source random{3};
  const auto links = random_links(p, {{}, {11, 12, 13, 14}}, random);
  ASSERT_EQ(links.size(), 8U);
  std::set<std::pair<std::uint64_t, std::uint32_t>> outs, ins;
  bool self = false;
  for (const auto& l : links) {
    outs.emplace(l.from, l.out_port);
    ins.emplace(l.to, l.in_port);
    self |= l.from == l.to;
    EXPECT_EQ(l.message_key, hand_wide::messages[1].key);
  }
  EXPECT_EQ(outs.size(), 8U);
  EXPECT_EQ(ins.size(), 8U);
  EXPECT_TRUE(self);
}

TEST(Fields, EveryFieldOfAStateReadsBackWhatTheCompilerWrote) {
  hand::tally t;
  t.sum = -5;
  t.low = 6;
  t.high = 0xabcde;
  t.odd = true;
  t.ratio = 2.5F;
  t.last.bits = 77;
  const auto* at = reinterpret_cast<const std::byte*>(&t);
  const auto& f = hand::tally_fields;
  EXPECT_EQ(read_bits(f[0], 0, at), static_cast<std::uint64_t>(-5));
  EXPECT_EQ(read_bits(f[1], 0, at), 6U);
  EXPECT_EQ(read_bits(f[2], 0, at), 0xabcdeU);
  EXPECT_EQ(read_bits(f[3], 0, at), 1U);
  EXPECT_EQ(read_bits(f[4], 0, at), 0x40200000U);
  EXPECT_EQ(read_bits(f[5], 0, at), 77U);
}

TEST(Fields, WritingABitFieldLeavesItsNeighbours) {
  hand::tally t;
  auto* at = reinterpret_cast<std::byte*>(&t);
  write_bits(hand::tally_fields[2], 0, at, 0x12345);
  EXPECT_EQ(t.high, 0x12345U);
  EXPECT_EQ(t.low, 1U);
  EXPECT_FALSE(t.odd);
}

TEST(Fields, ABitFieldAcrossNineBytesIsRead) {
  const field_info f{"wide", "std::uint64_t", 0, 8, 1, 8, field_kind::unsigned_integer, 0, 5, 62};
  std::byte raw[16] = {};
  write_bits(f, 0, raw, 0x2abcdef012345678U);
  EXPECT_EQ(read_bits(f, 0, raw), 0x2abcdef012345678U);
}

TEST(Fields, PaddingDoesNotReachTheHash) {
  hand::add m[2];
  std::memset(static_cast<void*>(&m[0]), 0xff, sizeof(m[0]));
  std::memset(static_cast<void*>(&m[1]), 0x00, sizeof(m[1]));
  for (auto& x : m) x.hops = 3, x.by = -9, x.next.bits = 12;
  auto hash = [&](int i) {
    return hash_fields(hand::add_fields, reinterpret_cast<const std::byte*>(&m[i]), same);
  };
  EXPECT_NE(std::memcmp(&m[0], &m[1], sizeof(hand::add)), 0);
  EXPECT_EQ(hash(0), hash(1));
  m[1].by = -8;
  EXPECT_NE(hash(0), hash(1));
}

TEST(Fields, AllNaNsAreOneValueAndZeroesAreTwo) {
  const field_info f[] = {{"x", "float", 0, 4, 1, 4, field_kind::floating, 0, 0, 0}};
  auto hash = [&](float x) { return hash_fields(f, reinterpret_cast<const std::byte*>(&x), same); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(hash(nan), hash(-nan));
  EXPECT_NE(hash(0.0F), hash(-0.0F));
}

TEST(Fields, FilledMessagesAreWellFormed) {
  random_source random{3};
  for (int i = 0; i < 200; ++i) {
    hand::add m{};
    fill_random(hand::add_fields, reinterpret_cast<std::byte*>(&m), random,
                [](unsigned target) { return target + 40U; });
    EXPECT_EQ(m.next.bits, 41U);
    EXPECT_LT(std::abs(m.by), 1'000'000);
  }
}

}  // namespace
}  // namespace perdure::support
