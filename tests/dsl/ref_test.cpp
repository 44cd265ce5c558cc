// tests/dsl/ref_test.cpp - references: the settled bits, order, hash, null.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/ref.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>
#include <type_traits>
#include <unordered_set>

#include "kernels/abi/ref_bits.cuh"
#include "perdure/context.hpp"

namespace {

struct left;
struct right;

using perdure::any_ref;
using perdure::ref;

static_assert(sizeof(ref<left>) == 8 && alignof(ref<left>) == 8);
static_assert(std::is_trivially_copyable_v<ref<left>> && std::is_trivially_copyable_v<any_ref>);
static_assert(std::is_aggregate_v<ref<left>>, "a message that holds one stays an aggregate");
static_assert(std::is_convertible_v<ref<left>, any_ref>);
static_assert(!std::is_convertible_v<any_ref, ref<left>>);
static_assert(!std::is_convertible_v<ref<right>, ref<left>>);
static_assert(!std::is_convertible_v<ref<left>, bool>, "a test is explicit, arithmetic impossible");

TEST(Ref, DefaultIsNullAndAllBitsZero) {
  EXPECT_FALSE(ref<left>{});
  EXPECT_FALSE(any_ref{});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(ref<left>{}), 0U);
}

TEST(Ref, PacksIndexGenerationTypeAndSystemAtTheSettledBits) {
  using namespace perdure::abi;
  const u64 bits = make_ref(0x89abcdefU, 0x4567U, 0x23U, 0x01U);
  EXPECT_EQ(bits, 0x0123456789abcdefU);
  EXPECT_EQ(ref_index(bits), 0x89abcdefU);
  EXPECT_EQ(ref_generation(bits), 0x4567U);
  EXPECT_EQ(ref_type(bits), 0x23U);
  EXPECT_EQ(ref_system(bits), 0x01U);
}

TEST(Ref, PackingKeepsEveryFieldAtItsLimitsAndApart) {
  using namespace perdure::abi;
  for (const u32 index : {0U, 1U, 0x7fffffffU, 0xffffffffU}) {
    for (const u32 generation : {0U, 1U, 0xffffU}) {
      for (const u32 type : {0U, 1U, max_actor_types, mailbox_type, ask_type}) {
        for (const u32 system : {0U, 1U, 255U}) {
          const u64 bits = make_ref(index, generation, type, system);
          EXPECT_EQ(ref_index(bits), index);
          EXPECT_EQ(ref_generation(bits), generation);
          EXPECT_EQ(ref_type(bits), type);
          EXPECT_EQ(ref_system(bits), system);
        }
      }
    }
  }
}

TEST(Ref, AnyRefHasTheSameBits) {
  const ref<left> typed{0x0123456789abcdefU};
  const any_ref any = typed;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(any), std::bit_cast<std::uint64_t>(typed));
}

TEST(Ref, IsOrderedByItsBits) {
  const std::set<ref<left>> ordered{{5U}, {1U}, {3U}, {1U}};
  ASSERT_EQ(ordered.size(), 3U);
  EXPECT_EQ(ordered.begin()->bits, 1U);
  EXPECT_EQ(ordered.rbegin()->bits, 5U);
  EXPECT_TRUE((any_ref{1U} < any_ref{2U}));
  EXPECT_TRUE((any_ref{1U} != any_ref{2U}));
}

TEST(Ref, HashTellsNeighboursApart) {
  std::unordered_set<std::size_t> hashes;
  for (std::uint64_t i = 0; i < 10'000; ++i) hashes.insert(std::hash<ref<left>>{}(ref<left>{i}));
  EXPECT_EQ(hashes.size(), 10'000U);
  const ref<left> typed{77U};
  EXPECT_EQ(std::hash<ref<left>>{}(typed), std::hash<any_ref>{}(typed));
}

TEST(RefCast, GivesNullUnlessTheRuntimeSaysTheTypeFits) {
  const any_ref any{42U};
  perdure::detail::is_actor_of = nullptr;
  EXPECT_FALSE(perdure::ref_cast<left>(any)) << "no runtime: nothing is known to be an actor";
  perdure::detail::is_actor_of = [](std::uint64_t bits, std::uint64_t key) {
    return bits == 42U && key == perdure::detail::type_key<left>();
  };
  EXPECT_EQ(perdure::ref_cast<left>(any), ref<left>{42U});
  EXPECT_FALSE(perdure::ref_cast<right>(any));
  EXPECT_FALSE(perdure::ref_cast<left>(any_ref{43U}));
  perdure::detail::is_actor_of = nullptr;
}

}  // namespace
