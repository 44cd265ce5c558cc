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

/// Blocks of no rows, claimed one by one until one fails.
class failing final : public source {
 public:
  failing(std::uint64_t blocks, std::uint64_t fails_at) : blocks_{blocks}, fails_at_{fails_at} {}
  bool claim(piece& p) override {
    if (next_ == fails_at_) throw failure{"claim " + std::to_string(next_)};
    if (next_ == blocks_) return false;
    p.index = next_++;
    p.end.rows = next_;
    return true;
  }
  void parse(piece& p, block& out) override {
    out.rows.resize(64);
    stagger(p.index);
  }
  void seek(const position&) override {}

 private:
  std::uint64_t blocks_, fails_at_, next_ = 0;
};

TEST(Ingest, ASlowReceiverHoldsTheThreadsBackAndMissesNothing) {
  for (const std::uint32_t threads : {1U, 2U, 6U}) {
    failing from{60, ~0ULL};
    std::uint64_t seen = 0;
    ingest(from, {threads, 3, {}}, [&](parsed& next) {
      EXPECT_EQ(next.after.rows, ++seen);
      if (seen % 10 == 1) std::this_thread::sleep_for(10ms);  // longer than it takes to read ahead
      return true;
    });
    EXPECT_EQ(seen, 60U);
  }
}

TEST(Ingest, WhatStandsBeforeAClaimThatFailsIsDelivered) {
  for (const std::uint32_t threads : {1U, 2U, 6U}) {
    for (const std::uint64_t at : {0U, 1U, 17U}) {
      failing from{60, at};
      std::uint64_t seen = 0;
      try {
        ingest(from, {threads, 1, {}}, [&](parsed&) { return ++seen, true; });
        FAIL() << "no failure";
      } catch (const failure& e) {
        EXPECT_EQ(e.what(), "claim " + std::to_string(at));
      }
      EXPECT_EQ(seen, at);
    }
  }
}

}  // namespace
