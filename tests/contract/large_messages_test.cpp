// tests/contract/large_messages_test.cpp - messages over 240 bytes from host threads, to small and to wide actors.
// Why: clauses 1 to 3, 5 and 10 for what lies in the host's buffers, which are few and come round again and again.
// Shown by: each sender's numbers in order and every word as it was filled (1, 2, 3), asks that end (5), the books (10).
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "halls.actors.hpp"    // made by the build from actors/halls.hpp
#include "parcels.actors.hpp"  // and from actors/parcels.hpp
#include "tests/contract/places.hpp"

namespace {

using namespace contract;
using parcels::crate;
using parcels::fill_of;
using parcels::filled;
using parcels::parcel;
using parcels::receipt;
using parcels::shelf;
using parcels::slip;

template <std::size_t Words>
filled<Words> made(std::uint32_t from, std::uint32_t number) {
  filled<Words> m{from, number, {}};
  for (std::uint32_t i = 0; i < Words; ++i) m.fill[i] = fill_of(from, number, i);
  return m;
}
/// Of every 64 messages one is a crate, a third are slips, the others parcels.
template <class Send>
void send_one(std::uint32_t from, std::uint32_t number, Send send) {
  const std::uint32_t dice = (number * 7 + from) % 64;
  if (dice == 5) {
    auto big = std::make_unique<crate>(made<8'191>(from, number));
    send(*big);
  } else if (dice % 3 == 0) {
    send(made<2>(from, number));
  } else {
    send(made<125>(from, number));
  }
}

class LargeMessages : public everywhere {
 protected:
  void SetUp() override { needs_device(parcels::actors()); }
  /// Four of each host lane: most are waited for.
  static perdure::options few_buffers(perdure::options o) {
    o.host_buffer_slots = 16;
    o.host_lanes = 4;
    o.buffer_slots = 256;
    o.spill_slots = 16'384;
    return o;
  }
  static perdure::options wide_blocks(perdure::options o) {
    o = few_buffers(o);
    if (o.backend == perdure::backend::cuda) o.lanes = 64;
    return o;
  }
  static perdure::range<shelf> spawn_shelves(perdure::system& sys, std::size_t n) {
    const auto all = sys.spawn<shelf>(n).value();
    return sys
        .spawn<shelf>(n,
                      [&](std::size_t i) {
                        shelf s;
                        s.next = all[i];
                        return s;
                      })
        .value();
  }
  /// Each of some threads sends so many to each of `all`. Only the first one's parcels are passed on.
  template <class A>
  static void send_from_threads(perdure::system& sys, const perdure::range<A>& all,
                                std::uint32_t each, const perdure::options& o) {
    const std::uint32_t threads = parcels::senders - 1;
    const auto feed = [&](std::uint32_t from) {
      for (std::uint32_t number = 1; number <= each; ++number)
        for (std::size_t i = 0; i < all.size(); ++i)
          send_one(from, number, [&](const auto& m) { expect_ok(sys.send(all[i], m)); });
    };
    if (o.schedule == perdure::schedule::seeded) {  // whose time stands still for who waits
      for (std::uint32_t from = 0; from < threads; ++from) feed(from);
    } else {
      std::vector<std::thread> running;
      for (std::uint32_t from = 0; from < threads; ++from) running.emplace_back(feed, from);
      for (auto& t : running) t.join();
    }
    expect_ok(sys.quiesce(60s));
  }
  template <class State>
  static void expect_all(const State& s, std::uint32_t each) {
    EXPECT_EQ(s.errors, 0U) << "torn, lost, twice or out of order";
    for (std::uint32_t from = 0; from + 1 < parcels::senders; ++from) EXPECT_EQ(s.last[from], each);
  }
};

TEST_P(LargeMessages, ReachSmallActorsWholeAndInOrder) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(parcels::actors(), few_buffers(o)).value();
    const auto all = spawn_shelves(sys, 5);
    constexpr std::uint32_t each = 60;
    send_from_threads(sys, all, each, o);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto s = sys.view(all[i]).value();
      expect_all(s, each);
      EXPECT_GT(s.passed_on, 0U);
      const auto next = sys.view(s.next).value();
      EXPECT_EQ(next.errors, 0U);
      EXPECT_EQ(next.last[parcels::senders - 1], s.passed_on);
      EXPECT_EQ(next.handled, s.passed_on);
    }
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}
TEST_P(LargeMessages, ReachWideActorsWholeAndInOrder) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(halls::actors(), wide_blocks(o)).value();
    const auto all = sys.spawn<halls::hall>(3).value();
    const auto beside = spawn_shelves(sys, 3);
    constexpr std::uint32_t each = 40;
    send_from_threads(sys, all, each, o);
    send_from_threads(sys, beside, each, o);
    for (std::size_t i = 0; i < all.size(); ++i) expect_all(sys.view(all[i]).value(), each);
    for (std::size_t i = 0; i < beside.size(); ++i) expect_all(sys.view(beside[i]).value(), each);
    expect_exact_books(sys);
  });
}
TEST_P(LargeMessages, AreAskedWithAndSentManyAtOnce) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(parcels::actors(), few_buffers(o)).value();
    const auto one = spawn_shelves(sys, 1)[0];
    std::uint32_t number = 0;
    for (int i = 0; i < 8; ++i) {
      const auto r = sys.ask<receipt>(one, made<125>(1, ++number), 20s).value();
      EXPECT_EQ(r.number, number);
      EXPECT_EQ(r.handled, number);
    }
    std::vector<parcel> many;
    for (int i = 0; i < 50; ++i) many.push_back(made<125>(1, ++number));
    const std::vector<perdure::ref<shelf>> to(many.size(), one);
    EXPECT_EQ(
        sys.send_many(std::span<const perdure::ref<shelf>>{to}, std::span<const parcel>{many}, 20s)
            .value(),
        many.size());
    expect_ok(sys.quiesce(20s));
    const auto s = sys.view(one).value();
    EXPECT_EQ(s.errors, 0U);
    EXPECT_EQ(s.handled, number);
    expect_exact_books(sys);
  });
}
TEST_P(LargeMessages, ALanesBuffersAreAllItHas) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(parcels::actors(), few_buffers(o)).value();
    const auto one = spawn_shelves(sys, 1)[0];
    expect_ok(sys.pause(20s));
    for (std::uint32_t number = 1; number <= 4; ++number)
      expect_ok(sys.try_send(one, made<125>(0, number)));
    expect_error(sys.try_send(one, made<125>(0, 5)), perdure::errc::inbox_full);
    expect_ok(sys.try_send(one, made<2>(0, 5)));  // the ring has room
    expect_exact_books(sys, 5);
    expect_ok(sys.resume());
    expect_ok(sys.quiesce(20s));
    for (std::uint32_t number = 6; number <= 9; ++number)
      expect_ok(sys.try_send(one, made<125>(0, number)));
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.view(one).value().errors, 0U);
    EXPECT_EQ(sys.view(one).value().handled, 9U);
    expect_exact_books(sys);
  });
}
TEST_P(LargeMessages, ToActorsThatAreGoneAreDeadLettersAndTheirBuffersComeBack) {
  show(60, 20, [](const perdure::options& o) {
    auto sys = perdure::system::start(parcels::actors(), few_buffers(o)).value();
    const auto gone = perdure::ref<shelf>{spawn_shelves(sys, 1)[0].bits + 1'000};
    for (std::uint32_t number = 1; number <= 40; ++number)
      expect_ok(sys.send(gone, made<125>(0, number)));
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.statistics().dead_total(), 40U);
    expect_exact_books(sys);
  });
}

/// Sends so many, tells it to stop, and sends so many more.
template <class A>
void send_past_the_end(perdure::system& sys, perdure::ref<A> one, std::uint32_t each) {
  for (std::uint32_t number = 1; number <= each; ++number)
    expect_ok(sys.send(one, made<125>(0, number)));
  expect_ok(sys.send(one, slip{0, 0, {}}));
  for (std::uint32_t number = 1; number <= each; ++number)
    expect_ok(sys.send(one, made<125>(0, number)));
  expect_ok(sys.quiesce(20s));
}
TEST_P(LargeMessages, BehindTheirReceiversEndAreDeadLetters) {
  show(20, 10, [](const perdure::options& o) {
    auto sys = perdure::system::start(halls::actors(), wide_blocks(o)).value();
    constexpr std::uint32_t each = 15;
    send_past_the_end(sys, sys.spawn<halls::hall>(1).value()[0], each);
    send_past_the_end(sys, spawn_shelves(sys, 1)[0], each);
    EXPECT_EQ(sys.statistics().handled, 2U * (each + 1));
    EXPECT_EQ(sys.statistics().dead_total(), 2U * each);
    expect_exact_books(sys);
  });
}
TEST_P(LargeMessages, ThatFindNoBufferSayNothingOfTheirReceiversInbox) {
  show(10, 10, [](const perdure::options& o) {
    auto sys = perdure::system::start(parcels::actors(), few_buffers(o)).value();
    const auto one = spawn_shelves(sys, 1)[0];
    const auto counter = sys.spawn<parcels::counter>(1).value()[0];
    expect_ok(sys.pause(20s));
    for (std::uint32_t number = 1; number <= 4; ++number)
      expect_ok(sys.send(one, made<125>(0, number)));
    const parcel p = made<125>(0, 1);
    expect_error(sys.try_send(counter, p), perdure::errc::inbox_full);
    const std::span<const perdure::ref<parcels::counter>> to{&counter, 1};
    EXPECT_EQ(sys.send_many(to, std::span<const parcel>{&p, 1}, 1ms).value(), 0U);
    expect_ok(sys.resume());
    expect_ok(sys.send(counter, p));
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.view(counter).value().handled, 1U);
    EXPECT_EQ(sys.statistics().dead_total(), 0U);
    expect_exact_books(sys);
  });
}

PERDURE_SHOW_EVERYWHERE(LargeMessages);

}  // namespace
