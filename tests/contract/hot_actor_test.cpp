// tests/contract/hot_actor_test.cpp - types that say they are hot: the contract holds for runs of messages, too.
// Why: clauses 1 to 4, 7 and 10, where most of a batch is one actor's and its state is in registers meanwhile.
// Shown by: each crier's numbers in order (2), sums (1, 3), stamps that rise (4), and the books (10) when the ear stops
//           amid its messages.
// SPDX-License-Identifier: Apache-2.0
#include "hot.actors.hpp"  // made by the build from actors/hot.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;

class HotActor : public everywhere {
 protected:
  void SetUp() override { needs_device(hot::actors()); }

  static constexpr std::uint32_t bursts = 6, each = bursts * hot::burst;

  /// Room for all that is under way at once, and on a device lanes enough for a batch that is worth runs.
  static perdure::options roomy(perdure::options o) {
    o.outbox_slots = 2048;
    o.inbox_slots = 1024;
    o.spill_slots = 8192;
    o.host_slots = 4096;
    o.buffer_slots = hot::criers * hot::burst;
    if (o.backend == perdure::backend::cuda) o.lanes = 256;
    return o;
  }
  struct world {
    world(const perdure::options& o, std::uint32_t stops_at)
        : sys{perdure::system::start(hot::actors(), roomy(o)).value()},
          beside{sys.spawn<hot::ledger>(1).value()[0]},
          first{sys.spawn<hot::crier>(1).value()[0].bits + 1},
          to{sys.spawn<hot::ear>(1,
                                 [&](std::size_t) {
                                   hot::ear e;
                                   e.first = first;
                                   e.stops_at = stops_at;
                                   return e;
                                 })
                 .value()[0]},
          all{sys.spawn<hot::crier>(hot::criers,
                                    [&](std::size_t i) {
                                      hot::crier c;
                                      c.to = to;
                                      c.beside = beside;
                                      c.own = static_cast<std::uint32_t>(i);
                                      return c;
                                    })
                  .value()} {
      EXPECT_EQ(all[0].bits, first);
    }
    void shout() {
      for (const auto& one : all) expect_ok(sys.send(one, hot::go{bursts}));
    }
    std::vector<hot::crier> criers() {
      std::vector<hot::crier> states(hot::criers);
      expect_ok(sys.view(all, std::span{states}));
      return states;
    }

    perdure::system sys;
    perdure::ref<hot::ledger> beside;
    std::uint64_t first;
    perdure::ref<hot::ear> to;
    perdure::range<hot::crier> all;
  };
};

TEST_P(HotActor, IsToldAllAndInOrder) {
  show(200, 20, [](const perdure::options& o) {
    world w{o, 0};
    w.shout();
    for (std::uint32_t i = 0; i < 4; ++i) {
      const auto got = w.sys.ask<hot::answer>(w.to, hot::question{}, 20s);
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(got->errors, 0U);
    }
    expect_ok(w.sys.quiesce(20s));
    std::uint64_t sum = 0;
    for (std::uint32_t from = 0; from < hot::criers; ++from)
      for (std::uint32_t n = 0; n < each; ++n) sum += hot::worth_of({from, n, {}});
    const auto ear = w.sys.view(w.to).value();
    EXPECT_EQ(ear.handled, std::uint64_t{hot::criers} * each);
    EXPECT_EQ(ear.sum, sum);
    EXPECT_EQ(ear.errors, 0U);
    const auto ledger = w.sys.view(w.beside).value();
    EXPECT_EQ(ledger.out_of_order, 0U);
    for (const std::uint32_t next : ledger.next) EXPECT_EQ(next, each);
    for (const auto& one : w.criers()) EXPECT_EQ(one.errors, 0U);
    EXPECT_EQ(w.sys.statistics().dead_total(), 0U);
    expect_ok(w.sys.stop(20s));
  });
}

/// What waits while nobody looks comes in large batches for one actor: a device handles those in runs for sure.
TEST_P(HotActor, IsToldInOrderWhatHasWaited) {
  show(50, 20, [](const perdure::options& o) {
    constexpr std::uint32_t waiting = 768, rounds = waiting / hot::criers;
    world w{o, 0};
    expect_ok(w.sys.pause(20s));
    const auto before = w.sys.statistics();
    std::vector<hot::shout> shouts;
    for (std::uint32_t i = 0; i < waiting; ++i)
      shouts.push_back({i % hot::criers, i / hot::criers, {}});
    const std::vector<perdure::ref<hot::ledger>> to(waiting, w.beside);
    const auto sent = w.sys.send_many(std::span<const perdure::ref<hot::ledger>>{to},
                                      std::span<const hot::shout>{shouts});
    ASSERT_TRUE(sent.has_value()) << sent.error().message();
    EXPECT_EQ(*sent, waiting);
    expect_ok(w.sys.resume());
    expect_ok(w.sys.quiesce(20s));
    const auto after = w.sys.statistics();
    EXPECT_EQ(after.handled - before.handled, waiting);
    if (o.backend == perdure::backend::cuda) {
      EXPECT_LT(after.batches - before.batches, waiting / 32) << "more than a warp has, most times";
      EXPECT_EQ(after.rounds - before.rounds, waiting) << "each is behind another one";
    }
    const auto ledger = w.sys.view(w.beside).value();
    EXPECT_EQ(ledger.out_of_order, 0U);
    for (const std::uint32_t next : ledger.next) EXPECT_EQ(next, rounds);
    expect_ok(w.sys.stop(20s));
  });
}

TEST_P(HotActor, ThatStopsAmidItsMessagesGetsNoMore) {
  show(200, 20, [](const perdure::options& o) {
    constexpr std::uint32_t last = hot::criers * each / 3;
    world w{o, last};
    w.shout();
    expect_ok(w.sys.quiesce(20s));
    const auto ear = w.sys.view(w.to).value();  // as it stopped
    EXPECT_EQ(ear.handled, last);
    EXPECT_EQ(ear.errors, 0U);
    std::uint64_t sent = 0, began = 0;
    for (const auto& one : w.criers()) {
      EXPECT_EQ(one.errors, 0U);
      sent += one.number;
      began += 1 + (one.number / hot::burst - 1);  // the start, and each answer but the last
    }
    EXPECT_GT(sent, last);
    const auto& books = w.sys.statistics();
    const auto stopped = static_cast<std::size_t>(perdure::abi::dead_reason::stopped);
    EXPECT_EQ(books.dead[stopped], sent - last);
    EXPECT_EQ(books.dead_total(), sent - last);
    EXPECT_EQ(books.sent, books.handled + books.dead_total());
    EXPECT_GE(books.handled, last + sent + began);
    const auto ledger = w.sys.view(w.beside).value();
    EXPECT_EQ(ledger.out_of_order, 0U);
    expect_ok(w.sys.stop(20s));
  });
}

PERDURE_SHOW_EVERYWHERE(HotActor);

}  // namespace
