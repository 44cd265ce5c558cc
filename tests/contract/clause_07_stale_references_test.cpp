// tests/contract/clause_07_stale_references_test.cpp - a reference to a stopped actor never reaches its successor.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;
using reason = perdure::abi::dead_reason;

struct touch {
  ref<struct tenant> whom;
  std::uint32_t times;
};
struct leave {};
struct count_of {
  std::uint32_t touches, born;
};
struct tenant : actor<tenant> {
  std::uint32_t touches = 0;
  std::uint32_t born = 0;
  void on(const touch& m, context& ctx) {
    ++touches;
    if (m.times != 0) ctx.send(m.whom, touch{m.whom, m.times - 1});
    ctx.reply(count_of{touches, born});
  }
  void on(const leave&, context& ctx) { ctx.stop(); }
};

class Clause07 : public program_of<handles<tenant, touch, leave>, letters<count_of>> {
 protected:
  static tenant born_in(std::uint32_t year) {
    tenant t;
    t.born = year;
    return t;
  }
  /// Spawns one actor; stopped ones are reported by the workers, which may take a moment.
  static ref<tenant> respawn(perdure::system& sys, ref<tenant> old, std::uint32_t year) {
    for (int tries = 0; tries < 200; ++tries) {
      expect_ok(sys.quiesce(10s));
      const ref<tenant> fresh = sys.spawn<tenant>(1, born_in(year)).value()[0];
      if (perdure::abi::ref_index(fresh.bits) == perdure::abi::ref_index(old.bits)) return fresh;
      std::this_thread::sleep_for(1ms);
    }
    return {};
  }
};

TEST_F(Clause07, AStaleReferenceIsADeadLetterAndNeverReachesTheSuccessor) {
  under_every_schedule(30, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const ref<tenant> friend_of = sys.spawn<tenant>(1, born_in(1)).value()[0];
    ref<tenant> old = sys.spawn<tenant>(1, born_in(100)).value()[0];
    std::vector<ref<tenant>> stale;
    for (std::uint32_t year = 101; year < 106; ++year) {
      expect_ok(sys.send(old, leave{}));
      const ref<tenant> fresh = respawn(sys, old, year);
      ASSERT_TRUE(fresh) << "the slot was not used again";
      stale.push_back(old);
      for (const ref<tenant> s : stale) {
        expect_error(sys.ask<count_of>(s, touch{}, 10s), errc::receiver_down);  // from a host
        expect_ok(sys.send(friend_of, touch{s, 1}));                            // from an actor
      }
      expect_ok(sys.quiesce(10s));
      for (const ref<tenant> s : stale) expect_error(sys.view(s), errc::receiver_down);
      const tenant now = sys.view(fresh).value();
      EXPECT_EQ(now.touches, 0U) << "a stale reference reached the new actor";
      EXPECT_EQ(now.born, year);
      const auto mine = sys.ask<count_of>(fresh, touch{}, 10s);
      EXPECT_EQ(mine.value().born, year) << "the new reference does";
      old = fresh;
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.dead[static_cast<std::size_t>(reason::stopped)], 2U * (1 + 2 + 3 + 4 + 5));
    expect_exact_books(sys);
  });
}
TEST_F(Clause07, MessagesQueuedForTheOldActorDoNotReachTheNewOne) {
  under_every_schedule(30, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const ref<tenant> old = sys.spawn<tenant>(1, born_in(1)).value()[0];
    expect_ok(sys.send(old, leave{}));
    for (int i = 0; i < 10; ++i) expect_ok(sys.send(old, touch{}));
    const ref<tenant> fresh = respawn(sys, old, 2);
    ASSERT_TRUE(fresh);
    for (int i = 0; i < 10; ++i) expect_ok(sys.send(old, touch{}));
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(fresh).value().touches, 0U);
    EXPECT_EQ(sys.statistics().dead[static_cast<std::size_t>(reason::stopped)], 20U);
  });
}
TEST_F(Clause07, ASlotWhoseGenerationsAreSpentIsRetired) {
  auto o = tight(perdure::schedule::seeded, 1);
  o.workers = 1;
  o.timer_slots = 1;
  auto sys = perdure::system::start(actors, o).value();
  const ref<tenant> first = sys.spawn<tenant>(1, born_in(1)).value()[0];
  ref<tenant> now = first;
  for (std::uint32_t generation = 2; generation <= 0xffff; ++generation) {
    expect_ok(sys.send(now, leave{}));
    expect_ok(sys.quiesce(10s));
    now = sys.spawn<tenant>(1, born_in(generation)).value()[0];
    ASSERT_EQ(perdure::abi::ref_generation(now.bits), generation);
    ASSERT_EQ(perdure::abi::ref_index(now.bits), perdure::abi::ref_index(first.bits));
  }
  expect_ok(sys.send(now, leave{}));
  expect_ok(sys.quiesce(10s));
  const ref<tenant> next = sys.spawn<tenant>(1, born_in(70'000)).value()[0];
  EXPECT_NE(perdure::abi::ref_index(next.bits), perdure::abi::ref_index(first.bits))
      << "a spent slot was used again";
  expect_error(sys.ask<count_of>(first, touch{}, 1s), errc::receiver_down);
  expect_error(sys.ask<count_of>(now, touch{}, 1s), errc::receiver_down);
}

}  // namespace
