// tests/contract/overflow_test.cpp - a type that drops the newest: nobody waits for it, and each loss is in the books.
// Why: clauses 2, 3, 5 and 10 hold for such a type, too, and a type beside it loses nothing by it.
// Shown by: numbers of pairs (2), what actors have counted themselves (3, 10), asks that end (5).
// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <thread>
#include <utility>

#include "flood.actors.hpp"  // made by the build from actors/flood.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using namespace flood;
using perdure::errc;
using reason = perdure::abi::dead_reason;

std::uint64_t dead_of(const perdure::stats& s, reason why) {
  return s.dead[static_cast<std::size_t>(why)];
}

/// What was sampled, told by a thread of the library.
struct samples {
  std::mutex mutex;
  std::vector<perdure::dead_letter> all;

  void watch(perdure::options& o) {
    o.on_dead_letter = [this](const perdure::dead_letter& d) {
      const std::lock_guard lock{mutex};
      all.push_back(d);
    };
  }
};

class Overflow : public everywhere {
 protected:
  void SetUp() override { needs_device(flood::actors()); }

  /// A system with its actors; gauge and basin are at the same worker.
  struct world {
    explicit world(const perdure::options& o)
        : sys{perdure::system::start(flood::actors(), o).value()},
          into{sys.spawn<gauge>(1).value()[0]},
          beside{sys.spawn<basin>(1).value()[0]},
          tight{sys.spawn<fuse>(1).value()[0]},
          all{sys.spawn<spring>(springs,
                                [&](std::size_t i) {
                                  spring s;
                                  s.into = into;
                                  s.beside = beside;
                                  s.tight = tight;
                                  s.own = static_cast<std::uint32_t>(i);
                                  return s;
                                })
                  .value()} {}
    /// Behind it no thread of the library calls any more.
    void end() { const perdure::system gone{std::move(sys)}; }

    perdure::system sys;
    perdure::ref<gauge> into;
    perdure::ref<basin> beside;
    perdure::ref<fuse> tight;
    perdure::range<spring> all;
  };
  /// Pours as one host thread: alone, many at once, and asks. @return asks and the drops that were sent.
  struct poured {
    std::uint32_t drops = 0, asks = 0, refused = 0;
  };
  static poured pour(world& w, std::uint32_t host, std::uint32_t rounds) {
    poured p;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (int i = 0; i < 20; ++i)
        expect_ok(w.sys.send(w.into, made<drop>(springs + host, ++p.drops)));
      std::vector<perdure::ref<gauge>> to(60, w.into);
      std::vector<drop> many;
      for (std::size_t i = 0; i < to.size(); ++i)
        many.push_back(made<drop>(springs + host, ++p.drops));
      EXPECT_EQ(
          w.sys.send_many(std::span{std::as_const(to)}, std::span{std::as_const(many)}).value(),
          to.size());
      const auto got = w.sys.ask<level>(w.into, question{}, 60s);
      ++p.asks;
      if (got) continue;
      EXPECT_EQ(got.error().code(), errc::inbox_full) << got.error().message();
      ++p.refused;
    }
    return p;
  }
};

TEST_P(Overflow, AFloodIsDroppedInOrderCountedExactlyAndKeepsNobody) {
  std::uint64_t lost = 0, runs = 0, samples_seen = 0;
  show(2'000, 60, [&](perdure::options o) {
    samples told;
    told.watch(o);
    o.stall_time =
        60s;  // nothing is ever exhausted: springs and buffers have all that they ask for
    o.outbox_slots = std::max(256U, o.outbox_slots);
    o.buffer_slots = 512;
    constexpr std::uint32_t bursts = 24;
    world w{o};
    std::array<poured, hosts> by{};
    for (const perdure::ref<spring> s : w.all) expect_ok(w.sys.send(s, burst{bursts - 1}));
    if (o.schedule == perdure::schedule::parallel) {
      std::thread other{[&] { by[1] = pour(w, 1, 6); }};
      by[0] = pour(w, 0, 6);
      other.join();
    } else {
      by[0] = pour(w, 0, 6);
    }
    expect_ok(w.sys.quiesce(60s));

    std::vector<spring> states(springs);
    expect_ok(w.sys.view(w.all, std::span<spring>{states}));
    const gauge g = w.sys.view(w.into).value();
    const basin b = w.sys.view(w.beside).value();
    std::uint64_t sent = springs, handled = g.seen.handled + g.answered + b.seen.handled;
    std::uint64_t at_risk = 0;
    for (std::uint32_t i = 0; i < springs; ++i) {
      EXPECT_EQ(states[i].bursts, bursts) << "a spring was kept";
      EXPECT_EQ(b.seen.got[i], bursts) << "a type that waits lost something";
      EXPECT_LE(g.seen.got[i], states[i].sent);
      sent += bursts - 1 + states[i].sent + states[i].sent_beside;
      handled += states[i].bursts;
      at_risk += states[i].sent;
    }
    for (const poured& p : by) {
      sent += p.drops + p.asks;
      at_risk += p.drops + p.asks;
    }
    for (const record* r : {&g.seen, &b.seen}) {
      EXPECT_EQ(r->out_of_order, 0U);
      EXPECT_EQ(r->torn, 0U);
    }
    EXPECT_EQ(g.answered + by[0].refused + by[1].refused, by[0].asks + by[1].asks);
    const perdure::stats s = w.sys.statistics();
    EXPECT_EQ(s.sent, sent);
    EXPECT_EQ(s.handled, handled);
    EXPECT_EQ(s.queued, 0U);
    EXPECT_EQ(dead_of(s, reason::dropped), at_risk - g.seen.handled - g.answered);
    EXPECT_EQ(s.dead_total(), dead_of(s, reason::dropped)) << "lost for no other reason";
    EXPECT_TRUE(s.exhausted_pair.empty());
    expect_ok(w.sys.ask<level>(w.into, question{}, 60s));
    expect_ok(w.sys.stop(60s));
    w.end();
    for (const perdure::dead_letter& d : told.all) {
      EXPECT_EQ(d.reason, reason::dropped);
      EXPECT_EQ(d.actor_type, "flood::gauge");
      EXPECT_EQ(d.receiver, perdure::any_ref{w.into.bits});
      samples_seen += d.sender != perdure::any_ref{} ? 1 : 0;
    }
    EXPECT_EQ(told.all.empty(), dead_of(s, reason::dropped) == 0) << "a loss that nobody hears of";
    lost += dead_of(s, reason::dropped);
    ++runs;
  });
  if (runs == 0) return;
  EXPECT_GT(lost, 0U) << "nothing found the ring full, so this tested nothing";
  EXPECT_GT(samples_seen, 0U) << "no spring ever lost anything";
}

TEST_P(Overflow, AFullLaneDropsTheNewestAndAnAskIsToldSo) {
  show(200, 30, [&](perdure::options o) {
    samples told;
    told.watch(o);
    world w{o};
    expect_ok(w.sys.pause(20s));
    constexpr std::uint32_t n = 2'000;  // more than a lane holds
    for (std::uint32_t i = 1; i <= n / 2; ++i)
      expect_ok(w.sys.send(w.into, made<drop>(springs, i)));
    std::vector<perdure::ref<gauge>> to(n / 2, w.into);
    std::vector<drop> many;
    for (std::uint32_t i = n / 2 + 1; i <= n; ++i) many.push_back(made<drop>(springs, i));
    EXPECT_EQ(w.sys.send_many(std::span{std::as_const(to)}, std::span{std::as_const(many)}).value(),
              to.size());
    expect_error(w.sys.try_send(w.into, made<drop>(springs, n + 1)), errc::inbox_full);
    expect_error(w.sys.ask<level>(w.into, question{}, 60s), errc::inbox_full);
    expect_error(w.sys.ask_async<level>(w.into, question{}, 60s).get(), errc::inbox_full);
    perdure::stats s = w.sys.statistics();
    const std::uint64_t kept = s.queued;
    EXPECT_GT(kept, 0U);
    EXPECT_EQ(s.sent, n + 2) << "what try_send refused was not sent";
    EXPECT_EQ(dead_of(s, reason::dropped), n + 2 - kept);
    expect_ok(w.sys.resume());
    expect_ok(w.sys.quiesce(20s));
    const gauge g = w.sys.view(w.into).value();
    EXPECT_EQ(g.seen.handled, kept);
    EXPECT_EQ(g.seen.last[springs], kept) << "those that were dropped are not the newest";
    EXPECT_EQ(g.seen.out_of_order + g.seen.torn, 0U);
    s = w.sys.statistics();
    EXPECT_EQ(s.sent, s.handled + s.dead_total());
    expect_ok(w.sys.ask<level>(w.into, question{}, 60s));
    expect_ok(w.sys.stop(20s));
    EXPECT_EQ(w.sys.statistics().sent, w.sys.statistics().handled + dead_of(s, reason::dropped));
    w.end();
    EXPECT_FALSE(told.all.empty());
    for (const perdure::dead_letter& d : told.all) {
      EXPECT_EQ(d.reason, reason::dropped);
      EXPECT_EQ(d.sender, perdure::any_ref{}) << "a host";
      EXPECT_TRUE(d.message_type == "flood::drop" || d.message_type == "flood::question");
    }
  });
}

TEST_P(Overflow, ATypeThatFailsFailsTheSystemWhichNamesThePair) {
  show(1'000, 30, [&](perdure::options o) {
    samples told;
    told.watch(o);
    o.outbox_slots = 1024;
    world w{o};
    // the first spring is at the fuse's own worker, which takes nothing while the spring sends
    // fewer than there is room for: nothing fails
    expect_ok(w.sys.send(w.all[0], surge{20}));
    expect_ok(w.sys.quiesce(20s));
    EXPECT_TRUE(w.sys.statistics().overflow_pair.empty());
    constexpr std::uint32_t n = 300;  // more than a ring holds
    expect_ok(w.sys.send(w.all[0], surge{n}));
    const auto rest = w.sys.quiesce(20s);
    expect_error(rest, errc::overflowed);
    EXPECT_EQ(rest.error().context(), "flood::spring -> flood::fuse");
    expect_error(w.sys.send(w.beside, made<drop>(springs, 1)), errc::overflowed);
    expect_error(w.sys.try_send(w.beside, made<drop>(springs, 1)), errc::overflowed);
    expect_error(w.sys.ask<level>(w.into, question{}, 20s), errc::overflowed);
    expect_error(w.sys.spawn<basin>(1), errc::overflowed);
    expect_error(w.sys.stop(20s), errc::overflowed);
    const fuse f = w.sys.view(w.tight).value();
    EXPECT_EQ(f.seen.out_of_order + f.seen.torn, 0U);
    const perdure::stats s = w.sys.statistics();
    EXPECT_EQ(s.overflow_pair, "flood::spring -> flood::fuse");
    EXPECT_EQ(s.sent, 2 + 20 + n);
    EXPECT_EQ(s.handled, 2 + f.seen.handled);
    EXPECT_EQ(dead_of(s, reason::overflowed), 20 + n - f.seen.handled);
    EXPECT_EQ(s.dead_total(), dead_of(s, reason::overflowed));
    EXPECT_GT(s.dead_total(), 0U);
    w.end();
    EXPECT_FALSE(told.all.empty());
    for (const perdure::dead_letter& d : told.all) {
      EXPECT_EQ(d.reason, reason::overflowed);
      EXPECT_EQ(d.actor_type, "flood::fuse");
      EXPECT_EQ(d.sender, perdure::any_ref{w.all[0].bits});
    }
  });
}

TEST_P(Overflow, AFullLaneToATypeThatFailsFailsTheSystem) {
  show(100, 15, [&](perdure::options o) {
    for (const bool many : {false, true}) {
      world w{o};
      expect_ok(w.sys.pause(20s));
      std::uint64_t sent = 0;
      perdure::result<void> last;
      const std::vector<perdure::ref<fuse>> to(200, w.tight);
      while (last && sent < 10'000) {
        if (many) {
          std::vector<drop> drops;
          for (std::uint32_t i = 1; i <= to.size(); ++i)
            drops.push_back(made<drop>(springs, static_cast<std::uint32_t>(sent) + i));
          const auto put = w.sys.send_many(std::span{to}, std::span{std::as_const(drops)});
          if (!put) last = put.error();
          sent += put ? to.size() : 0;
        } else {
          last = w.sys.send(w.tight, made<drop>(springs, static_cast<std::uint32_t>(sent) + 1));
          sent += last ? 1 : 0;
        }
      }
      expect_error(last, errc::overflowed);
      EXPECT_EQ(last.error().context(), "host -> flood::fuse");
      expect_error(w.sys.stop(20s), errc::overflowed);
      const fuse f = w.sys.view(w.tight).value();
      const perdure::stats s = w.sys.statistics();
      EXPECT_EQ(dead_of(s, reason::overflowed), 1U) << "the first one fails the system";
      EXPECT_EQ(s.dead_total(), 1U);
      EXPECT_EQ(s.sent, f.seen.handled + 1);
      EXPECT_EQ(f.seen.last[springs], f.seen.handled);
      if (!many) {
        EXPECT_EQ(f.seen.handled, sent);
      }
    }
  });
}

PERDURE_SHOW_EVERYWHERE(Overflow);

}  // namespace
