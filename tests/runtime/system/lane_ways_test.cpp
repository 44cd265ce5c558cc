// tests/runtime/system/lane_ways_test.cpp - which ring of a worker a host lane gets, and when the worker is told.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/bridge/lane_ways.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "runtime/bridge/lane_writer.hpp"

namespace {

using perdure::runtime::lane_ways;
using perdure::runtime::lane_writer;
namespace abi = perdure::abi;
namespace loop = perdure::loop;

constexpr std::size_t workers = 3, host_lanes = 4;
constexpr std::uint32_t shift = 4, handler = 9;
constexpr std::uint64_t to = 0x0001'0000'0005U;

struct LaneWays : ::testing::Test {
  std::vector<loop::word> words =
      std::vector<loop::word>(host_lanes * workers * abi::ring_pitch(shift));
  std::vector<loop::line_counter> heads = std::vector<loop::line_counter>(host_lanes * workers);
  std::vector<abi::control_page> pages = std::vector<abi::control_page>(workers);
  lane_ways ways{words.data(), heads.data(), pages.data(), workers, shift};

  LaneWays() {
    for (auto& page : pages) page.lanes_used = 1;
  }
  loop::word first_of(std::size_t ring, std::size_t worker) const {
    return words[(ring * workers + worker) * abi::ring_pitch(shift)];
  }
  static bool push(lane_writer& by, std::uint64_t sender) {
    const std::uint64_t payload = 0;
    return by.try_push(to, handler, sender, 0, &payload, sizeof payload);
  }
};

TEST_F(LaneWays, ARingIsGivenWithTheFirstMessageToAWorker) {
  std::vector<lane_writer> lanes;
  for (std::size_t l = 0; l < host_lanes; ++l) lanes.emplace_back(ways, 1U);
  EXPECT_TRUE(push(lanes[2], 22));
  EXPECT_EQ(pages[1].lanes_used, 1U);
  EXPECT_EQ(abi::sender_of(first_of(0, 1)), 22U);
  EXPECT_TRUE(push(lanes[0], 20));
  EXPECT_EQ(pages[1].lanes_used, 2U);
  EXPECT_EQ(abi::sender_of(first_of(1, 1)), 20U);
  EXPECT_TRUE(push(lanes[2], 22)) << "which has its ring";
  EXPECT_EQ(pages[1].lanes_used, 2U) << "nobody else has sent";
  EXPECT_EQ(pages[0].lanes_used, 1U) << "nobody has sent there";
}
TEST_F(LaneWays, AsMuchFitsIntoARingThatIsGivenAsIntoAnyOther) {
  lane_writer one{ways, 0U};
  const std::uint32_t n = abi::words_for(8);
  EXPECT_TRUE(one.has_room(n));
  std::uint32_t sent = 0;
  while (push(one, 7)) ++sent;
  EXPECT_EQ(sent, (1U << shift) / n);
  heads[0].value = n;  // the worker has taken one
  EXPECT_TRUE(push(one, 7));
}
TEST_F(LaneWays, ThreadsThatSendFirstAtTheSameTimeHaveARingEach) {
  for (std::uint32_t w = 0; w < workers; ++w) {
    std::vector<std::jthread> threads;
    for (std::uint64_t l = 0; l < host_lanes; ++l) {
      threads.emplace_back([&, l] {
        lane_writer mine{ways, w};
        EXPECT_TRUE(push(mine, 100 + l));
      });
    }
    threads.clear();
    std::vector<std::uint64_t> senders;
    for (std::size_t r = 0; r < host_lanes; ++r) senders.push_back(abi::sender_of(first_of(r, w)));
    std::sort(senders.begin(), senders.end());
    EXPECT_EQ(senders, (std::vector<std::uint64_t>{100, 101, 102, 103}));
    EXPECT_EQ(pages[w].lanes_used, host_lanes);
  }
}

}  // namespace
