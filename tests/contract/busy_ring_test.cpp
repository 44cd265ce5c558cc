// tests/contract/busy_ring_test.cpp - a ring that is never empty keeps nobody waiting.
// Why: a worker that takes from its ring as long as something is there would never see a host, a timer or a command.
// Invariant: the balls fly until the jugglers are told to hold, so that all else happens while they do.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "crowd.actors.hpp"  // made by the build from actors/crowd.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using namespace crowd;

class BusyRing : public everywhere {
 protected:
  void SetUp() override { needs_device(crowd::actors()); }

  static constexpr std::uint32_t jugglers = 24;
  static constexpr std::uint32_t balls = 2;  ///< of each

  /// @param step  from each juggler to the one it throws to: 0 is itself.
  static void juggle(const perdure::options& o, std::uint32_t step) {
    auto sys = perdure::system::start(crowd::actors(), o).value();
    const perdure::ref<juggler> first{sys.spawn<juggler>(1).value()[0].bits + 1};
    const auto all =
        sys.spawn<juggler>(jugglers,
                           [&](std::size_t i) {
                             juggler j;
                             j.to = perdure::ref<juggler>{first.bits + (i + step) % jugglers};
                             return j;
                           })
            .value();
    for (std::uint32_t i = 0; i < jugglers * balls; ++i)
      expect_ok(sys.send(all[i % jugglers], ball{0, true}));
    for (std::uint32_t i = 0; i < 12; ++i) {
      expect_ok(sys.send(all[i], set_alarm{100'000}));
      const auto got = sys.ask<answer>(all[jugglers - 1 - i], question{i, sys.now()}, 20s);
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(got->number, i + 1);
    }
    expect_ok(sys.pause(20s));
    const std::uint64_t before = caught(sys, all);
    EXPECT_GT(before, std::uint64_t{jugglers} * balls);
    const std::uint64_t queued = sys.statistics().queued;  // balls in the air, and some alarms
    EXPECT_GE(queued, std::uint64_t{jugglers} * balls);
    EXPECT_LE(queued, std::uint64_t{jugglers} * balls + 12 + 12);
    expect_ok(sys.resume());
    wait_for_alarms(sys, all);
    EXPECT_GT(caught(sys, all), before);
    for (const auto& one : all) expect_ok(sys.send(one, hold{}));
    expect_ok(sys.quiesce(20s));

    std::vector<juggler> states(jugglers);
    expect_ok(sys.view(all, std::span{states}));
    std::uint64_t sent = 0, handled = 0, kept = 0, rung = 0;
    for (std::uint32_t i = 0; i < jugglers; ++i) {
      const juggler& j = states[i];
      EXPECT_EQ(j.out_of_order, 0U) << "juggler " << i;
      EXPECT_EQ(j.came, states[(i + jugglers - step) % jugglers].thrown) << "juggler " << i;
      sent += j.thrown;
      handled += j.caught;
      kept += j.kept;
      rung += j.rung;
    }
    EXPECT_EQ(kept, std::uint64_t{jugglers} * balls);
    EXPECT_EQ(rung, 12U);
    const std::uint64_t told = 12 + 12 + jugglers;  // set_alarm, question, hold
    EXPECT_EQ(sys.statistics().handled, handled + told + rung);
    EXPECT_EQ(sys.statistics().sent, sent + std::uint64_t{jugglers} * balls + told + rung);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_ok(sys.stop(20s));
  }

 private:
  /// Of a system that runs: view() waits for rest, so a pause stands around it.
  static std::uint64_t caught(perdure::system& sys, const perdure::range<juggler>& all) {
    const bool runs = !sys.view(all[0]).has_value();
    if (runs) expect_ok(sys.pause(20s));
    std::vector<juggler> states(jugglers);
    expect_ok(sys.view(all, std::span{states}));
    if (runs) expect_ok(sys.resume());
    std::uint64_t sum = 0;
    for (const juggler& j : states) sum += j.caught;
    return sum;
  }
  static void wait_for_alarms(perdure::system& sys, const perdure::range<juggler>& all) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto until = std::chrono::steady_clock::now() + 20s;
      while (rung(sys, all[i]) == 0)
        ASSERT_LT(std::chrono::steady_clock::now(), until) << "no alarm at juggler " << i;
    }
  }
  static std::uint32_t rung(perdure::system& sys, perdure::ref<juggler> one) {
    expect_ok(sys.pause(20s));
    const auto state = sys.view(one);
    expect_ok(sys.resume());
    return state.value().rung;
  }
};

/// Host threads set timers side by side, all of them at one worker's actors: whoever takes several messages at once must
/// know what time it is for each.
class ManyAlarms : public everywhere {
 protected:
  void SetUp() override { needs_device(crowd::actors()); }

  static constexpr std::uint32_t actors = 4;
  static constexpr std::uint32_t alarms = 12;  ///< of each host thread
  static constexpr std::uint64_t long_ns = 3'600'000'000'000, short_ns = 100'000;

  static void set(perdure::options o) {
    o.workers = 1;
    o.host_lanes = hosts;
    auto sys = perdure::system::start(crowd::actors(), o).value();
    const auto all = sys.spawn<juggler>(actors).value();
    std::vector<std::thread> threads;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&sys, &all, host] {
        for (std::uint32_t i = 0; i < alarms; ++i) {
          const auto to = all[(host + i) % actors];
          expect_ok(sys.send(to, set_alarm{i % 4 == 3 ? short_ns : long_ns}));
          if (i % 3 == 2) {  // so that it polls when the next ones come
            const auto got = sys.ask<answer>(to, question{i, sys.now()}, 20s);
            EXPECT_TRUE(got.has_value()) << got.error().message();
          }
        }
      });
    }
    for (auto& one : threads) one.join();
    constexpr std::uint32_t short_ones = hosts * alarms / 4;
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (rung(sys, all) < short_ones && std::chrono::steady_clock::now() < until) {
    }
    EXPECT_EQ(rung(sys, all), short_ones) << "of those that are due in an hour none has rung";
    expect_ok(sys.stop(20s));
  }

 private:
  static std::uint32_t rung(perdure::system& sys, const perdure::range<juggler>& all) {
    expect_ok(sys.pause(20s));
    std::uint32_t sum = 0;
    for (const auto& one : all) sum += sys.view(one).value().rung;
    expect_ok(sys.resume());
    return sum;
  }
};

TEST_P(ManyAlarms, RingWhenTheyAreDue) { show(200, 40, set); }

TEST_P(BusyRing, OfBallsThatAreThrownToTheThrower) {
  show(200, 20, [](perdure::options o) { juggle(o, 0); });
}
TEST_P(BusyRing, OfBallsThatStayOnTheirWorkerOrLeaveIt) {
  show(200, 20, [](perdure::options o) { juggle(o, o.seed % 5 + 1); });
}

PERDURE_SHOW_EVERYWHERE(BusyRing);
PERDURE_SHOW_EVERYWHERE(ManyAlarms);

}  // namespace
