// tests/contract/letters_left_test.cpp - letters that are still at a worker when a system stops: clauses 3, 6 and 10.
// Why: a full mailbox holds its letters up in the ring to the host, and behind a full ring they wait at their worker, in no
//      queue of an actor's. A stop waits for them as for all else, and what it leaves behind is counted.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "endings.actors.hpp"  // made by the build from actors/endings.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using namespace endings;
using perdure::errc;
using perdure::ref;
using reason = perdure::abi::dead_reason;
using mailbox = perdure::mailbox<done>;

constexpr std::uint32_t letters = 400;  // a mailbox of four and a ring of 64 slots hold few of them

class LettersLeft : public everywhere {
 protected:
  void SetUp() override { needs_device(endings::actors()); }

  static perdure::system start(perdure::options o) {
    o.outbox_slots = 1024;
    return perdure::system::start(endings::actors(), o).value();
  }
  /// One that writes to the box. Letters before have numbers of their own.
  static ref<clerk> writer(perdure::system& sys, const mailbox& box) {
    clerk c;
    c.box = box.ref();
    return sys.spawn<clerk>(1, c).value()[0];
  }
  static std::uint64_t dead(const perdure::system& sys, reason why) {
    return sys.statistics().dead[static_cast<std::size_t>(why)];
  }
  /// Reads what can be had, in the order in which it was written and with none missing. @param next  the first one's number.
  static void read(mailbox& box, std::uint32_t& next) {
    std::vector<mailbox::letter_type> got(16);
    for (std::size_t n = 1; n != 0;) {
      n = box.receive(got, 0ns).value();
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i].body.number, next++);
    }
  }
};

TEST_P(LettersLeft, ThoseThatNobodyReadsInTimeAreCountedAndTheOthersCanStillBeRead) {
  show(100, 10, [](perdure::options o) {
    auto sys = start(o);
    auto box = sys.make_mailbox<done>(4).value();
    expect_ok(sys.send(writer(sys, box), write_letters{letters, false}));
    const auto outcome = sys.stop(30ms);
    not_kept_waiting(outcome);
    expect_error(outcome, errc::timeout);
    std::uint32_t came = 0;
    read(box, came);
    EXPECT_GE(came, 4U);
    EXPECT_LT(came, letters);
    EXPECT_EQ(came + dead(sys, reason::shutdown), letters);
    EXPECT_EQ(sys.statistics().dead_total(), letters - came);
    EXPECT_EQ(sys.statistics().to_mailboxes, letters);
    expect_exact_books(sys);
  });
}
TEST_P(LettersLeft, AStopWaitsForAReaderAsLongAsThereIsTime) {
  show(20, 10, [](perdure::options o) {
    auto sys = start(o);
    auto box = sys.make_mailbox<done>(4).value();
    expect_ok(sys.send(writer(sys, box), write_letters{letters, false}));
    std::uint32_t came = 0;
    std::atomic<bool> stopped{false};
    std::thread reader{[&] {
      while (!stopped) {
        read(box, came);
        std::this_thread::yield();
      }
    }};
    // virtual time does not wait for a thread
    expect_ok(sys.stop(o.schedule == perdure::schedule::seeded ? 1'000h : 60s));
    stopped = true;
    reader.join();
    read(box, came);
    EXPECT_EQ(came, letters);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LettersLeft, ThoseOfAProgramThatNeverEndsAreCountedWhileSomebodyReads) {
  show(50, 20, [](perdure::options o) {
    auto sys = start(o);
    auto box = sys.make_mailbox<done>(4).value();
    expect_ok(sys.send(writer(sys, box), write_letters{37, true}));
    std::uint32_t came = 0;
    std::atomic<bool> stopped{false};
    std::thread reader{[&] {
      while (!stopped) {
        read(box, came);
        std::this_thread::yield();
      }
    }};
    const auto outcome = sys.stop(5ms);
    stopped = true;
    reader.join();
    not_kept_waiting(outcome);
    expect_error(outcome, errc::timeout);
    read(box, came);
    EXPECT_EQ(came + dead(sys, reason::shutdown), sys.statistics().to_mailboxes + 1)
        << "and the message that goes on";
    expect_exact_books(sys);
  });
}
TEST_P(LettersLeft, ThoseToAClosedMailboxKeepNobodyWaiting) {
  show(20, 5, [](perdure::options o) {
    auto sys = start(o);
    ref<clerk> one;
    {
      auto box = sys.make_mailbox<done>(4).value();
      one = writer(sys, box);
      expect_ok(sys.send(one, write_letters{letters, false}));
    }
    expect_ok(sys.stop(60s));
    EXPECT_EQ(dead(sys, reason::no_mailbox), letters);
    EXPECT_EQ(sys.statistics().dead_total(), letters);
    expect_exact_books(sys);
  });
}

PERDURE_SHOW_EVERYWHERE(LettersLeft);

}  // namespace
