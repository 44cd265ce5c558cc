// tests/contract/host_waits_test.cpp - threads of the host that sleep are woken by workers, and by each other.
// With PERDURE_TIME_SCALE=1000 who is not woken sleeps for a second, thousands of times, and the time limit ends it.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::host;
using perdure::ref;

const int scaled = ::setenv("PERDURE_TIME_SCALE", "1000", 1);  // before anything reads it

struct question {
  std::uint32_t number;
};
struct answer {
  std::uint32_t number;
};
struct order {
  std::uint32_t count;
};
struct letter_of {
  std::uint32_t number;
};
struct clerk : actor<clerk> {
  ref<host<letter_of>> desk;
  std::uint32_t written = 0;
  void on(const question& m, context& ctx) { ctx.reply(answer{m.number + 1}); }
  void on(const order& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.count; ++i) ctx.send(desk, letter_of{written++});
  }
};

class HostWaits : public program_of<handles<clerk, question, order>, letters<letter_of, answer>> {
 protected:
  static perdure::options small() {
    EXPECT_EQ(scaled, 0);
    perdure::options o = tight(perdure::schedule::parallel, 0);
    o.workers = 2;
    return o;
  }
  using box = perdure::mailbox<letter_of>;
  static perdure::range<clerk> spawn(perdure::system& sys, const box& desk, std::size_t n) {
    clerk c;
    c.desk = desk.ref();
    return sys.spawn<clerk>(n, c).value();
  }
  /// Receives `count` letters, which must come in order.
  static void expect_letters(box& desk, std::uint32_t count, std::uint32_t& next) {
    std::array<perdure::letter<letter_of>, 16> some;
    for (const std::uint32_t end = next + count; next < end;) {
      const std::size_t got = desk.receive(some, 60s).value();
      ASSERT_GT(got, 0U);
      for (std::size_t i = 0; i < got; ++i) ASSERT_EQ(some[i].body.number, next++);
    }
  }
  static constexpr std::uint32_t rounds = 20'000;
};

TEST_F(HostWaits, WhoAsksIsWokenByTheReply) {
  auto sys = perdure::system::start(actors, small()).value();
  box desk = sys.make_mailbox<letter_of>(64).value();
  const auto clerks = spawn(sys, desk, 4);
  const auto ask_all = [&](std::uint32_t first) {
    for (std::uint32_t n = 0; n < rounds; ++n)
      ASSERT_EQ(sys.ask<answer>(clerks[(first + n) % 4], question{n}, 60s).value().number, n + 1);
  };
  std::thread other{[&] { ask_all(1); }};
  ask_all(0);
  other.join();
}
TEST_F(HostWaits, WhoReceivesIsWokenByTheLetterThoughOthersTakeItIn) {
  auto sys = perdure::system::start(actors, small()).value();
  std::vector<std::thread> readers;
  for (int k = 0; k < 3; ++k) {
    readers.emplace_back([&] {
      box desk = sys.make_mailbox<letter_of>(64).value();
      const auto one = spawn(sys, desk, 1)[0];
      for (std::uint32_t n = 0, next = 0; n < rounds / 2; ++n) {
        expect_ok(sys.send(one, order{1}));
        expect_letters(desk, 1, next);
      }
    });
  }
  for (auto& r : readers) r.join();
}
TEST_F(HostWaits, ABurstThatIsLongerThanTheRingComesWhole) {
  perdure::options o = small();
  o.outbox_slots = 1024;
  o.stall_time = 60s;
  auto sys = perdure::system::start(actors, o).value();
  box desk = sys.make_mailbox<letter_of>(1024).value();
  const auto one = spawn(sys, desk, 1)[0];
  for (std::uint32_t n = 0, next = 0; n < rounds; ++n) {
    expect_ok(sys.send(one, order{200}));  // the ring has 64 words
    expect_letters(desk, 200, next);
  }
}
TEST_F(HostWaits, WhoWaitsForRoomIsWokenWhenThereIsSome) {
  auto sys = perdure::system::start(actors, small()).value();
  box desk = sys.make_mailbox<letter_of>(64).value();
  const auto clerks = spawn(sys, desk, 4);
  for (std::uint32_t n = 0; n < 10 * rounds; ++n) expect_ok(sys.send(clerks[n % 4], order{0}));
  std::vector<ref<clerk>> to(10 * rounds, clerks[0]);
  const std::vector<order> what(to.size(), order{0});
  EXPECT_EQ(sys.send_many(std::span<const ref<clerk>>{to}, std::span<const order>{what}).value(),
            to.size());
  expect_ok(sys.quiesce(60s));
  EXPECT_EQ(sys.statistics().handled, 20U * rounds);
}

}  // namespace
