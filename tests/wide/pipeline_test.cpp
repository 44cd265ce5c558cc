// tests/wide/pipeline_test.cpp - one-way links: nothing is lost, no more than their slots is held, rest is found.
// SPDX-License-Identifier: Apache-2.0
#include "tests/wide/mesh_test.hpp"

namespace {

using namespace mesh_test;
using perdure::abi::dead_reason;

TEST(MESH_SUITE(Pipeline), ASenderThatIsFasterLosesNothingAndStaysWithinItsSlots) {
  for (std::uint32_t slots : {1U, 2U, 8U}) {
    SCOPED_TRACE(slots);
    under_every_schedule(20, 3, [&](perdure::options how) {
      constexpr std::int32_t messages = 120;
      auto sys = start(how);
      const auto from = sys.spawn<source>(1).value()[0];
      const auto to = sys.spawn<sink>(2).value()[1];  // at another worker
      expect_ok(sys.link(from, source::port::self, from, source::port::self));
      expect_ok(sys.link(from, source::port::out, to, sink::port::left, slots));
      expect_ok(sys.send(from, run{messages}));
      for (int i = 0; i < 8; ++i) {
        expect_ok(sys.pause(5s));
        const std::uint32_t sent = sys.view(from).value().sent;
        const std::uint32_t taken = sys.view(to).value().parcels;
        EXPECT_LE(sent - taken, slots);
        expect_ok(sys.resume());
      }
      expect_ok(sys.quiesce(30s));
      EXPECT_EQ(sys.view(from).value().sent, std::uint32_t{messages});
      const sink got = sys.view(to).value();
      EXPECT_EQ(got.parcels, std::uint32_t{messages});
      EXPECT_EQ(got.slot, (std::array<std::uint32_t, 64>{})) << "a parcel was not the one due";
      contract::expect_exact_books(sys);
      EXPECT_EQ(sys.statistics().link_sent, 2U * messages);
    });
  }
}

TEST(MESH_SUITE(Pipeline), RestIsFoundAlthoughAJoinedActorsOtherMessageNeverComes) {
  under_every_schedule(20, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto feeders = sys.spawn<feeder>(2).value();
    const auto to = sys.spawn<sink>(1).value()[0];
    expect_ok(sys.link(feeders[0], feeder::port::out, to, sink::port::left));
    expect_ok(sys.link(feeders[1], feeder::port::out, to, sink::port::right));
    expect_ok(sys.send(feeders[0], feed{1}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(to).value().parcels, 0U);
    contract::expect_exact_books(sys, 1);
    expect_ok(sys.send(feeders[1], feed{1}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(to).value().parcels, 1U);
    contract::expect_exact_books(sys, 0);
  });
}

TEST(MESH_SUITE(Pipeline), WhatAnOrdinaryHandlerCommitsWithoutRoomIsADeadLetter) {
  under_every_schedule(20, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto feeders = sys.spawn<feeder>(2).value();
    const auto to = sys.spawn<sink>(1).value()[0];
    expect_ok(sys.link(feeders[0], feeder::port::out, to, sink::port::left));
    expect_ok(sys.link(feeders[1], feeder::port::out, to, sink::port::right));
    for (int i = 0; i < 5; ++i) expect_ok(sys.send(feeders[0], feed{1}));
    expect_ok(sys.quiesce(10s));
    perdure::stats s = sys.statistics();
    EXPECT_EQ(s.link_sent, 5U);
    EXPECT_EQ(dead(s, dead_reason::exhausted), 3U);
    contract::expect_exact_books(sys, 2);
    // what is left in links when the system stops is lost then, and counted
    expect_ok(sys.stop(5s));
    s = sys.statistics();
    EXPECT_EQ(dead(s, dead_reason::shutdown), 2U);
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Pipeline), WhereNothingIsLinkedNothingIsSent) {
  under_every_schedule(3, 1, [](perdure::options how) {
    auto sys = start(how);
    const auto alone = sys.spawn<feeder>(1).value()[0];
    for (int i = 0; i < 5; ++i) expect_ok(sys.send(alone, feed{1}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(alone).value().sent, 5U);
    EXPECT_EQ(sys.statistics().link_sent, 0U);
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Pipeline), WhereNothingIsLinkedAJoinedHandlerSendsNothing) {
  under_every_schedule(3, 1, [](perdure::options how) {
    auto sys = start(how);
    const auto alone = sys.spawn<loner>(1).value()[0];
    expect_ok(sys.link(alone, loner::port::self, alone, loner::port::self));
    expect_ok(sys.send(alone, run{5}));
    expect_ok(sys.quiesce(10s));
    const loner seen = sys.view(alone).value();
    EXPECT_EQ(seen.fired, 5U);
    EXPECT_EQ(seen.offered, 0U);
    EXPECT_EQ(sys.statistics().link_sent, 5U);
    contract::expect_exact_books(sys);
  });
}

}  // namespace
