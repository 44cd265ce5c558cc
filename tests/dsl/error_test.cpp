// tests/dsl/error_test.cpp - errors: one table, complete names and texts, and where it happened.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace {

using perdure::errc;

struct row {
  unsigned number;
  std::string_view name, text;
};
constexpr row table[] = {
#define PERDURE_ERROR(name, number, text) {number, #name, text},
#include "kernels/abi/errors.def"
#undef PERDURE_ERROR
};

TEST(Error, EveryCodeHasANameATextAndANumberOfItsOwn) {
  std::set<unsigned> numbers;
  std::set<std::string_view> names;
  for (const row& r : table) {
    EXPECT_TRUE(numbers.insert(r.number).second) << r.name << " repeats " << r.number;
    EXPECT_TRUE(names.insert(r.name).second) << r.name << " stands twice";
    EXPECT_EQ(perdure::name_of(static_cast<errc>(r.number)), r.name);
    EXPECT_EQ(perdure::text_of(static_cast<errc>(r.number)), r.text);
    EXPECT_GT(r.text.size(), 10U) << r.name;
  }
}

TEST(Error, NumbersAreNeverReusedAndZeroIsNoError) {
  constexpr unsigned gone = 13;
  unsigned expected = 1;  // new codes go last, so but for that the table counts up without a gap
  for (const row& r : table) {
    expected += expected == gone ? 1 : 0;
    EXPECT_EQ(r.number, expected++) << r.name;
  }
}

TEST(Error, AnUnknownNumberIsNamedUnknown) {
  EXPECT_STREQ(perdure::name_of(static_cast<errc>(9999U)), "unknown");
  EXPECT_STREQ(perdure::text_of(static_cast<errc>(9999U)), "unknown error");
}

TEST(Error, MessageHoldsNameContextAndWhatToDo) {
  const perdure::error e{errc::no_handler, "account <- withdraw"};
  EXPECT_EQ(e.message(), std::string{"no_handler: account <- withdraw ("} +
                             perdure::text_of(errc::no_handler) + ")");
  EXPECT_EQ(perdure::error{errc::timeout}.message(),
            std::string{"timeout ("} + perdure::text_of(errc::timeout) + ")");
}

TEST(Error, RemembersTheLineThatMadeIt) {
  const auto line = __LINE__ + 1;
  const perdure::error e{errc::busy};
  EXPECT_EQ(e.where().line(), static_cast<unsigned>(line));
  EXPECT_TRUE(std::string_view{e.where().file_name()}.ends_with("error_test.cpp"));
}

}  // namespace
