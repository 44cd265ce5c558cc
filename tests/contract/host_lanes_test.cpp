// tests/contract/host_lanes_test.cpp - a host is heard beside whatever else a worker has to do, and told the truth.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;

struct load {
  std::uint32_t hops;
};
struct burst {
  std::uint32_t loads, hops;
};
struct numbered {
  std::uint32_t number;
};
struct question {};
struct carried {
  std::uint64_t messages;
};
/// Sends each load to itself, hop by hop.
struct carrier : actor<carrier> {
  std::uint64_t messages = 0, out_of_order = 0;
  void on(const numbered& m, context&) {
    if (m.number != messages) ++out_of_order;
    ++messages;
  }
  void on(const load& m, context& ctx) {
    ++messages;
    if (m.hops != 0) ctx.send(ctx.self(*this), load{m.hops - 1});
  }
  void on(const burst& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.loads; ++i) ctx.send(ctx.self(*this), load{m.hops});
  }
  void on(const question&, context& ctx) { ctx.reply(carried{messages}); }
};

using HostLanes = program_of<handles<carrier, load, burst, question, numbered>, letters<carried>>;

TEST_F(HostLanes, AQuestionIsAnsweredWhileMoreGoesRoundThanTheRingHolds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto o = tight(perdure::schedule::seeded, seed);
    o.workers = 1;
    o.outbox_slots = 512;
    auto sys = perdure::system::start(actors, o).value();
    const auto all = sys.spawn<carrier>(2, carrier{}).value();
    constexpr std::uint32_t loads = 200, hops = 400;  // the ring holds 128 of them
    // all under way at once, none left in the host's lane
    expect_ok(sys.send(all[0], burst{loads, hops}));
    for (int asks = 0; asks < 5; ++asks) {  // the first may be handled in one batch with the burst
      auto got = sys.ask<carried>(all[0], question{}, 20s);
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_LT(got.value().messages, std::uint64_t{loads} * (hops + 1))
          << "only when all had come to rest";
    }
    EXPECT_GT(sys.statistics().spilled, 0U) << "the spill was never used";
    expect_ok(sys.quiesce(60s));
    EXPECT_EQ(sys.view(all[0]).value().messages, std::uint64_t{loads} * (hops + 1));
    expect_exact_books(sys);
  }
}
TEST_F(HostLanes, SendManyTellsHowManyWereSentBeforeABadReference) {
  under_every_schedule(2, 2, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto all = sys.spawn<carrier>(3, carrier{}).value();
    for (const std::size_t good : {std::size_t{5}, std::size_t{300}}) {
      const std::uint64_t before = sys.view(all[0]).value().messages;
      std::vector<ref<carrier>> to(good, all[0]);
      to.push_back(ref<carrier>{});
      to.push_back(all[0]);
      const std::vector<load> loads(to.size(), load{0});
      std::size_t sent = 0;
      while (sent < good) {
        const auto some = sys.send_many<carrier, load>(std::span{to}.subspan(sent),
                                                       std::span{loads}.subspan(sent));
        ASSERT_TRUE(some.has_value()) << some.error().message();
        sent += *some;
      }
      EXPECT_EQ(sent, good);
      expect_error(
          sys.send_many<carrier, load>(std::span{to}.subspan(sent), std::span{loads}.subspan(sent)),
          errc::null_ref);
      expect_ok(sys.quiesce(20s));
      EXPECT_EQ(sys.view(all[0]).value().messages, before + good);
    }
  });
}
TEST_F(HostLanes, EachOfTenLoneDeadLettersIsReported) {
  under_every_schedule(5, 5, [&](perdure::options o) {
    std::mutex mutex;
    std::size_t told = 0;
    o.on_dead_letter = [&](const perdure::dead_letter&) {
      std::lock_guard lock{mutex};
      ++told;
    };
    auto sys = perdure::system::start(actors, o).value();
    const auto all = sys.spawn<carrier>(1, carrier{}).value();
    // of a generation that has not been spawned yet
    const ref<carrier> nobody{all[0].bits + (std::uint64_t{1} << 32U)};
    for (std::size_t i = 1; i <= 10; ++i) {
      expect_ok(sys.send(nobody, load{0}));
      for (int tries = 0; tries < 5'000 && (std::lock_guard{mutex}, told < i); ++tries) {
        expect_ok(sys.quiesce(20s));
        if (o.schedule == perdure::schedule::parallel) std::this_thread::sleep_for(1ms);
      }
      std::lock_guard lock{mutex};
      ASSERT_EQ(told, i);
    }
    expect_exact_books(sys);
  });
}

TEST_F(HostLanes, ThreadsThatOnlyReceiveOrAskNothingTakeNoLane) {
  perdure::options o = tight(perdure::schedule::parallel, 1);
  o.host_lanes = 8;
  auto sys = perdure::system::start(actors, o).value();
  const auto all = sys.spawn<carrier>(1, carrier{}).value();
  auto box = sys.make_mailbox<carried>(4).value();
  EXPECT_EQ(sys.statistics().host_lanes, 1U);
  for (int i = 0; i < 5; ++i) {
    std::jthread{[&] {
      std::vector<perdure::letter<carried>> some(1);
      EXPECT_EQ(box.receive(some, 1ms).value(), 0U);
    }};
  }
  for (std::uint32_t senders = 1; senders <= 12; ++senders) {
    std::jthread{[&] { expect_ok(sys.send(all[0], load{0})); }}.join();
    EXPECT_EQ(sys.statistics().host_lanes, std::min(senders, 8U));
  }
  expect_ok(sys.quiesce(20s));
  EXPECT_EQ(sys.view(all[0]).value().messages, 12U);
}
TEST_F(HostLanes, OrderHoldsWithMoreThreadsThanLanesAndTwoSystems) {
  constexpr std::uint32_t threads = 24, each = 200;
  for (const std::uint32_t lanes : {1U, 3U, 64U}) {
    perdure::options o = tight(perdure::schedule::parallel, 1);
    o.host_lanes = lanes;
    o.send_timeout = 20s;
    auto one = perdure::system::start(actors, o).value();
    auto other = perdure::system::start(actors, o).value();
    const auto of_one = one.spawn<carrier>(threads, carrier{}).value();
    const auto of_other = other.spawn<carrier>(threads, carrier{}).value();
    {
      std::vector<std::jthread> senders;
      for (std::uint32_t t = 0; t < threads; ++t) {
        senders.emplace_back([&, t] {
          for (std::uint32_t n = 0; n < each; ++n) {
            expect_ok(one.send(of_one[t], numbered{n}));
            expect_ok(other.send(of_other[threads - 1 - t], numbered{n}));
          }
        });
      }
    }
    for (auto* sys : {&one, &other}) {
      expect_ok(sys->quiesce(60s));
      EXPECT_EQ(sys->statistics().host_lanes, std::min(threads, lanes));
      expect_exact_books(*sys);
    }
    for (std::uint32_t t = 0; t < threads; ++t) {
      for (const auto& got : {one.view(of_one[t]).value(), other.view(of_other[t]).value()}) {
        EXPECT_EQ(got.messages, each);
        EXPECT_EQ(got.out_of_order, 0U);
      }
    }
  }
}
TEST_F(HostLanes, ThreadsThatComeAndGoAreMoreThanAnyTableHolds) {
  auto o = tight(perdure::schedule::parallel, 1);
  o.host_lanes = 5;
  auto sys = perdure::system::start(actors, o).value();
  const auto all = sys.spawn<carrier>(1, carrier{}).value();
  constexpr std::uint32_t threads = 4'200;  // a core's table has 4,096 places
  for (std::uint32_t t = 0; t < threads; ++t)
    std::jthread{[&] { expect_ok(sys.send(all[0], numbered{t})); }}.join();
  expect_ok(sys.quiesce(60s));
  EXPECT_EQ(sys.view(all[0]).value().messages, threads);
  EXPECT_EQ(sys.statistics().host_lanes, 5U);
  expect_exact_books(sys);
}

}  // namespace
