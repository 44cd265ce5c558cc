// tests/runtime/text/text_test.cpp - states and messages by the tables that the tool writes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <perdure/text.hpp>

#include "holdings.actors.hpp"  // made by the build from actors/holdings.hpp

namespace bank {
namespace {

std::string text(const auto& value) { return perdure::to_text(holdings::actors(), value).value(); }

TEST(Text, AStateIsToldByItsFieldsNames) {
  clerk c;
  EXPECT_EQ(text(c),
            "bank::clerk{small: 5, negative: -3, whole: 0, table: [1, 2, 3, 4, 5, 6], "
            "where[].x: [1, 3], where[].y: [2, 4], last: bank::kind::savings, next: null}");
}

TEST(Text, BitFieldsHaveTheirOwnBitsOnly) {
  clerk c;
  c.small = 7;
  c.negative = -8;
  c.whole = 0xffff'ffff'ffff'ffff;
  EXPECT_NE(text(c).find("small: 7, negative: -8, whole: 18446744073709551615,"), std::string::npos)
      << text(c);
}

TEST(Text, AnEnumeratorIsNamedAndAnotherNumberToldAsOne) {
  clerk c;
  c.last = kind::closed;
  EXPECT_NE(text(c).find("last: bank::kind::closed,"), std::string::npos) << text(c);
  c.last = static_cast<kind>(7);
  EXPECT_NE(text(c).find("last: bank::kind(7),"), std::string::npos) << text(c);
  order o{};
  o.how = wide_kind::most;
  EXPECT_NE(text(o).find("how: bank::wide_kind::most"), std::string::npos) << text(o);
}

TEST(Text, AMessageIsToldAsAStateIs) {
  order o{};
  o.cents = -5;
  o.at = {0.1F, 1e300};
  o.what = kind::savings;
  o.letter = 'a';
  o.limit = 12;
  const std::string said = text(o);
  EXPECT_EQ(said.rfind("bank::order{cents: -5, at.x: 0.1, at.y: 1e+300, grid: [0, 0, 0, 0], "
                       "path[].x: [0, 0], path[].y: [0, 0], what: bank::kind::savings, "
                       "how: bank::wide_kind::none, urgent: false, letter: 97, by: null,",
                       0),
            0U)
      << said;
  EXPECT_NE(said.find("limit.value: 12, limit.engaged: true}"), std::string::npos) << said;
  EXPECT_EQ(text(nothing{}), "bank::nothing{}");
}

TEST(Text, AReferenceIsToldByItsActor) {
  auto sys = perdure::system::start(holdings::actors(), {.backend = perdure::backend::cpu,
                                                         .schedule = perdure::schedule::seeded,
                                                         .workers = 1})
                 .value();
  const auto clerks = sys.spawn<clerk>(3).value();
  auto box = sys.make_mailbox<nothing>(4).value();
  order o{};
  o.by = clerks[2];
  o.whom = clerks[1];
  o.told = box.ref();
  EXPECT_NE(text(o).find("by: bank::clerk#2, whom: bank::clerk#1, told: host#"), std::string::npos)
      << text(o);
  sys.send(clerks[0], o).value();
  sys.quiesce(std::chrono::seconds{10}).value();
  EXPECT_NE(text(sys.view(clerks[0]).value()).find("whole: 1,"), std::string::npos);
}

TEST(Text, ATypeOfAnotherProgramIsAnError) {
  const auto none = perdure::to_text(holdings::actors(), point{1, 2});
  ASSERT_FALSE(none) << "a part of a message is no message";
  EXPECT_EQ(none.error().code(), perdure::errc::no_handler);
  EXPECT_NE(none.error().context().find("holdings"), std::string::npos);
}

}  // namespace
}  // namespace bank
