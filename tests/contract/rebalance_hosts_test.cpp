// tests/contract/rebalance_hosts_test.cpp - host threads that send while actors are moved.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/contract/talk_world.hpp"

namespace {

using namespace contract;
using perdure::errc;

class RebalanceBesideHosts : public everywhere {
 protected:
  void SetUp() override { needs_device(talk::actors()); }
};

TEST_P(RebalanceBesideHosts, HostsThatSendMeanwhileWaitAndNothingIsLost) {
  show(0, 30, [](perdure::options o) {
    o.send_timeout = 20s;
    world w{o};
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&, host] {
        for (std::uint32_t i = 0; !done.load() || i < 60; ++i) {
          const std::uint32_t to = (i * 7 + host) % population;
          if (host == 0) {
            EXPECT_EQ(w.sys.ask<answer>(w.all[to], question{}, 20s).value().own, to);
          } else {
            w.say(to, i * 7919, 9, host);
          }
          if (i % 4 != 0) continue;
          const auto tried = w.sys.try_send(w.all[to], hush{});
          if (!tried) {
            EXPECT_EQ(tried.error().code(), errc::inbox_full);
          }
        }
      });
    }
    for (int i = 0; i < 6; ++i) {
      const auto r = w.sys.rebalance(20s);
      expect_ok(r);
      std::this_thread::sleep_for(1ms);
    }
    done.store(true);
    for (std::thread& t : threads) t.join();
    expect_ok(w.sys.quiesce(20s));
    w.expect_all_heard();
    EXPECT_EQ(w.sys.statistics().dead_total(), 0U);
    expect_ok(w.sys.stop(20s));
  });
}

/// Chatterers do not come to rest, so senders are held back for all of the time that rebalance() has. With a seed no time
/// passes for who is held back.
TEST_P(RebalanceBesideHosts, WhoIsHeldBackHasItsOwnTime) {
  show(0, 12, [](perdure::options o) {
    o.send_timeout = 1ms;
    world w{o};
    for (std::uint32_t i = 0; i < population; i += group) w.sys.send(w.all[i], chatter{}).value();
    std::atomic<bool> enough{false}, over{false};
    std::thread other{[&] {
      for (int i = 0; i < 400 && !enough.load(); ++i) {
        const auto r = w.sys.rebalance(50ms);
        EXPECT_FALSE(r.has_value());
      }
      over.store(true);
    }};
    const auto held = [](const auto& r) {
      return !r && r.error().code() == errc::inbox_full &&
             r.error().context().find("rebalance") != std::string::npos;
    };
    bool tried = false, sent = false, asked = false;
    while (!over.load() && !(tried && sent && asked)) {
      tried = tried || held(w.sys.try_send(w.all[1], question{}));
      sent = sent || held(w.sys.send(w.all[1], question{}));
      asked = asked || held(w.sys.ask<answer>(w.all[1], question{}, 1ms));
    }
    enough.store(true);
    other.join();
    EXPECT_TRUE(tried && sent && asked) << tried << sent << asked;
    for (std::uint32_t i = 0; i < population; ++i)
      expect_ok(w.sys.ask<answer>(w.all[i], question{}, 20s));
    for (std::uint32_t i = 0; i < population; ++i) {
      while (!w.sys.send(w.all[i], hush{})) {
      }
    }
    expect_ok(w.sys.quiesce(20s));
    expect_ok(w.sys.stop(20s));
  });
}

PERDURE_SHOW_EVERYWHERE(RebalanceBesideHosts);

}  // namespace
