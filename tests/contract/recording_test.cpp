// tests/contract/recording_test.cpp - what was recorded is gone through again, call by call, to the same states: clause 9.
// Why: a run under any schedule, on threads or on a GPU, is a run that one thread can repeat.
// Shown by: as many calls as the run counted, each actor's last state, its number of messages and its end; lines of logs.
// SPDX-License-Identifier: Apache-2.0
#include <perdure/replay.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>
#include <vector>

#include "endings.actors.hpp"  // made by the build from actors/endings.hpp
#include "halls.actors.hpp"    // and so on
#include "hot.actors.hpp"
#include "parcels.actors.hpp"
#include "talk.actors.hpp"
#include "tests/contract/crowd_run.hpp"

namespace {

using namespace contract;
using perdure::errc;
using perdure::ref;

class Recording : public everywhere {
 protected:
  void SetUp() override { needs_device(crowd::actors()); }
  void TearDown() override {
    std::error_code none;
    std::filesystem::remove(file_, none);
  }

  /// Options of a run that is recorded.
  perdure::options recorded(perdure::options o) const {
    o.record = file_;
    o.record_slots = 1U << 16U;
    return o;
  }
  /// Of a system that has been stopped: the replay comes to what the run came to. @param compared  actors
  perdure::replay_report expect_again(const perdure::program& actors, const perdure::stats& s,
                                      std::uint64_t compared) const {
    const auto again = perdure::replay(actors, file_);
    if (!again) {
      ADD_FAILURE() << again.error().message();
      return {};
    }
    EXPECT_TRUE(again->whole);
    EXPECT_EQ(again->messages, s.handled - s.link_taken);
    EXPECT_EQ(again->firings, s.fired);
    EXPECT_EQ(again->timers, s.timers_fired);
    EXPECT_EQ(again->to_host, s.replies + s.to_mailboxes);
    EXPECT_EQ(again->compared, compared);
    EXPECT_EQ(again->differ, 0U);
    for (const auto& d : again->different)
      ADD_FAILURE() << "recorded " << d.recorded << "\nreplayed " << d.replayed;
    return *again;
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_{std::filesystem::temp_directory_path() /
                              ("perdure_recording_" + std::to_string(::getpid()))};
};

TEST_P(Recording, ACrowdsWalksAsksAndStamps) {
  show(200, 20, [this](const perdure::options& o) {
    perdure::stats end;
    {
      crowd_run run{recorded(o)};
      for (std::uint32_t i = 0; i < 30; ++i)
        run.walk(i % crowd::population, i * 2'654'435'761U, 20, i % 8 == 0);
      run.read_slowly(run.letters, 0);
      for (std::uint32_t i = 0; i < 6; ++i) {
        const auto r =
            run.sys.ask<crowd::answer>(run.all[i], crowd::question{i, run.sys.now()}, 20s);
        expect_ok(r);
      }
      expect_ok(run.sys.quiesce(20s));
      expect_ok(run.sys.stop(20s));
      end = run.sys.statistics();
    }
    (void)expect_again(crowd::actors(), end, crowd::population + 1);
  });
}

/// Talkers that have timers, and slots that are used again.
TEST_P(Recording, TimersEndsAndWhoComesBehind) {
  show(100, 10, [this](const perdure::options& o) {
    using talk::leave, talk::population, talk::sleep_for, talk::talker, talk::word;
    auto sys = perdure::system::start(talk::actors(), recorded(o)).value();
    const ref<talker> first{sys.spawn<talker>(1).value()[0].bits + 1};
    const auto all = sys.spawn<talker>(population, [&](std::size_t i) {
      talker t;
      t.first = first;
      t.own = static_cast<std::uint32_t>(i);
      return t;
    });
    expect_ok(all);
    for (std::uint32_t i = 0; i < population; ++i) {
      for (std::uint64_t n = 1; n < 4; ++n)
        expect_ok(sys.send((*all)[i], sleep_for{n * 100'000 * (i % 3)}));
      expect_ok(sys.send((*all)[i], word{population, 1, 12, i * 977, sys.now()}));
    }
    for (int tries = 0; sys.statistics().timers_fired != population * 3U && tries < 20'000; ++tries)
      expect_ok(sys.quiesce(20s));
    expect_ok(sys.send((*all)[3], leave{}));
    expect_ok(sys.quiesce(20s));
    talker late;
    late.first = first;
    late.own = 3;
    const auto behind = sys.spawn<talker>(1, late).value()[0];
    expect_ok(sys.send(behind, word{population, 1, 12, 5, sys.now()}));
    expect_ok(sys.send((*all)[3], word{population, 2, 12, 5, sys.now()}));  // a dead letter
    expect_ok(sys.stop(20s));
    // the one in the middle gave its slot to the last one, or keeps it
    const bool again =
        perdure::abi::ref_index(behind.bits) == perdure::abi::ref_index((*all)[3].bits);
    const auto report =
        expect_again(talk::actors(), sys.statistics(), population + (again ? 1 : 2));
    EXPECT_GE(report.left, 1U);
  });
}

TEST_P(Recording, LongMessagesAndWideActors) {
  show(40, 10, [this](perdure::options o) {
    using parcels::filled;
    if (o.backend == perdure::backend::cuda) o.lanes = 64;
    o.buffer_slots = 256;
    o.spill_slots = 16'384;
    auto sys = perdure::system::start(halls::actors(), recorded(o)).value();
    const auto wide = sys.spawn<halls::hall>(2).value();
    const auto small = sys.spawn<parcels::shelf>(2).value();
    const auto fill = [](auto m, std::uint32_t from, std::uint32_t number) {
      m.from = from;
      m.number = number;
      for (std::uint32_t i = 0; i < m.fill.size(); ++i)
        m.fill[i] = parcels::fill_of(from, number, i);
      return m;
    };
    for (std::uint32_t number = 1; number <= 12; ++number) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (number % 4 == 0) {
          expect_ok(sys.send(wide[i], fill(filled<2>{}, 1, number)));
          expect_ok(sys.send(small[i], fill(filled<2>{}, 1, number)));
        } else {
          expect_ok(sys.send(wide[i], fill(filled<125>{}, 1, number)));
          expect_ok(sys.send(small[i], fill(filled<125>{}, 1, number)));
        }
      }
    }
    expect_ok(sys.stop(20s));
    (void)expect_again(halls::actors(), sys.statistics(), 4);
  });
}

/// Runs of one actor's messages, which go another way through the loop; of the long ones many find no buffer, and the events behind
/// those have the stamps that they had.
TEST_P(Recording, AHotActorsStream) {
  std::uint64_t lost = 0;
  show(40, 10, [&](perdure::options o) {
    o.buffer_slots = o.seed % 2 == 0 ? 256 : 1;
    using hot::crier, hot::criers, hot::ear, hot::go, hot::ledger;
    auto sys = perdure::system::start(hot::actors(), recorded(o)).value();
    ear listens;
    listens.first = sys.spawn<crier>(1).value()[0].bits + 1;
    const auto one = sys.spawn<ear>(1, listens).value()[0];
    const auto book = sys.spawn<ledger>(1).value()[0];
    const auto all = sys.spawn<crier>(criers, [&](std::size_t i) {
      crier c;
      c.to = one;
      c.beside = book;
      c.own = static_cast<std::uint32_t>(i);
      return c;
    });
    expect_ok(all);
    for (const auto c : *all) expect_ok(sys.send(c, go{6}));
    expect_ok(sys.stop(20s));
    lost += sys.statistics().dead_total();
    (void)expect_again(hot::actors(), sys.statistics(), criers + 3);
  });
  EXPECT_GT(lost, 0U);
}

TEST_P(Recording, FailuresAndMessagesToNobody) {
  show(100, 10, [this](const perdure::options& o) {
    using endings::clerk, endings::stray, endings::work, endings::write_to;
    auto sys = perdure::system::start(endings::actors(), recorded(o)).value();
    const auto head = sys.spawn<clerk>(1).value()[0];
    clerk hand;
    hand.to = head;
    const auto hands = sys.spawn<clerk>(9, hand).value();
    for (std::uint32_t round = 1; round <= 4; ++round) {
      for (std::uint32_t i = 0; i < 9; ++i) {
        expect_ok(sys.send(hands[i], work{round, i % 3 == 0 && round == 2}));
        expect_ok(sys.send(hands[i], write_to{i % 2 == 0 ? stray::null : stray::foreign}));
      }
    }
    expect_ok(sys.stop(20s));
    (void)expect_again(endings::actors(), sys.statistics(), 10);
  });
}

/// What was taken was sent by somebody, however late.
TEST_P(Recording, ThreadsThatSendUntilTheSystemStops) {
  show(0, 20, [this](const perdure::options& o) {
    using endings::clerk, endings::work;
    auto sys = perdure::system::start(endings::actors(), recorded(o)).value();
    clerk hand;
    hand.to = sys.spawn<clerk>(1).value()[0];
    const auto hands = sys.spawn<clerk>(5, hand).value();
    std::vector<std::thread> senders;
    std::atomic<std::uint32_t> sent{0}, ended{0};
    for (std::uint32_t from = 0; from < 3; ++from) {
      senders.emplace_back([&, from] {
        const std::vector<ref<clerk>> to(7, hands[from]);
        const std::vector<work> many(7, work{from, false});
        for (std::uint32_t n = 0; n < 2'000; ++n) {
          const bool ok = n % 5 == 0 ? sys.send_many(std::span<const ref<clerk>>{to},
                                                     std::span<const work>{many})
                                           .has_value()
                                     : sys.send(hands[n % 5], work{n, false}).has_value();
          if (!ok) break;
          sent.fetch_add(1, std::memory_order_relaxed);
        }
        ended.fetch_add(1, std::memory_order_relaxed);
      });
    }
    while (sent.load(std::memory_order_relaxed) < 50 && ended.load(std::memory_order_relaxed) < 3)
      std::this_thread::yield();
    expect_ok(sys.stop(20s));
    for (auto& s : senders) s.join();
    (void)expect_again(endings::actors(), sys.statistics(), 6);
  });
}

TEST_P(Recording, ThatIsFullEndsThereAndSaysSo) {
  show(20, 10, [this](const perdure::options& o) {
    std::string warned;
    perdure::stats end;
    {
      perdure::options few = recorded(o);
      few.record_slots = 64;
      few.on_warning = [&](const std::string& text) { warned += text; };
      crowd_run run{few};
      for (std::uint32_t i = 0; i < 30; ++i)
        run.walk(i % crowd::population, i * 77'777U, 20, false);
      expect_ok(run.sys.quiesce(20s));
      run.expect_all_walked();
      expect_ok(run.sys.stop(20s));
      end = run.sys.statistics();
    }
    EXPECT_NE(warned.find("record_slots"), std::string::npos) << warned;
    const auto again = perdure::replay(crowd::actors(), file());
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_FALSE(again->whole);
    EXPECT_EQ(again->compared, 0U);
    EXPECT_GT(again->messages, 0U);
    EXPECT_LT(again->messages, end.handled);
  });
}

TEST_P(Recording, IsLookedAtCallByCall) {
  show(10, 10, [this](const perdure::options& o) {
    {
      crowd_run run{recorded(o)};
      for (std::uint32_t i = 0; i < 12; ++i) run.walk(i % crowd::population, i * 31U, 9, false);
      expect_ok(run.sys.stop(20s));
    }
    std::uint64_t calls = 0, handled = 0;
    const std::filesystem::path picture{file().string() + ".json"};
    perdure::hlc last{};
    perdure::replay_options look;
    look.trace = picture;
    look.on_call = [&](const perdure::replayed_call& c) {
      EXPECT_EQ(c.number, calls++);
      EXPECT_EQ(c.actor_type, "crowd::walker");
      EXPECT_EQ(c.message_type, "crowd::step");
      EXPECT_FALSE(c.at < last);
      last = c.at;
      const auto& before = *static_cast<const crowd::walker*>(c.state);
      const auto& m = *static_cast<const crowd::step*>(c.message);
      EXPECT_TRUE(m.before < c.at);
      EXPECT_EQ(c.sender == perdure::any_ref{}, m.from >= crowd::population);
      if (before.own == 0) {
        EXPECT_EQ(before.handled, handled++);
      }
      return calls < 100;
    };
    const auto some = perdure::replay(crowd::actors(), file(), look);
    ASSERT_TRUE(some.has_value()) << some.error().message();
    EXPECT_TRUE(some->ended);
    EXPECT_EQ(calls, 100U);
    EXPECT_EQ(some->messages, 99U);
    EXPECT_EQ(some->compared, 0U);
    std::ifstream in{picture};
    const auto trace = nlohmann::json::parse(in).at("traceEvents");
    std::map<std::string, std::uint64_t> events;
    for (const auto& e : trace) ++events[e.at("ph").get<std::string>()];
    // an arrow begins and ends in a call, or in a host's send, and goes on in time
    std::map<int, double> begun;
    for (const auto& e : trace) {
      const auto kind = e.at("ph").get<std::string>();
      if (kind != "s" && kind != "f") continue;
      const double at = e.at("ts").get<double>();
      EXPECT_TRUE(std::any_of(trace.begin(), trace.end(), [&](const auto& x) {
        return x.at("ph") == "X" && x.at("tid") == e.at("tid") &&
               x.at("ts").template get<double>() <= at &&
               at <= x.at("ts").template get<double>() + x.at("dur").template get<double>();
      })) << e;
      const int id = e.at("id").get<int>();
      if (kind == "s") {
        begun[id] = at;
      } else {
        EXPECT_LT(begun.at(id), at) << e;
      }
    }
    EXPECT_EQ(events["s"], 99U);
    EXPECT_EQ(events["f"], 99U);
    EXPECT_GE(events["X"], 99U);
    std::filesystem::remove(picture);
  });
}

PERDURE_SHOW_EVERYWHERE(Recording);

}  // namespace
