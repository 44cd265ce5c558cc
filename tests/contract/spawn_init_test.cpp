// tests/contract/spawn_init_test.cpp - an `init` of spawn() that calls the system, or throws.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;

struct knock {};
struct leave {};
struct heard {
  std::uint32_t knocks, born;
};
struct tenant : actor<tenant> {
  std::uint32_t knocks = 0;
  std::uint32_t born = 0;
  void on(const knock&, context& ctx) {
    ++knocks;
    ctx.reply(heard{knocks, born});
  }
  void on(const leave&, context& ctx) { ctx.stop(); }
};
struct refused_by_a_user : std::runtime_error {
  using std::runtime_error::runtime_error;
};

static_assert(perdure::actor_type<tenant> && !perdure::actor_type<knock>,
              "a message is no actor, and spawn<knock>() says so where it stands");

class SpawnInit : public program_of<handles<tenant, knock, leave>, letters<heard>> {
 protected:
  static tenant born_in(std::uint32_t year) {
    tenant t;
    t.born = year;
    return t;
  }
  static std::uint32_t index_of(ref<tenant> r) { return perdure::abi::ref_index(r.bits); }
  /// So many actors that have stopped, and whose places are known to be free: the next `n` get the first's.
  static ref<tenant> free_places(perdure::system& sys, std::size_t n) {
    auto old = sys.spawn<tenant>(n, born_in(1)).value();
    for (auto t : old) expect_ok(sys.send(t, leave{}));
    expect_ok(sys.quiesce(10s));
    while (sys.statistics().stopped != n) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);  // the host hears of it from the rings
    expect_ok(sys.quiesce(10s));
    return old[0];
  }
};

TEST_F(SpawnInit, APlaceBehindTheLastActorIsRefusedByAt) {
  under_every_schedule(1, 1, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto all = sys.spawn<tenant>(3, born_in(1)).value();
    EXPECT_EQ(all.at(2).bits, all[2].bits);
    try {
      (void)all.at(3);
      ADD_FAILURE() << "there is no fourth";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "perdure::range::at: 3 of 3 actors");
    }
  });
}
TEST_F(SpawnInit, MaySendAndIsRefusedWhatNeedsTheSystemToItself) {
  under_every_schedule(3, 6, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto first = sys.spawn<tenant>(1, born_in(7)).value()[0];
    expect_ok(sys.quiesce(10s));
    const auto made = sys.spawn<tenant>(4, [&](std::size_t i) {
      expect_ok(sys.send(first, knock{}));
      expect_error(sys.spawn<tenant>(1), errc::busy);
      expect_error(sys.view(first), errc::busy);
      expect_error(sys.quiesce(1s), errc::busy);
      expect_error(sys.pause(1s), errc::busy);
      expect_error(sys.resume(), errc::busy);
      expect_error(sys.stop(1s), errc::busy);
      expect_error(sys.worker_of(first), errc::busy);
      expect_error(sys.placement(), errc::busy);
      expect_error(sys.rebalance(1s), errc::busy);
      EXPECT_NE(sys.spawn<tenant>(1).error().context().find("init"), std::string::npos);
      EXPECT_EQ(sys.statistics().host_sent, i + 1) << "what is counted here needs nobody's answer";
      return born_in(static_cast<std::uint32_t>(i));
    });
    expect_ok(made);
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.view(first).value().knocks, 4U);
    EXPECT_EQ(sys.view((*made)[3]).value().born, 3U);
    expect_exact_books(sys);
  });
}

TEST_F(SpawnInit, WhatItThrowsComesOutAndNothingWasMade) {
  under_every_schedule(3, 6, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto first = sys.spawn<tenant>(1, born_in(7)).value()[0];
    for (const bool reused : {false, true}) {
      SCOPED_TRACE(reused ? "places that are used again" : "places that are new");
      const ref<tenant> old = reused ? free_places(sys, 200) : ref<tenant>{};
      const auto fails_at_150 = [](std::size_t i) {
        if (i == 150) throw refused_by_a_user{"150"};
        return born_in(2);
      };
      EXPECT_THROW((void)sys.spawn<tenant>(200, fails_at_150), refused_by_a_user);
      EXPECT_EQ(sys.ask<heard>(first, knock{}, 10s).value().born, 7U) << "the workers go on";
      const auto next = sys.spawn<tenant>(200, born_in(3)).value();
      if (reused) {
        EXPECT_EQ(index_of(next[0]), index_of(old)) << "the places are free as before";
      } else {
        EXPECT_EQ(index_of(next[0]), index_of(first) + 1) << "no index was given out";
      }
      for (auto t : next) EXPECT_EQ(sys.ask<heard>(t, knock{}, 10s).value().born, 3U);
    }
    expect_ok(sys.quiesce(10s));
    expect_exact_books(sys);
  });
}

TEST_F(SpawnInit, NobodyLivesWhereItFailed) {
  under_every_schedule(3, 6, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const ref<tenant> old = free_places(sys, 40);
    const auto fails_at_30 = [](std::size_t i) {
      if (i == 30) throw refused_by_a_user{"30"};
      return born_in(2);
    };
    EXPECT_THROW((void)sys.spawn<tenant>(40, fails_at_30), refused_by_a_user);
    const std::uint32_t generation = perdure::abi::ref_generation(old.bits) + 1;
    const ref<tenant> guessed{perdure::abi::make_ref(index_of(old), generation,
                                                     perdure::abi::ref_type(old.bits),
                                                     perdure::abi::ref_system(old.bits))};
    expect_error(sys.view(guessed), errc::receiver_down);
    expect_error(sys.ask<heard>(guessed, knock{}, 10s), errc::receiver_down);
    expect_exact_books(sys);
  });
}

}  // namespace
