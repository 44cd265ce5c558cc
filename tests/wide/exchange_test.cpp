// tests/wide/exchange_test.cpp - tiles that exchange borders compute what plain loops do, under every schedule.
// SPDX-License-Identifier: Apache-2.0
#include "tests/wide/mesh_test.hpp"

namespace {

using namespace mesh_test;

void exchange(const perdure::options& how, std::size_t tiles, int steps) {
  auto sys = start(how);
  const auto ring = sys.spawn<tile>(tiles, first_tile).value();
  expect_ok(sys.link(ring_of(ring)));
  for (auto t : ring) expect_ok(sys.send(t, run{steps}));
  expect_ok(sys.quiesce(30s));
  const auto want = plain_rows(tiles, steps);
  const auto got = view_all(sys, ring);
  for (std::size_t t = 0; t < tiles; ++t) {
    ASSERT_EQ(got[t].fired, static_cast<std::uint32_t>(steps)) << "tile " << t;
    ASSERT_EQ(got[t].wrong, 0U) << "tile " << t << ": a number or a time out of order";
    for (std::size_t y = 1; y <= tile::height; ++y) {
      for (std::size_t x = 0; x < tile::width; ++x)
        ASSERT_EQ(got[t].cell[y][x], want[t * tile::height + y - 1][x])
            << t << ' ' << y << ' ' << x;
    }
  }
  const perdure::stats s = sys.statistics();
  const std::uint64_t through_links = 3 * tiles * static_cast<std::uint64_t>(steps);
  EXPECT_EQ(s.fired, through_links / 3);
  EXPECT_EQ(s.link_sent, through_links);
  EXPECT_EQ(s.link_taken, through_links);
  EXPECT_EQ(s.sent, tiles + through_links);
  EXPECT_EQ(s.handled, tiles + through_links);
  EXPECT_EQ(s.dead_total(), 0U);
}

TEST(MESH_SUITE(Exchange), EqualsAPlainLoopForAnyNumberOfWorkers) {
  for (std::uint32_t workers : {1U, 2U, 3U, 7U}) {
    SCOPED_TRACE(workers);
    under_every_schedule(6, 2, [&](perdure::options how) {
      how.workers = workers;
      exchange(how, 8, 30);
    });
  }
}
TEST(MESH_SUITE(Exchange), ThreeTilesFireByTheNumbersOfTheirMessagesUnderManySchedules) {
  under_every_schedule(200, 0, [](perdure::options how) {
    how.workers = 1 + static_cast<std::uint32_t>(how.seed % 3);
    exchange(how, 3, 12);
  });
}
TEST(MESH_SUITE(Exchange), LaneCountsOfTheBlockDoNotMatter) {
  for (std::uint32_t lanes : {4U, 64U, 256U}) {
    under_every_schedule(2, 1, [&](perdure::options how) {
      how.lanes = lanes;
      how.outbox_slots = 2048;
      how.spill_slots = 2048;
      exchange(how, 5, 10);
    });
  }
}
TEST(MESH_SUITE(Exchange), MessagesThatShareAWordWithTheirNumberGoRound) {
  under_every_schedule(10, 4, [](perdure::options how) {
    how.workers = 3;
    auto sys = start(how);
    const auto ring = sys.spawn<relay>(5).value();
    using enum relay::port;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto next = ring[(i + 1) % ring.size()];
      const std::vector<perdure::link> links{perdure::link::of<pulse>(ring[i], right, next, left),
                                             perdure::link::of<pulse>(next, left, ring[i], right),
                                             perdure::link::of<go>(ring[i], self, ring[i], self)};
      expect_ok(sys.link(links));
    }
    for (auto r : ring) expect_ok(sys.send(r, run{200}));
    expect_ok(sys.quiesce(30s));
    for (const relay& r : view_all(sys, ring)) {
      EXPECT_EQ(r.fired, 200U);
      EXPECT_EQ(r.wrong, 0U);
    }
    contract::expect_exact_books(sys);
  });
}
TEST(MESH_SUITE(Exchange), APauseBetweenFiringsChangesNothing) {
  under_every_schedule(20, 3, [](perdure::options how) {
    auto sys = start(how);
    const auto ring = sys.spawn<tile>(4, first_tile).value();
    expect_ok(sys.link(ring_of(ring)));
    for (auto t : ring) expect_ok(sys.send(t, run{60}));
    for (int i = 0; i < 5; ++i) {
      expect_ok(sys.pause(5s));
      std::uint64_t fired = 0;
      for (const tile& t : view_all(sys, ring)) fired += t.fired;
      const perdure::stats s = sys.statistics();
      EXPECT_EQ(s.fired, fired);
      EXPECT_EQ(s.link_taken, 3 * fired);
      EXPECT_EQ(s.sent, s.handled + s.dead_total() + s.queued);
      EXPECT_LE(s.link_sent - s.link_taken, 4U * 5U)
          << "two in each of two links, one in the third";
      expect_ok(sys.resume());
    }
    expect_ok(sys.quiesce(30s));
    const auto want = plain_rows(4, 60);
    EXPECT_EQ(view_all(sys, ring)[2].cell[1][7], want[2 * tile::height][7]);
    contract::expect_exact_books(sys);
  });
}

}  // namespace
