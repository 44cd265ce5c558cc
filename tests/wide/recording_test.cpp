// tests/wide/recording_test.cpp - joined handlers, links and regions are gone through again to the same states: clause 9.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <perdure/replay.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "herd.actors.hpp"  // made by the build from actors/herd.hpp
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
  void expect_again(const perdure::program& of, const perdure::stats& s, std::uint64_t calls,
                    std::uint64_t actors) const {
    const auto again = perdure::replay(of, file);
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
    expect_again(mesh::actors(), sys.statistics(), tiles, tiles);
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
    expect_again(mesh::actors(), sys.statistics(), 7, 7);
  });
}

/// What lanes send is gone through by rising index, and what can reach nobody is no event.
TEST_F(MESH_SUITE(Recording), OfLanesThatSend) {
  under_every_schedule(40, 3, [this](perdure::options how) {
    using namespace herd;
#ifdef PERDURE_ON_DEVICE
    how.backend = perdure::backend::cuda;
    how.lanes = 0;
#endif
    how.outbox_slots = 1024;
    how.spill_slots = 4096;
    how.record = file;
    auto sys = perdure::system::start(herd::actors(), how).value();
    const auto pack = sys.spawn<dog>(dogs).value();
    shepherd s;
    s.first = pack[0];
    const auto all = sys.spawn<shepherd>(3, s).value();
    for (int round = 0; round < 4; ++round) {
      for (auto one : all) expect_ok(sys.send(one, drive{}));
    }
    expect_ok(sys.stop(30s));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto end = sys.view(all[i]).value();
      EXPECT_EQ(end.called, 4U * calls);
      EXPECT_EQ(end.events, placed() + 1U);
    }
    const auto stats = sys.statistics();
    EXPECT_EQ(stats.dead_total(), 12U * (calls + calls / 4 - placed()));
    expect_again(herd::actors(), stats, 12 + 12U * (placed() + 1), dogs + 3);
  });
}

/// No byte of a recording is believed; the other half of this is in tests/runtime/replay.
TEST(MESH_SUITE(DamagedRecording), OfWideActorsDoesNoHarm) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("perdure_damaged_recording_" + std::to_string(::getpid()));
  under_every_schedule(1, 0, [&](perdure::options how) {
    how.record = file;
    how.record_slots = 64;
    auto sys = start(how);
    const auto ring = sys.spawn<tile>(2, first_tile).value();
    expect_ok(sys.link(ring_of(ring)));
    for (auto t : ring) expect_ok(sys.send(t, run{3}));
    expect_ok(sys.quiesce(30s));
    expect_ok(sys.stop(20s));
    std::ifstream in{file, std::ios::binary};
    const std::vector<char> all{std::istreambuf_iterator<char>{in}, {}};
    std::size_t noticed = 0, tried = 0;
    for (std::size_t n = how.seed % 7; n < all.size(); n += 7) {
      auto other = all;
      other[n] = static_cast<char>(other[n] ^ 0x11);
      std::ofstream{file, std::ios::binary}.write(other.data(),
                                                  static_cast<std::streamsize>(other.size()));
      const auto report = perdure::replay(mesh::actors(), file);
      ++tried;
      noticed += !report || report->differ != 0 || report->compared != 2 ? 1 : 0;
    }
    EXPECT_GT(noticed, tried / 2);
  });
  std::error_code none;
  std::filesystem::remove(file, none);
}

}  // namespace
