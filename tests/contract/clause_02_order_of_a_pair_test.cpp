// tests/contract/clause_02_order_of_a_pair_test.cpp - what one sender sends to one receiver is handled in the order sent.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;

constexpr std::uint32_t population = 12;
constexpr std::uint32_t hosts = 3;

/// Three sizes of one message: two words, ten words, and a pooled buffer.
template <int Fill>
struct numbered {
  std::uint32_t from, number;
  std::uint32_t hops;
  std::array<std::uint32_t, Fill> fill;
};
using small = numbered<1>;
using medium = numbered<25>;
using large = numbered<80>;

struct pair_keeper : actor<pair_keeper> {
  ref<pair_keeper> first;
  std::uint32_t own = 0;
  std::uint32_t sent[population] = {};
  std::uint32_t got[population + hosts] = {};
  std::uint32_t errors = 0;

  void on(const small& m, context& ctx) { take(m, ctx); }
  void on(const medium& m, context& ctx) { take(m, ctx); }
  void on(const large& m, context& ctx) { take(m, ctx); }

 private:
  template <class M>
  void take(const M& m, context& ctx) {
    if (m.number != got[m.from] + 1) ++errors;
    got[m.from] = m.number;
    for (std::uint32_t word : m.fill) errors += word != m.number ? 1 : 0;
    if (m.hops == 0) return;
    const std::uint64_t dice = ctx.random();
    // half of all goes round a cycle, half to one hot actor
    const std::uint32_t to = dice % 2 == 0 ? (own + 1) % population : 0;
    switch (dice / 2 % 3) {
      case 0:
        return pass<small>(to, m.hops - 1, ctx);
      case 1:
        return pass<medium>(to, m.hops - 1, ctx);
      default:
        return pass<large>(to, m.hops - 1, ctx);
    }
  }
  template <class M>
  void pass(std::uint32_t to, std::uint32_t hops, context& ctx) {
    M m{own, ++sent[to], hops, {}};
    m.fill.fill(m.number);
    ctx.send(ref<pair_keeper>{first.bits + to}, m);
  }
};

perdure::range<pair_keeper> spawn_all(perdure::system& sys) {
  const std::uint64_t first = sys.spawn<pair_keeper>(1).value()[0].bits + 1;
  return sys
      .spawn<pair_keeper>(population,
                          [&](std::size_t i) {
                            pair_keeper k;
                            k.first = ref<pair_keeper>{first};
                            k.own = static_cast<std::uint32_t>(i);
                            return k;
                          })
      .value();
}
void expect_order(perdure::system& sys, perdure::range<pair_keeper> all) {
  std::vector<pair_keeper> states(population);
  expect_ok(sys.view(all, std::span<pair_keeper>{states}));
  for (std::uint32_t to = 0; to < population; ++to) {
    EXPECT_EQ(states[to].errors, 0U) << "at actor " << to;
    for (std::uint32_t from = 0; from < population; ++from) {
      EXPECT_EQ(states[to].got[from], states[from].sent[to]) << from << " -> " << to;
    }
  }
}

using Clause02 = program_of<handles<pair_keeper, small, medium, large>>;

TEST_F(Clause02, MessagesOfAPairAreHandledInTheOrderSentInEverySize) {
  under_every_schedule(60, 20, [&](perdure::options o) {
    o.spill_slots = 4096;
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn_all(sys);
    std::uint32_t numbers[population] = {};
    for (std::uint32_t i = 0; i < 60; ++i) {
      const std::uint32_t to = i * 7 % population;
      expect_ok(sys.send(all[to], small{population, ++numbers[to], 40, {numbers[to]}}));
    }
    expect_ok(sys.quiesce(20s));
    expect_order(sys, all);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    EXPECT_GT(sys.statistics().wraps, 0U);
    expect_exact_books(sys);
  });
}
TEST_F(Clause02, EachHostThreadIsASenderWithAnOrderOfItsOwn) {
  under_every_schedule(0, 10, [&](perdure::options o) {
    o.spill_slots = 4096;
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn_all(sys);
    std::vector<std::thread> threads;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      threads.emplace_back([&, h] {
        for (std::uint32_t i = 1; i <= 300; ++i) {
          for (std::uint32_t to : {0U, 5U}) {
            if (!sys.send(all[to], small{population + h, i, 0, {i}}))
              ADD_FAILURE() << "send refused";
          }
        }
      });
    }
    for (auto& t : threads) t.join();
    expect_ok(sys.quiesce(20s));
    expect_order(sys, all);
    for (std::uint32_t to : {0U, 5U}) {
      const pair_keeper k = sys.view(all[to]).value();
      for (std::uint32_t h = 0; h < hosts; ++h) EXPECT_EQ(k.got[population + h], 300U);
    }
  });
}
TEST_F(Clause02, SendManyKeepsTheOrderOfItsSpan) {
  under_every_schedule(20, 5, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn_all(sys);
    std::vector<ref<pair_keeper>> to;
    std::vector<small> messages;
    std::uint32_t numbers[population] = {};
    for (std::uint32_t i = 0; i < 2'000; ++i) {
      const std::uint32_t who = i * i % population;
      to.push_back(all[who]);
      ++numbers[who];
      messages.push_back(small{population, numbers[who], 0, {numbers[who]}});
    }
    EXPECT_EQ(sys.send_many(std::span<const ref<pair_keeper>>{to}, std::span<const small>{messages})
                  .value(),
              2'000U);
    expect_ok(sys.quiesce(20s));
    expect_order(sys, all);
    expect_exact_books(sys);
  });
}

}  // namespace
