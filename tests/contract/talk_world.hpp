// tests/contract/talk_world.hpp - a system of talkers (actors/talk.hpp), and what must be so of it at any time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "talk.actors.hpp"  // made by the build from actors/talk.hpp
#include "tests/contract/places.hpp"

namespace contract {

using namespace talk;

struct world {
  explicit world(perdure::options o, perdure::placement how = perdure::placement::counted)
      : sys{[&] {
          o.placement = how;
          return perdure::system::start(talk::actors(), o).value();
        }()} {
    const perdure::ref<talker> first{sys.spawn<talker>(1).value()[0].bits + 1};
    all = spawn(population, first);
  }
  perdure::range<talker> spawn(std::size_t n, perdure::ref<talker> first) {
    return sys
        .spawn<talker>(n,
                       [&](std::size_t i) {
                         talker t;
                         t.first = first;
                         t.own = static_cast<std::uint32_t>(i);
                         return t;
                       })
        .value();
  }
  void say(std::uint32_t to, std::uint32_t value, std::uint32_t hops, std::uint32_t host = 0) {
    expect_ok(
        sys.send(all[to], word{population + host, ++numbers[host][to], hops, value, sys.now()}));
    words[host] += hops + 1;
  }
  /// The same traffic, whenever and wherever; some 1,000 words.
  void talk_all() {
    for (std::uint32_t i = 0; i < 2 * population; ++i) say(i % population, i * 40503U, 20);
    expect_ok(sys.quiesce(20s));
  }
  std::vector<talker> states() {
    std::vector<talker> out(population);
    expect_ok(sys.view(all, std::span<talker>{out}));
    return out;
  }
  std::vector<std::uint32_t> seats() {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < population; ++i) out.push_back(sys.worker_of(all[i]).value());
    return out;
  }
  /// Of an idle system: nothing lost, nothing twice, in order of pairs and of causes.
  void expect_all_heard() {
    const std::vector<talker> now = states();
    std::uint64_t heard = 0;
    for (std::uint32_t i = 0; i < population; ++i) {
      SCOPED_TRACE("talker " + std::to_string(i));
      heard += now[i].heard;
      EXPECT_EQ(now[i].own, i);
      EXPECT_EQ(now[i].out_of_order, 0U);
      EXPECT_EQ(now[i].out_of_time, 0U);
      for (std::uint32_t from = 0; from < population; ++from)
        EXPECT_EQ(now[i].got[from], now[from].said[i]) << "from " << from;
      for (std::uint32_t host = 0; host < hosts; ++host)
        EXPECT_EQ(now[i].got[population + host], numbers[host][i]) << "from host thread " << host;
    }
    std::uint64_t said = 0;
    for (const std::uint64_t n : words) said += n;
    EXPECT_EQ(heard, said);
    expect_exact_books(sys);
  }
  std::uint64_t moved(const perdure::placement_report& r) const { return r.types[0].moved; }

  perdure::system sys;
  perdure::range<talker> all;
  std::array<std::uint64_t, hosts> words{};
  std::array<std::array<std::uint32_t, population>, hosts> numbers{};
};

}  // namespace contract
