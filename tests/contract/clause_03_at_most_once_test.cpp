// tests/contract/clause_03_at_most_once_test.cpp - handled at most once; every loss is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::ref;
using reason = perdure::abi::dead_reason;

constexpr std::uint32_t population = 10;
constexpr std::uint32_t ids = 600;

struct unique {
  std::uint32_t id;
  std::uint32_t hops;
};
/// Sends to one who is not there: 0 null, 1 of another system.
struct stray {
  std::uint32_t kind;
};
/// Keeps a bit for each id and hop that it has handled.
struct keeper : actor<keeper> {
  ref<keeper> first;
  std::uint32_t stop_at = ~0U;  ///< id at which it stops
  std::uint32_t twice = 0;
  std::uint64_t seen[ids / 64 + 1] = {};
  std::uint64_t handled = 0;

  void on(const unique& m, context& ctx) {
    const std::uint64_t bit = std::uint64_t{1} << m.id % 64;
    if (m.hops == 0 && (seen[m.id / 64] & bit) != 0) ++twice;
    if (m.hops == 0) seen[m.id / 64] |= bit;
    ++handled;
    if (m.hops != 0)
      ctx.send(ref<keeper>{first.bits + m.id * 7U % population}, unique{m.id, m.hops - 1});
    if (m.id == stop_at) ctx.stop();
  }
  void on(const stray& m, context& ctx) {
    const std::uint64_t foreign = first.bits ^ std::uint64_t{1} << 56U;
    ctx.send(ref<keeper>{m.kind == 0 ? 0 : foreign}, unique{0, 0});
  }
};

class Clause03 : public program_of<handles<keeper, unique, stray>> {
 protected:
  static perdure::range<keeper> spawn(perdure::system& sys, std::uint32_t stopping) {
    return spawn_peers<keeper>(sys, population, [&](ref<keeper> first, std::size_t i) {
      keeper k;
      k.first = first;
      if (i < stopping) k.stop_at = static_cast<std::uint32_t>(100 + 50 * i);
      return k;
    });
  }
};

TEST_F(Clause03, AMessageIsHandledAtMostOnceAndEveryLossIsCounted) {
  under_every_schedule(60, 20, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys, 4);
    for (std::uint32_t id = 0; id < ids; ++id)
      expect_ok(sys.send(all[id % population], unique{id, 2}));
    expect_ok(sys.quiesce(20s));
    std::vector<keeper> states(population);
    expect_ok(sys.view(all, std::span<keeper>{states}));
    std::uint64_t handled = 0;
    for (const keeper& k : states) {
      EXPECT_EQ(k.twice, 0U);
      handled += k.handled;
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.handled, handled);
    EXPECT_EQ(s.dead_total(), dead(s, reason::stopped))
        << "nobody but stopped receivers lost anything";
    EXPECT_GT(dead(s, reason::stopped), 0U);
    expect_exact_books(sys);
  });
}
TEST_F(Clause03, ADeadLetterNamesSenderReceiverTypesAndReason) {
  under_every_schedule(5, 5, [&](perdure::options o) {
    std::mutex mutex;
    std::vector<perdure::dead_letter> letters;
    o.on_dead_letter = [&](const perdure::dead_letter& d) {
      std::lock_guard lock{mutex};
      letters.push_back(d);
    };
    auto sys = perdure::system::start(actors, o).value();
    auto all = spawn(sys, 0);
    expect_ok(sys.send(all[3], stray{0}));
    expect_ok(sys.send(all[4], stray{1}));
    expect_ok(sys.quiesce(20s));
    for (int i = 0; i < 1'000 && (std::lock_guard{mutex}, letters.size() < 2); ++i) {
      (void)sys.quiesce(1s);
      if (o.schedule == perdure::schedule::parallel) std::this_thread::sleep_for(1ms);
    }
    std::lock_guard lock{mutex};
    ASSERT_EQ(letters.size(), 2U);
    for (const perdure::dead_letter& d : letters) {
      const bool null = d.reason == reason::null_ref;
      EXPECT_TRUE(null || d.reason == reason::foreign);
      EXPECT_EQ(d.sender, perdure::any_ref{all[null ? 3 : 4].bits});
      EXPECT_EQ(bool{d.receiver}, !null);
      EXPECT_EQ(d.actor_type, "keeper");
      EXPECT_EQ(d.message_type, "unique");
    }
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(dead(s, reason::null_ref), 1U);
    EXPECT_EQ(dead(s, reason::foreign), 1U);
    expect_exact_books(sys);
  });
}

}  // namespace
