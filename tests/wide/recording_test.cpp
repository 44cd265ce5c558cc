// tests/wide/recording_test.cpp - joined handlers, links and regions are gone through again to the same states: clause 9.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <perdure/replay.hpp>

#include <filesystem>

#include "tests/wide/mesh_test.hpp"

namespace {

using namespace mesh_test;

class MESH_SUITE(Recording) : public ::testing::Test {
 protected:
  void TearDown() override {
    std::error_code none;
    std::filesystem::remove(file, none);
  }
  perdure::system started(perdure::options how) const {
    how.record = file;
    how.record_slots = 1U << 16U;
    return start(how);
  }
  /// @param calls  of ordinary handlers.
  void expect_again(const perdure::stats& s, std::uint64_t calls, std::uint64_t actors) const {
    const auto again = perdure::replay(mesh::actors(), file);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_TRUE(again->whole);
    EXPECT_EQ(again->messages, calls);
    EXPECT_EQ(again->firings, s.fired);
    EXPECT_EQ(again->compared, actors);
    EXPECT_EQ(again->differ, 0U);
    for (const auto& d : again->different)
      ADD_FAILURE() << "recorded " << d.recorded << "\nreplayed " << d.replayed;
  }
  const std::filesystem::path file{std::filesystem::temp_directory_path() /
                                   ("perdure_wide_recording_" + std::to_string(::getpid()))};
};

TEST_F(MESH_SUITE(Recording), OfTilesThatExchangeBorders) {
  under_every_schedule(40, 3, [this](const perdure::options& how) {
    constexpr std::size_t tiles = 6;
    auto sys = started(how);
    const auto ring = sys.spawn<tile>(tiles, first_tile).value();
    expect_ok(sys.link(ring_of(ring)));
    for (auto t : ring) expect_ok(sys.send(t, run{15}));
    expect_ok(sys.quiesce(30s));
    expect_ok(sys.stop(20s));
    expect_again(sys.statistics(), tiles, tiles);
  });
}

/// A firing takes what stood first in its link, whatever a later one has put behind it.
TEST_F(MESH_SUITE(Recording), OfTilesThatAreLinkedWhileOthersRun) {
  under_every_schedule(20, 3, [this](const perdure::options& how) {
    auto sys = started(how);
    const auto first = sys.spawn<tile>(3, first_tile).value();
    expect_ok(sys.link(ring_of(first)));
    for (auto t : first) expect_ok(sys.send(t, run{200}));
    const auto second = sys.spawn<tile>(4, first_tile).value();
    expect_ok(sys.link(ring_of(second)));
    for (auto t : second) expect_ok(sys.send(t, run{9}));
    expect_ok(sys.stop(30s));
    expect_again(sys.statistics(), 7, 7);
  });
}

}  // namespace
