// tests/contract/host_side_test.cpp - mailboxes and their back-pressure, and what the facade refuses.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::host;
using perdure::ref;
using reason = perdure::abi::dead_reason;

struct alarm {
  std::uint32_t from, number;
};
struct notice {
  double value;
};
struct ring_bell {
  std::uint32_t times;
};
struct bell : actor<bell> {
  ref<host<alarm, notice>> desk;
  std::uint32_t own = 0;
  std::uint32_t rung = 0;
  void on(const ring_bell& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.times; ++i) {
      ctx.send(desk, alarm{own, ++rung});
      if (i % 4 == 0) ctx.send(desk, notice{0.25 * rung});
    }
  }
};
struct not_in_the_program : actor<not_in_the_program> {
  void on(const ring_bell&, context&) {}
};
struct unknown_letter {
  int x;
};

class HostSide : public program_of<handles<bell, ring_bell>, letters<alarm, notice>> {
 protected:
  static perdure::range<bell> spawn(perdure::system& sys, ref<host<alarm, notice>> desk,
                                    std::size_t n) {
    return sys
        .spawn<bell>(n,
                     [&](std::size_t i) {
                       bell b;
                       b.desk = desk;
                       b.own = static_cast<std::uint32_t>(i);
                       return b;
                     })
        .value();
  }
};
using box = perdure::mailbox<alarm, notice>;

TEST_F(HostSide, ASlowReaderOfAFullMailboxHoldsActorsBackAndLosesNothing) {
  under_every_schedule(20, 8, [&](perdure::options o) {
    o.stall_time = 10s;
    o.outbox_slots = 512;  // a batch of eight calls sends 272 letters at once
    auto sys = perdure::system::start(actors, o).value();
    box desk = sys.make_mailbox<alarm, notice>(1).value();
    auto bells = spawn(sys, desk.ref(), 6);
    constexpr std::uint32_t times = 25;
    constexpr std::uint32_t rounds = 8;
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (auto b : bells) expect_ok(sys.send(b, ring_bell{times}));
    }
    std::uint32_t last[6] = {};
    std::uint64_t alarms = 0;
    std::uint64_t notices = 0;
    perdure::hlc stamps[6] = {};
    box::letter_type got[3];
    while (alarms < 6U * times * rounds || notices < 6U * 7 * rounds) {
      auto n = desk.receive(got, 20s);
      ASSERT_TRUE(n.has_value()) << n.error().message();
      ASSERT_GT(*n, 0U) << "letters are missing: " << alarms << " alarms, " << notices
                        << " notices came";
      for (std::size_t i = 0; i < *n; ++i) {
        if (const auto* a = std::get_if<alarm>(&got[i].body)) {
          ++alarms;
          EXPECT_EQ(a->number, ++last[a->from]) << "order of one sender";
          EXPECT_EQ(got[i].sender, perdure::any_ref{bells[a->from].bits});
          EXPECT_TRUE(stamps[a->from] < got[i].at);
          stamps[a->from] = got[i].at;
        } else {
          ++notices;
        }
      }
    }
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(desk.receive(got, 0s).value(), 0U);
    EXPECT_EQ(sys.statistics().to_mailboxes, alarms + notices);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_F(HostSide, LettersThatNobodyHasReadWhenTheirMailboxClosesAreCountedDeadLetters) {
  under_every_schedule(10, 5, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    {
      box desk = sys.make_mailbox<alarm, notice>(8).value();
      auto bells = spawn(sys, desk.ref(), 1);
      expect_ok(sys.send(bells[0], ring_bell{2}));
      box::letter_type got[1];
      EXPECT_EQ(desk.receive(got, 10s).value(), 1U);
      expect_ok(sys.quiesce(10s));
      EXPECT_EQ(sys.statistics().dead_total(), 0U) << "they can still be read";
    }
    EXPECT_EQ(sys.statistics().dead[static_cast<std::size_t>(reason::no_mailbox)], 2U);
    EXPECT_EQ(sys.statistics().dead_total(), 2U);
    expect_exact_books(sys);
  });
}
TEST_F(HostSide, LettersToAClosedMailboxAreCountedDeadLetters) {
  under_every_schedule(10, 5, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    ref<host<alarm, notice>> gone;
    {
      box desk = sys.make_mailbox<alarm, notice>(4).value();
      gone = desk.ref();
    }
    box next = sys.make_mailbox<alarm, notice>(4).value();  // takes the place, not the name
    auto bells = spawn(sys, gone, 1);
    expect_ok(sys.send(bells[0], ring_bell{2}));
    expect_ok(sys.quiesce(10s));
    for (int i = 0; i < 2'000 && sys.statistics().dead_total() < 3; ++i) (void)sys.quiesce(1s);
    EXPECT_EQ(sys.statistics().dead[static_cast<std::size_t>(reason::no_mailbox)], 3U);
    box::letter_type got[2];
    EXPECT_EQ(next.receive(got, 0s).value(), 0U) << "a letter reached another mailbox";
    expect_exact_books(sys);
  });
}
TEST_F(HostSide, AnEmptyMailboxIsWaitedForAndThenLeft) {
  under_every_schedule(2, 2, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    box desk = sys.make_mailbox<alarm, notice>(4).value();
    box::letter_type got[2];
    EXPECT_EQ(desk.receive(got, 5ms).value(), 0U);
    expect_error(sys.make_mailbox<alarm>(0), errc::bad_option);
    expect_error(sys.make_mailbox<unknown_letter>(1), errc::no_handler);
  });
}
TEST_F(HostSide, AReaderDoesNotWaitForASystemThatHasStopped) {
  for (const bool before : {false, true}) {
    SCOPED_TRACE(before ? "stopped before it waits" : "stopped while it waits");
    auto sys = perdure::system::start(actors, tight(perdure::schedule::parallel, 1)).value();
    box desk = sys.make_mailbox<alarm, notice>(4).value();
    auto bells = spawn(sys, desk.ref(), 1);
    expect_ok(sys.send(bells[0], ring_bell{1}));  // two letters
    std::jthread stopper{[&, before] {
      if (!before) std::this_thread::sleep_for(50ms);
      expect_ok(sys.stop(5s));
    }};
    if (before) stopper.join();
    box::letter_type got[4];
    const auto begun = std::chrono::steady_clock::now();
    std::size_t letters = 0, last = 0;
    do {
      last = desk.receive(got, 25s).value();
      letters += last;
    } while (last != 0);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
    EXPECT_EQ(letters, 2U) << "what was sent is still received";
  }
}
TEST_F(HostSide, NullForeignAndUnknownReferencesAreRefused) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto other =
        perdure::system::start(actors, o).value();  // a second one on the CPU is no offence
    box desk = sys.make_mailbox<alarm, notice>(64).value();
    auto mine = spawn(sys, desk.ref(), 2);
    auto theirs = spawn(other, desk.ref(), 2);  // actors that send to the mailbox of another system
    expect_error(sys.send(ref<bell>{}, ring_bell{1}), errc::null_ref);
    expect_error(sys.try_send(ref<bell>{}, ring_bell{1}), errc::null_ref);
    expect_error(sys.send(theirs[0], ring_bell{1}), errc::foreign_ref);
    expect_error(sys.ask<notice>(theirs[0], ring_bell{1}, 1s), errc::foreign_ref);
    expect_error(sys.view(theirs[0]), errc::foreign_ref);
    expect_error(sys.view(ref<bell>{}), errc::null_ref);
    expect_error(sys.send(ref<not_in_the_program>{mine[0].bits}, ring_bell{1}), errc::no_handler);
    expect_error(sys.spawn<not_in_the_program>(1), errc::no_handler);
    const ref<bell> theirs_many[] = {theirs[0]};
    const ring_bell rings[] = {ring_bell{1}};
    expect_error(
        sys.send_many(std::span<const ref<bell>>{theirs_many}, std::span<const ring_bell>{rings}),
        errc::foreign_ref);
    EXPECT_EQ(sys.statistics().sent, 0U) << "what was refused is nowhere in the books";
    expect_ok(other.send(theirs[1], ring_bell{1}));
    expect_ok(other.quiesce(10s));
    EXPECT_EQ(other.statistics().dead[static_cast<std::size_t>(reason::foreign)], 2U);
    expect_exact_books(other);
    EXPECT_EQ(perdure::ref_cast<bell>(perdure::any_ref{mine[0].bits}), mine[0]);
    EXPECT_FALSE(perdure::ref_cast<not_in_the_program>(perdure::any_ref{mine[0].bits}));
  });
}
TEST_F(HostSide, AFullLaneIsToldAtOnceToWhoDoesNotWait) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    o.send_timeout = 5ms;
    auto sys = perdure::system::start(actors, o).value();
    auto bells = spawn(sys, {}, 1);
    expect_ok(sys.pause(5s));
    std::uint64_t sent = 0;
    perdure::result<void> last;
    while ((last = sys.try_send(bells[0], ring_bell{0})) && sent < 10'000) ++sent;
    expect_error(last, errc::inbox_full);
    EXPECT_GE(sent, 64U);
    expect_error(sys.send(bells[0], ring_bell{0}), errc::inbox_full);
    expect_exact_books(sys, sent);
    expect_ok(sys.resume());
    expect_ok(sys.quiesce(10s));
    EXPECT_EQ(sys.statistics().handled, sent);
  });
}
TEST_F(HostSide, OptionsOutOfRangeAreNamed) {
  const auto refused = [&](auto change, const char* name) {
    auto o = tight(perdure::schedule::parallel, 1);
    change(o);
    auto sys = perdure::system::start(actors, o);
    ASSERT_FALSE(sys.has_value()) << name;
    EXPECT_EQ(sys.error().code(), errc::bad_option);
    EXPECT_NE(sys.error().context().find(name), std::string::npos) << sys.error().context();
  };
  refused([](auto& o) { o.inbox_slots = 63; }, "inbox_slots");
  refused([](auto& o) { o.inbox_slots = 96; }, "inbox_slots");
  refused([](auto& o) { o.lanes = 1000; }, "lanes");
  refused([](auto& o) { o.spill_slots = 100; }, "spill_slots");
  refused([](auto& o) { o.outbox_slots = 63; }, "outbox_slots");
  refused([](auto& o) { o.host_slots = 3; }, "host_slots");
  refused([](auto& o) { o.host_lanes = 65; }, "host_lanes");
  refused([](auto& o) { o.stall_time = 0s; }, "stall_time");
  auto o = tight(perdure::schedule::parallel, 1);
  auto sys = perdure::system::start(actors, o).value();
  expect_error(sys.spawn<bell>(100'000'000), errc::too_many_actors);
  expect_ok(sys.spawn<bell>(1'000));
  perdure::program older = actors;
  older.abi_hash ^= 1;
  expect_error(perdure::system::start(older, o), errc::abi_mismatch);
}
TEST_F(HostSide, ACallbackMayUseTheSystem) {
  under_every_schedule(5, 10, [&](perdure::options o) {
    perdure::system* running = nullptr;
    std::atomic<std::uint64_t> told{0};
    o.on_dead_letter = [&](const perdure::dead_letter&) {
      told += running->statistics().dead_total();  // would wait for itself, were a lock held
    };
    auto sys = perdure::system::start(actors, o).value();
    running = &sys;
    auto bells = spawn(sys, {}, 3);  // ring for nobody
    for (auto b : bells) expect_ok(sys.send(b, ring_bell{2}));
    for (int i = 0; i < 5'000 && told == 0; ++i) {
      expect_ok(sys.quiesce(10s));
      // the callback wants the same lock as quiesce(): let it have its turn
      if (o.schedule == perdure::schedule::parallel) std::this_thread::sleep_for(1ms);
    }
    EXPECT_GT(told, 0U);
    expect_ok(sys.stop(5s));
    expect_exact_books(sys);
  });
}
TEST_F(HostSide, ViewNeedsRestAndPauseGivesIt) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto bells = spawn(sys, {}, 4);
    expect_ok(sys.pause(5s));
    expect_ok(sys.send(bells[0], ring_bell{3}));
    EXPECT_EQ(sys.view(bells[0]).value().rung, 0U) << "a paused system may be looked at";
    expect_error(sys.quiesce(1s), errc::busy);
    expect_ok(sys.resume());
    expect_ok(sys.quiesce(5s));
    EXPECT_EQ(sys.view(bells[0]).value().rung, 3U);
    expect_error(sys.view(ref<bell>{bells[0].bits + 1'000}), errc::receiver_down);
    std::vector<bell> three(3);
    expect_error(sys.view(bells, std::span<bell>{three}), errc::bad_option);
  });
}

}  // namespace
