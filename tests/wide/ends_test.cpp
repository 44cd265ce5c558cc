// tests/wide/ends_test.cpp - asks, stops, failures and second lives of wide actors, beside small ones.
// SPDX-License-Identifier: Apache-2.0
#include "tests/wide/mesh_test.hpp"

namespace {

using namespace mesh_test;
using perdure::abi::dead_reason;

TEST(MESH_SUITE(Ends), AWideActorHandlesOneMessageAtATimeFromLinksSmallActorsAndHosts) {
  under_every_schedule(20, 4, [](perdure::options how) {
    auto sys = start(how);
    const auto from = sys.spawn<source>(1).value()[0];
    const auto to = sys.spawn<sink>(1).value()[0];
    const auto clerks = sys.spawn<clerk>(6, clerk{{}, to, 0}).value();
    expect_ok(sys.link(from, source::port::self, from, source::port::self));
    expect_ok(sys.link(from, source::port::out, to, sink::port::right));
    expect_ok(sys.send(from, run{50}));
    for (std::uint32_t i = 0; i < 60; ++i) {
      expect_ok(sys.send(clerks[i % 6], tick{0}));
      expect_ok(sys.send(to, tick{0}));
    }
    expect_ok(sys.quiesce(30s));
    const sink got = sys.view(to).value();
    EXPECT_EQ(got.wrong, 0U);
    EXPECT_EQ(got.ticks, 120U);
    EXPECT_EQ(got.parcels, 50U);
    EXPECT_EQ(got.slot, (std::array<std::uint32_t, 64>{}));
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Ends), AnAskBringsTheReducedValue) {
  under_every_schedule(5, 2, [](perdure::options how) {
    auto sys = start(how);
    const auto sinks = sys.spawn<sink>(5).value();
    for (std::uint32_t i = 0; i < 5; ++i) expect_ok(sys.send(sinks[i], tick{i + 1}));
    for (std::uint32_t i = 0; i < 5; ++i) {
      const auto got = sys.ask<answer>(sinks[i], question{}, 10s);
      expect_ok(got);
      EXPECT_EQ(got->sum, 64U * (i + 1));
    }
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Ends), AStoppedOrFailedWideActorAnswersNobodyAndTakesNothing) {
  under_every_schedule(10, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto sinks = sys.spawn<sink>(3).value();
    expect_ok(sys.send(sinks[0], halt{}));
    expect_ok(sys.send(sinks[1], crash{7}));
    expect_ok(sys.quiesce(10s));
    for (std::size_t i = 0; i < 2; ++i) {
      expect_error(sys.ask<answer>(sinks[i], question{}, 10s), perdure::errc::receiver_down);
      expect_ok(sys.send(sinks[i], tick{1}));
    }
    expect_ok(sys.ask<answer>(sinks[2], question{}, 10s));
    expect_ok(sys.quiesce(10s));
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.stopped, 2U);
    EXPECT_EQ(s.failed, 1U);
    EXPECT_EQ(dead(s, dead_reason::stopped), 4U) << "two asks and two ticks";
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Ends), AReceiverThatStopsLeavesItsSenderAtRestAndTheBooksExact) {
  under_every_schedule(20, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto from = sys.spawn<source>(1).value()[0];
    const auto to = sys.spawn<sink>(1).value()[0];
    expect_ok(sys.link(from, source::port::self, from, source::port::self));
    expect_ok(sys.link(from, source::port::out, to, sink::port::left));
    expect_ok(sys.send(from, run{1'000'000}));
    expect_ok(sys.send(to, halt{}));
    expect_ok(sys.quiesce(30s));
    const std::uint32_t sent = sys.view(from).value().sent;
    const std::uint32_t taken = sys.view(to).value().parcels;
    EXPECT_EQ(sent, taken + 2) << "the link is full";
    contract::expect_exact_books(sys, 3);  // two parcels, and the source's message to itself
    expect_ok(sys.stop(10s));
    EXPECT_EQ(dead(sys.statistics(), dead_reason::shutdown), 3U);
    contract::expect_exact_books(sys);
  });
}

TEST(MESH_SUITE(Ends), AnActorThatReusesASlotHasNoneOfItsLinks) {
  under_every_schedule(10, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto feeders = sys.spawn<feeder>(2).value();
    const auto old = sys.spawn<sink>(1).value()[0];
    expect_ok(sys.link(feeders[0], feeder::port::out, old, sink::port::left));
    expect_ok(sys.send(feeders[0], feed{1}));
    expect_ok(sys.quiesce(10s));
    expect_ok(sys.send(old, halt{}));
    expect_ok(sys.quiesce(10s));
    const auto fresh = sys.spawn<sink>(1).value()[0];
    ASSERT_EQ(perdure::abi::ref_index(fresh.bits), perdure::abi::ref_index(old.bits));
    ASSERT_NE(fresh.bits, old.bits);
    expect_ok(sys.send(fresh, tick{1}));
    expect_ok(sys.send(feeders[0], feed{1}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(fresh).value().parcels, 0U) << "what was for the old actor";
    EXPECT_EQ(sys.view(fresh).value().ticks, 1U);
    expect_ok(sys.link(feeders[1], feeder::port::out, fresh, sink::port::left));
    expect_ok(sys.send(feeders[1], feed{1}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(fresh).value().parcels, 1U);
    EXPECT_EQ(sys.view(fresh).value().slot[5], 1U);
    contract::expect_exact_books(sys, 1);  // in the link to the old one
  });
}

TEST(MESH_SUITE(Ends), EndlessFiringLeavesTimeForCommands) {
  under_every_schedule(5, 2, [](perdure::options how) {
    how.workers = 1;
    auto sys = start(how);
    const auto from = sys.spawn<source>(1).value()[0];
    expect_ok(sys.link(from, source::port::self, from, source::port::self));
    expect_ok(sys.send(from, run{2'000'000'000}));
    expect_error(sys.quiesce(20ms), perdure::errc::timeout);
    expect_ok(sys.pause(5s));
    EXPECT_GT(sys.view(from).value().sent, 0U);
    expect_ok(sys.resume());
    expect_error(sys.stop(20ms), perdure::errc::timeout);
    contract::expect_exact_books(sys);
  });
}

}  // namespace
