// tests/contract/runs_test.cpp - types that have on_run(): the contract holds for what is handled together, too.
// Why: clauses 1 to 5 and 10, where most of a batch is one actor's and 32 lanes handle it at once.
// Shown by: each payer's numbers in order (2), sums (1, 3), receipts in the till's order with stamps that rise (2, 4), and the
//           books (10) when a till stops amid its coins.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "runs.actors.hpp"  // made by the build from actors/runs.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;

class Runs : public everywhere {
 protected:
  void SetUp() override { needs_device(runs::actors()); }

  static perdure::options roomy(perdure::options o) {
    o.outbox_slots = 4096;
    o.inbox_slots = 4096;
    o.spill_slots = 8192;
    o.host_slots = 4096;
    if (o.backend == perdure::backend::cuda) o.lanes = 256;
    return o;
  }
  template <class A>
  static perdure::ref<A> spawn(perdure::system& sys, perdure::ref<runs::book> to,
                               std::uint32_t number, std::uint32_t stops_at) {
    return sys
        .spawn<A>(1,
                  [&](std::size_t) {
                    A a;
                    a.to = to;
                    a.number = number;
                    a.stops_at = stops_at;
                    return a;
                  })
        .value()[0];
  }
  struct world {
    world(const perdure::options& o, std::uint32_t stops_at)
        : sys{perdure::system::start(runs::actors(), roomy(o)).value()},
          book{sys.spawn<runs::book>(1).value()[0]},
          small{spawn<runs::till>(sys, book, 0, stops_at)},
          large{spawn<runs::vault>(sys, book, 1, stops_at)},
          all{sys.spawn<runs::payer>(runs::payers,
                                     [&](std::size_t i) {
                                       runs::payer p;
                                       p.small = small;
                                       p.large = large;
                                       p.own = static_cast<std::uint32_t>(i);
                                       return p;
                                     })
                  .value()} {}
    void pay(std::uint32_t coins) {
      for (const auto& one : all) expect_ok(sys.send(one, runs::go{coins}));
    }

    perdure::system sys;
    perdure::ref<runs::book> book;
    perdure::ref<runs::till> small;
    perdure::ref<runs::vault> large;
    perdure::range<runs::payer> all;
  };
  static std::uint64_t worth_of_all(std::uint32_t each) {
    std::uint64_t sum = 0;
    for (std::uint32_t from = 0; from < runs::payers; ++from)
      for (std::uint32_t n = 0; n < each; ++n) sum += runs::worth_of(from, n);
    return sum;
  }
  template <class A>
  static void expect_all(const A& a, std::uint32_t each) {
    EXPECT_EQ(a.handled, runs::payers * each);
    EXPECT_EQ(a.sum, worth_of_all(each));
    EXPECT_EQ(a.errors, 0U);
    for (const std::uint32_t next : a.next) EXPECT_EQ(next, each);
  }
};

TEST_P(Runs, AreToldAllAndInOrder) {
  show(200, 20, [](const perdure::options& o) {
    constexpr std::uint32_t each = 60;
    world w{o, 0};
    for (std::uint32_t i = 0; i < 3; ++i) {
      w.pay(each / 3);
      const auto got = w.sys.ask<runs::answer>(w.small, runs::question{}, 20s);
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(got->errors, 0U);
    }
    expect_ok(w.sys.quiesce(20s));
    expect_all(w.sys.view(w.small).value(), each);
    expect_all(w.sys.view(w.large).value(), each);
    const auto book = w.sys.view(w.book).value();
    EXPECT_EQ(book.errors, 0U);
    EXPECT_EQ(book.receipts, 2 * runs::payers * (each / runs::receipt_every));
    const auto& books = w.sys.statistics();
    EXPECT_EQ(books.dead_total(), 0U);
    EXPECT_EQ(books.sent, books.handled);
    expect_ok(w.sys.stop(20s));
  });
}

/// What waits while nobody looks comes in large batches for one actor: a device handles most of those together.
TEST_P(Runs, AreHandledTogetherWhereTheyHaveWaited) {
  show(50, 20, [](const perdure::options& o) {
    constexpr std::uint32_t each = 25, waiting = each * runs::payers;
    world w{o, 0};
    expect_ok(w.sys.pause(20s));
    std::vector<runs::coin> coins;
    for (std::uint32_t i = 0; i < waiting; ++i) {
      const std::uint32_t from = i % runs::payers, number = i / runs::payers;
      coins.push_back({from, number, runs::worth_of(from, number), {}});
    }
    const auto send = [&](auto to) {
      const std::vector<decltype(to)> all(waiting, to);
      const auto sent =
          w.sys.send_many(std::span<const decltype(to)>{all}, std::span<const runs::coin>{coins});
      ASSERT_TRUE(sent.has_value()) << sent.error().message();
      ASSERT_EQ(*sent, waiting);
    };
    send(w.small);
    send(w.large);
    expect_ok(w.sys.resume());
    expect_ok(w.sys.quiesce(20s));
    const auto small = w.sys.view(w.small).value();
    const auto large = w.sys.view(w.large).value();
    expect_all(small, each);
    expect_all(large, each);
    if (o.backend == perdure::backend::cuda) {
      EXPECT_GT(small.together, waiting / 2);
      EXPECT_GT(large.together, waiting / 2);
    }
    EXPECT_EQ(w.sys.view(w.book).value().errors, 0U);
    expect_ok(w.sys.stop(20s));
  });
}

TEST_P(Runs, EndWhereTheirActorStops) {
  show(200, 20, [](const perdure::options& o) {
    constexpr std::uint32_t each = 60, last = runs::payers * each / 3;
    world w{o, last};
    w.pay(each);
    expect_ok(w.sys.quiesce(20s));
    EXPECT_EQ(w.sys.view(w.small).value().handled, last);  // as it stopped
    EXPECT_EQ(w.sys.view(w.large).value().handled, last);
    EXPECT_EQ(w.sys.view(w.small).value().errors, 0U);
    EXPECT_EQ(w.sys.view(w.book).value().errors, 0U);
    const auto& books = w.sys.statistics();
    const auto stopped = static_cast<std::size_t>(perdure::abi::dead_reason::stopped);
    EXPECT_EQ(books.dead[stopped], 2 * (runs::payers * each - last));
    EXPECT_EQ(books.dead_total(), books.dead[stopped]);
    EXPECT_EQ(books.sent, books.handled + books.dead_total());
    expect_ok(w.sys.stop(20s));
  });
}

/// Who sets up a system learns so whether a next batch wants room on chip.
TEST(RunsProgram, SaysWhichHandlersTakeRuns) {
  std::vector<std::string> takers;
  for (const perdure::handler_info& h : runs::actors().handlers) {
    if (h.in_runs) takers.emplace_back(runs::actors().actors[h.actor - 1].name);
  }
  ASSERT_EQ(takers.size(), 2U);
  EXPECT_NE(takers[0].find("till"), std::string::npos);
  EXPECT_NE(takers[1].find("vault"), std::string::npos);
}

PERDURE_SHOW_EVERYWHERE(Runs);

}  // namespace
