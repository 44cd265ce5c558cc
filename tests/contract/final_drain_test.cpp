// tests/contract/final_drain_test.cpp - who comes to an end waits for what another thread has begun to take in.
// Why: threads take in for each other, so a letter or a reply may be in another thread's hands when nothing is left in any
//      queue; who has waited for rest, or does not wait at all, must not miss it.
// How: a thread receives by a function that stands still in the middle; behind its own letter others stand, read by it and
//      not delivered yet. Seeded schedules have no service thread, so nobody else takes in.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::host;
using perdure::ref;

struct leaf {
  std::uint32_t number;
};
struct write_both {};
struct write_many {
  std::uint32_t count;
};
struct question {
  std::uint32_t number;
};
struct answer {
  std::uint32_t number;
};
/// Whatever it is told, the desk of the slow one comes first.
struct writer : actor<writer> {
  ref<host<leaf>> slow, other;
  void on(const write_both&, context& ctx) {
    ctx.send(slow, leaf{1});
    ctx.send(other, leaf{2});
  }
  void on(const write_many& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.count; ++i) ctx.send(other, leaf{i});
  }
  void on(const question& m, context& ctx) {
    ctx.send(slow, leaf{1});
    ctx.reply(answer{m.number + 1});
  }
};
using box = perdure::mailbox<leaf>;

/// A thread that has a letter in hand until it is let go, and some time longer: who does not wait for it is done before.
class slow_reader {
 public:
  slow_reader(perdure::system& sys, const box& desk)
      : thread_{[this, &sys, bits = desk.ref().bits] {
          const auto done = sys.core().receive(bits, 1, 20s, [this](auto...) {
            holds_ = true;
            while (!let_go_) std::this_thread::yield();
            std::this_thread::sleep_for(100ms);
            gone_on_ = true;
          });
          EXPECT_TRUE(done.has_value()) << done.error().message();
          ended_ = true;
        }} {
    while (!holds_ && !ended_) std::this_thread::yield();
    EXPECT_TRUE(holds_) << "no letter came";
  }
  ~slow_reader() {
    let_go();
    thread_.join();
  }
  void let_go() { let_go_ = true; }
  bool has_gone_on() const { return gone_on_; }

 private:
  std::atomic<bool> holds_{false}, let_go_{false}, gone_on_{false}, ended_{false};
  std::thread thread_;
};

class FinalDrain
    : public program_of<handles<writer, write_both, write_many, question>, letters<leaf, answer>> {
 protected:
  void SetUp() override {
    perdure::options o = tight(perdure::schedule::seeded, 1);
    o.placement = perdure::placement::counted;
    sys.emplace(perdure::system::start(actors, o).value());
    slow.emplace(sys->make_mailbox<leaf>(4).value());
    other.emplace(sys->make_mailbox<leaf>(4).value());
    writer w;
    w.slow = slow->ref();
    w.other = other->ref();
    one = sys->spawn<writer>(1, w).value()[0];
  }
  std::size_t there() {
    std::array<box::letter_type, 4> got;
    return other->receive(got, 0ns).value();
  }

  std::optional<perdure::system> sys;
  std::optional<box> slow, other;
  ref<writer> one;
};

TEST_F(FinalDrain, WhoReceivesWithoutWaitingGetsWhatAnotherThreadHasRead) {
  expect_ok(sys->send(one, write_both{}));
  slow_reader reader{*sys, *slow};
  reader.let_go();
  EXPECT_EQ(there(), 1U);
}
TEST_F(FinalDrain, QuiesceReturnsBehindTheDelivery) {
  expect_ok(sys->send(one, write_both{}));
  slow_reader reader{*sys, *slow};
  reader.let_go();
  expect_ok(sys->quiesce(20s));
  EXPECT_TRUE(reader.has_gone_on());
  EXPECT_EQ(there(), 1U);
}
TEST_F(FinalDrain, LettersToClosedMailboxesAreCountedWhenQuiesceReturns) {
  other.reset();
  expect_ok(sys->send(one, write_both{}));
  slow_reader reader{*sys, *slow};
  reader.let_go();
  expect_ok(sys->quiesce(20s));
  EXPECT_EQ(dead(sys->statistics(), perdure::abi::dead_reason::no_mailbox), 1U);
  expect_exact_books(*sys);
}
TEST_F(FinalDrain, RebalanceBeginsBehindTheDelivery) {
  expect_ok(sys->send(one, write_both{}));
  slow_reader reader{*sys, *slow};
  reader.let_go();
  EXPECT_TRUE(sys->rebalance(20s).has_value());
  EXPECT_TRUE(reader.has_gone_on());
}
TEST_F(FinalDrain, AnAskWhoseReplyIsBeingTakenInIsAnsweredWhenTheSystemStops) {
  auto reply = sys->ask_async<answer>(one, question{6}, 20s);
  slow_reader reader{*sys, *slow};
  reader.let_go();
  expect_ok(sys->stop(20s));
  const auto got = reply.get();
  ASSERT_TRUE(got.has_value()) << got.error().message();
  EXPECT_EQ(got->number, 7U);
}

/// More than the ring to the host holds: the worker writes the rest when there is room again, though it has handled all.
TEST_F(FinalDrain, QuiesceReturnsBehindLettersThatWaitForRoomInTheirRing) {
  constexpr std::uint32_t letters = 500;
  under_every_schedule(20, 20, [&](perdure::options o) {
    o.outbox_slots = 1024;
    auto system = perdure::system::start(actors, o).value();
    auto desk = system.make_mailbox<leaf>(letters).value();
    auto full = system.make_mailbox<leaf>(4).value();
    writer w;
    w.other = desk.ref();
    expect_ok(system.send(system.spawn<writer>(1, w).value()[0], write_many{letters}));
    expect_ok(system.quiesce(20s));
    std::vector<box::letter_type> got(letters);
    EXPECT_EQ(desk.receive(got, 0ns).value(), letters);
    // what waits for a full mailbox waits for its reader, and nobody else for that
    w.other = full.ref();
    expect_ok(system.send(system.spawn<writer>(1, w).value()[0], write_many{letters}));
    expect_ok(system.quiesce(20s));
    std::uint32_t n = 0;
    while (n < letters) {
      const std::size_t some = full.receive(got, 20s).value();
      ASSERT_GT(some, 0U);
      for (std::size_t i = 0; i < some; ++i) ASSERT_EQ(got[i].body.number, n++);
    }
  });
}

}  // namespace
