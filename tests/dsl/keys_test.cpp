// tests/dsl/keys_test.cpp - compile-time keys tell types and handlers apart, also across spellings.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/detail/keys.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "perdure/actor.hpp"

namespace one {
struct thing {};
}  // namespace one
namespace two {
struct thing {};
}  // namespace two

namespace {

using perdure::detail::handler_key;
using perdure::detail::type_key;

template <int N>
struct numbered {};

TEST(Keys, Fnv1aMatchesItsPublishedVectors) {
  EXPECT_EQ(perdure::detail::fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(perdure::detail::fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(perdure::detail::fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(Keys, TypesOfOneNameInTwoNamespacesDiffer) {
  EXPECT_NE(type_key<one::thing>(), type_key<two::thing>());
}

TEST(Keys, AnAliasHasTheKeyOfItsType) {
  using alias = one::thing;
  EXPECT_EQ(type_key<alias>(), type_key<one::thing>());
}

TEST(Keys, TemplateArgumentsCount) {
  const std::set<std::uint64_t> keys{type_key<numbered<1>>(), type_key<numbered<2>>(),
                                     type_key<numbered<12>>(), type_key<numbered<21>>()};
  EXPECT_EQ(keys.size(), 4U);
}

TEST(Keys, AHandlerIsActorAndMessageInThatOrder) {
  EXPECT_NE((handler_key<one::thing, two::thing>()), (handler_key<two::thing, one::thing>()));
  EXPECT_NE((handler_key<one::thing, one::thing>()), (handler_key<two::thing, two::thing>()));
}

}  // namespace
