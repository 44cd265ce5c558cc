// tests/apps/txmon/ingest_test.cpp - threads out of step deliver blocks in order, and stop at the first failure.
// SPDX-License-Identifier: Apache-2.0
#include "ingest.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "failure.hpp"
#include "generator.hpp"

namespace {

using namespace txmon;
using namespace std::chrono_literals;

generator small() { return generator{generator_settings::parse("rows=100000,accounts=100")}; }
/// Lets even blocks wait, so that odd ones overtake them.
void stagger(std::uint64_t index) {
  if (index % 2 == 0) std::this_thread::sleep_for(2ms);
}

TEST(Ingest, BlocksComeInTheOrderOfTheInputWhateverTheThreads) {
  for (const std::uint32_t threads : {1U, 4U}) {
    auto from = small();
    std::uint64_t rows = 0;
    std::int64_t last = 0;
    ingest(from, {threads, 3, stagger}, [&](parsed& next) {
      EXPECT_EQ(next.after.rows, rows + next.cut->rows.size());
      EXPECT_GE(next.cut->greatest, last);
      last = next.cut->greatest;
      rows = next.after.rows;
      return true;
    });
    EXPECT_EQ(rows, 100'000U);
  }
}

TEST(Ingest, TheEarliestFailureIsThrownAndNothingAfterItIsDelivered) {
  auto from = small();
  std::uint64_t delivered = 0;
  const auto fail = [](std::uint64_t index) {
    stagger(index);
    if (index >= 6) throw failure{"block " + std::to_string(index)};
  };
  try {
    ingest(from, {4, 1, fail}, [&](parsed&) { return ++delivered, true; });
    FAIL() << "no failure";
  } catch (const failure& e) {
    EXPECT_STREQ(e.what(), "block 6");
  }
  EXPECT_EQ(delivered, 6U);
}

TEST(Ingest, AReceiverMayEndEarlyOrFail) {
  for (const bool fails : {false, true}) {
    auto from = small();
    std::uint64_t delivered = 0;
    const auto deliver = [&](parsed&) {
      if (++delivered == 5 && fails) throw failure{"full"};
      return delivered < 5;
    };
    if (fails) {
      EXPECT_THROW(ingest(from, {3, 1, {}}, deliver), failure);
    } else {
      ingest(from, {3, 1, {}}, deliver);
    }
    EXPECT_EQ(delivered, 5U);
  }
}

}  // namespace
