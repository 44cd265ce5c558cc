// tests/contract/host_readers_test.cpp - many host threads receive and ask at once.
// Why: threads take in for each other; nothing may be lost, reordered or given to the wrong one on
//      the way.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::host;
using perdure::ref;

constexpr std::uint32_t desks = 4;

struct leaf {
  std::uint32_t from, number;
  std::array<std::uint8_t, 30> pattern;
};
static_assert(sizeof(leaf) == 40);
struct write_leaves {
  std::uint32_t times;
};
struct question {
  std::uint32_t number;
  bool silent;
};
struct answer {
  std::uint32_t number;
};
std::uint8_t pattern_of(std::uint32_t from, std::uint32_t number, std::size_t i) {
  return static_cast<std::uint8_t>(from * 31 + number * 7 + i);
}
/// Writes to each desk in turn; answers what it is asked, unless that is to be silent.
struct writer : actor<writer> {
  std::array<ref<host<leaf>>, desks> to;
  std::array<std::uint32_t, desks> written{};
  std::uint32_t own = 0;
  void on(const write_leaves& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.times * desks; ++i) {
      const std::uint32_t desk = (i + own) % desks;
      leaf l{own, ++written[desk], {}};
      for (std::size_t k = 0; k < l.pattern.size(); ++k)
        l.pattern[k] = pattern_of(own, l.number, k);
      ctx.send(to[desk], l);
    }
  }
  void on(const question& m, context& ctx) {
    if (!m.silent) ctx.reply(answer{m.number + own});
  }
};
using box = perdure::mailbox<leaf>;

class HostReaders : public ::testing::Test {
 protected:
  registry program;
  void SetUp() override { program.actor<writer, write_leaves, question>().also<leaf, answer>(); }
  static perdure::range<writer> spawn(perdure::system& sys, const std::vector<box>& all,
                                      std::size_t n) {
    return sys
        .spawn<writer>(n,
                       [&](std::size_t i) {
                         writer w;
                         for (std::size_t d = 0; d < all.size(); ++d) w.to[d] = all[d].ref();
                         w.own = static_cast<std::uint32_t>(i);
                         return w;
                       })
        .value();
  }
};

TEST_F(HostReaders, EachGetsEveryLetterOfItsMailboxInTheSendersOrder) {
  const perdure::program& actors = program.done();
  for (std::uint64_t run = 1; run <= 4; ++run) {
    auto o = tight(perdure::schedule::parallel, run);
    o.stall_time = 60s;
    o.outbox_slots = 512;
    auto sys = perdure::system::start(actors, o).value();
    std::vector<box> boxes;
    for (const std::size_t capacity : {1, 16, 300, 4'000})
      boxes.push_back(sys.make_mailbox<leaf>(capacity).value());
    constexpr std::uint32_t writers = 6, rounds = 40, times = 8;
    const auto all = spawn(sys, boxes, writers);
    std::vector<std::thread> readers;
    for (std::uint32_t d = 0; d < desks; ++d) {
      readers.emplace_back([&, d] {
        std::array<std::uint32_t, writers> last{};
        std::array<box::letter_type, 50> got;
        for (std::uint32_t n = 0; n < writers * rounds * times;) {
          auto some = boxes[d].receive(std::span{got}.first(1 + (n + d) % got.size()), 60s);
          ASSERT_TRUE(some.has_value()) << some.error().message();
          ASSERT_GT(*some, 0U) << "letters are missing: only " << n << " came";
          for (std::size_t i = 0; i < *some; ++i, ++n) {
            const leaf& l = got[i].body;
            ASSERT_EQ(l.number, ++last[l.from]) << "order of one sender";
            ASSERT_EQ(got[i].sender, perdure::any_ref{all[l.from].bits});
            for (std::size_t k = 0; k < l.pattern.size(); ++k)
              ASSERT_EQ(l.pattern[k], pattern_of(l.from, l.number, k));
          }
        }
      });
    }
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (auto w : all) expect_ok(sys.send(w, write_leaves{times}));
    }
    for (auto& r : readers) r.join();
    expect_ok(sys.quiesce(30s));
    EXPECT_EQ(sys.statistics().to_mailboxes, std::uint64_t{desks} * writers * rounds * times);
    expect_exact_books(sys);
  }
}
TEST_F(HostReaders, EightThreadsAsksEndByTheirOwnReplyOrByTheirTime) {
  const perdure::program& actors = program.done();
  for (std::uint64_t run = 1; run <= 2; ++run) {
    auto o = tight(perdure::schedule::parallel, run);
    auto sys = perdure::system::start(actors, o).value();
    const auto all = spawn(sys, {}, 6);
    constexpr std::uint32_t threads = 8, each = 120;
    std::atomic<std::uint32_t> answered{0}, timed_out{0}, came_later{0};
    std::vector<std::thread> askers;
    for (std::uint32_t t = 0; t < threads; ++t) {
      askers.emplace_back([&, t] {
        std::vector<std::pair<std::uint32_t, std::future<perdure::result<answer>>>> later;
        for (std::uint32_t i = 0; i < each; ++i) {
          const std::uint32_t to = (t + i) % 6, number = t * 10'000 + i;
          if (i % 40 == 39) {
            expect_error(sys.ask<answer>(all[to], question{number, true}, 2ms), errc::timeout);
            ++timed_out;
          } else if (i % 4 == 1) {
            later.emplace_back(number + to,
                               sys.ask_async<answer>(all[to], question{number, false}, 60s));
          } else {
            auto r = sys.ask<answer>(all[to], question{number, false}, 60s);
            ASSERT_TRUE(r.has_value()) << r.error().message();
            EXPECT_EQ(r->number, number + to);
            ++answered;
          }
        }
        for (auto& [right, future] : later) {
          auto r = future.get();
          ASSERT_TRUE(r.has_value()) << r.error().message();
          EXPECT_EQ(r->number, right);
          ++came_later;
        }
      });
    }
    for (auto& a : askers) a.join();
    EXPECT_EQ(came_later, threads * each / 4);
    EXPECT_EQ(timed_out, threads * each / 40);
    EXPECT_EQ(answered + came_later + timed_out, threads * each);
    expect_ok(sys.quiesce(30s));
    expect_exact_books(sys);
  }
}

}  // namespace
