// tests/runtime/system/inbound_test.cpp - rings, taken in by several threads into mailboxes.
// Why: order, content and back-pressure are claims about threads; without workers every letter can
//      be counted.
// Replay: a failing run prints its seed; PERDURE_SEED=n runs that seed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "runtime/system/inbound_ring.hpp"
#include "tests/support/random.hpp"
#include "tests/support/worker_ring.hpp"

namespace {

using namespace perdure::runtime;
using perdure_test::worker_ring;
namespace abi = perdure::abi;

struct body {
  std::uint32_t sender, number;
  std::uint8_t pattern[30];
};
constexpr std::uint32_t body_bytes = 38;

body body_of(std::uint32_t sender, std::uint32_t number) {
  body b{sender, number, {}};
  for (std::uint32_t i = 0; i < sizeof(b.pattern); ++i)
    b.pattern[i] = static_cast<std::uint8_t>(sender * 31 + number * 7 + i);
  return b;
}

/// Rings without workers, mailboxes without a system.
struct host {
  std::deque<worker_ring> workers;
  std::deque<inbound_ring> rings;
  mailboxes boxes;
  host_clock clock;
  std::atomic<std::uint64_t> homeless{0}, others{0};
  perdure::message_info message{"body", 1, body_bytes, 4, {}};

  host(std::uint32_t n, std::uint32_t shift) {
    for (std::uint32_t i = 0; i < n; ++i) {
      worker_ring& w = workers.emplace_back(shift);
      rings.emplace_back(w.words(), w.head(), w.shift());
    }
  }
  std::uint32_t open(std::size_t capacity) {
    return boxes.open(capacity, abi::words_for(body_bytes)).value();
  }
  bool send(std::uint32_t ring, std::uint32_t box, std::uint32_t sender, std::uint32_t number) {
    const body b = body_of(sender, number);
    return workers[ring].try_letter(box, sender, number, &b, body_bytes);
  }
  bool visit(std::uint32_t ring, waiting_reader* own = nullptr) {
    const auto done = rings[ring].visit(boxes, clock, 1'000, own,
                                        [&](const inbound_message&, std::uint64_t) { ++others; });
    homeless += done.homeless;
    return done.moved;
  }
  /// As core::receive(), once. @return false if the mailbox is closed.
  bool receive(std::uint32_t box, std::size_t most, std::vector<body>& out) {
    const perdure::detail::take_letter take = [&](std::uint64_t, const void* bytes,
                                                  std::uint64_t sender, std::uint64_t stamp) {
      body b;
      std::memcpy(&b, bytes, body_bytes);
      EXPECT_EQ(sender, b.sender);
      EXPECT_EQ(stamp, b.number);
      out.push_back(b);
    };
    mailbox_queue* queue = boxes.find(box);
    waiting_reader own{box, *queue, {&message, 0, take, most}};
    queue->take(box, own.sink);
    for (std::uint32_t r = 0; r < rings.size() && own.sink.room != 0; ++r) {
      if (rings[r].promising()) visit(r, &own);
    }
    return queue->take(box, own.sink);
  }
  std::vector<std::uint32_t> numbers(std::uint32_t box, std::size_t most) {
    std::vector<body> got;
    receive(box, most, got);
    std::vector<std::uint32_t> out;
    for (const body& b : got) out.push_back(b.number);
    return out;
  }
};
using list = std::vector<std::uint32_t>;

TEST(Inbound, AReaderAtAnEmptyMailboxTakesNoMoreFromTheRingThanItAskedFor) {
  host h{1, 8};
  const std::uint32_t box = h.open(1);
  for (std::uint32_t i = 1; i <= 5; ++i) ASSERT_TRUE(h.send(0, box, 9, i));
  EXPECT_EQ(h.numbers(box, 2), (list{1, 2}));
  EXPECT_TRUE(h.boxes.find(box)->empty());
  EXPECT_EQ(h.numbers(box, 9), (list{3, 4, 5}));
  EXPECT_TRUE(h.workers[0].all_given_back());
}
TEST(Inbound, ARingIsCrowdedWhenAQuarterOfItWaitsForNoFullMailbox) {
  host h{1, 8};  // 256 words, four a letter
  const std::uint32_t box = h.open(20);
  for (std::uint32_t i = 1; i <= 15; ++i) ASSERT_TRUE(h.send(0, box, 9, i));
  EXPECT_FALSE(h.rings[0].crowded());
  ASSERT_TRUE(h.send(0, box, 9, 16));
  EXPECT_TRUE(h.rings[0].crowded());
  EXPECT_TRUE(h.visit(0));
  EXPECT_FALSE(h.rings[0].crowded());
  for (std::uint32_t i = 17; i <= 40; ++i) ASSERT_TRUE(h.send(0, box, 9, i));
  EXPECT_TRUE(h.rings[0].crowded());
  h.visit(0);  // four have room
  for (std::uint32_t i = 41; i <= 60; ++i) ASSERT_TRUE(h.send(0, box, 9, i));
  EXPECT_FALSE(h.rings[0].crowded()) << "nobody but the mailbox's reader can do anything";
}
TEST(Inbound, AFullMailboxKeepsItsLettersInTheRingAndInOrder) {
  host h{1, 8};
  const std::uint32_t small = h.open(2), large = h.open(100);
  std::uint32_t sent = 0;
  for (const std::uint32_t to : {small, small, small, large, small, large, small})
    ASSERT_TRUE(h.send(0, to, 9, ++sent));
  EXPECT_TRUE(h.visit(0));
  EXPECT_FALSE(h.visit(0)) << "nothing can move";
  ASSERT_TRUE(h.send(0, small, 9, ++sent));
  ASSERT_TRUE(h.send(0, large, 9, ++sent));
  EXPECT_FALSE(h.visit(0)) << "nothing behind a refused batch is read";
  EXPECT_FALSE(h.workers[0].all_given_back());
  std::vector<body> got;
  const perdure::detail::take_letter take = [&](std::uint64_t, const void* bytes, std::uint64_t,
                                                std::uint64_t) {
    body b;
    std::memcpy(&b, bytes, body_bytes);
    got.push_back(b);
  };
  letter_sink one{&h.message, 0, take, 1};
  ASSERT_TRUE(h.boxes.find(small)->take(small, one));
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].number, 1U);
  EXPECT_TRUE(h.visit(0)) << "there is room for one";
  list rest;
  for (int i = 0; i < 10; ++i) {
    for (const std::uint32_t n : h.numbers(small, 3)) rest.push_back(n);
  }
  EXPECT_EQ(rest, (list{2, 3, 5, 7, 8}));
  EXPECT_EQ(h.numbers(large, 100), (list{4, 6, 9}));
  EXPECT_TRUE(h.workers[0].all_given_back());
}
/// Runs of places begin and end at other letters in each lap; what a mailbox holds must not depend on that.
TEST(Inbound, AMailboxHoldsItsCapacityWhereverItsLettersLie) {
  perdure::support::random_source random{7};
  for (const std::size_t capacity : {1U, 2U, 3U, 5U, 9U, 255U, 1'024U, 1'500U}) {
    host h{1, 14};
    const std::uint32_t box = h.open(capacity);
    mailbox_queue& queue = *h.boxes.find(box);
    std::uint32_t sent = 0, taken = 0;
    const perdure::detail::take_letter take = [&](std::uint64_t, const void* bytes, std::uint64_t,
                                                  std::uint64_t) {
      body b;
      std::memcpy(&b, bytes, body_bytes);
      ASSERT_EQ(b.number, ++taken);
    };
    const auto get = [&](std::size_t most) {
      letter_sink some{&h.message, 0, take, most};
      EXPECT_TRUE(queue.take(box, some));
      return most - some.room;
    };
    for (int round = 0; round < 200; ++round) {
      while (h.send(0, box, 9, sent + 1)) ++sent;
      while (h.visit(0)) {
      }
      const std::size_t some = random.below(capacity + 1);
      ASSERT_EQ(get(some), some);
      if (random.below(4) != 0) continue;
      while (h.visit(0)) {
      }
      const std::size_t there = std::min<std::size_t>(capacity, sent - taken);
      ASSERT_EQ(get(capacity + 9), there) << "capacity " << capacity;
    }
  }
}
TEST(Inbound, MailboxesWhosePlacesShareAChainDoNotOvertakeWhatWasRefused) {
  host h{1, 8};
  list boxes;
  for (int i = 0; i < 17; ++i) boxes.push_back(h.open(2));
  const std::uint32_t a = boxes[0], b = boxes[16];
  std::uint32_t sent = 0;
  for (const std::uint32_t to : {a, a, a, b, a, b, b}) ASSERT_TRUE(h.send(0, to, 9, ++sent));
  list of_a, of_b;
  for (int i = 0; i < 5; ++i) {
    for (const std::uint32_t n : h.numbers(a, 1)) of_a.push_back(n);
    for (const std::uint32_t n : h.numbers(b, 1)) of_b.push_back(n);
  }
  EXPECT_EQ(of_a, (list{1, 2, 3, 5}));
  EXPECT_EQ(of_b, (list{4, 6, 7}));
}
TEST(Inbound, ClosedMailboxesAndTheirSuccessorsGetNothing) {
  host h{1, 8};
  const std::uint32_t gone = h.open(4);
  h.boxes.close(gone);
  const std::uint32_t next = h.open(4);
  EXPECT_EQ(gone & 0xffffU, next & 0xffffU);
  ASSERT_TRUE(h.send(0, gone, 9, 1));
  ASSERT_TRUE(h.send(0, gone + 1, 9, 2)) << "at a place that never was";
  EXPECT_TRUE(h.visit(0));
  EXPECT_EQ(h.homeless, 2U);
  EXPECT_EQ(h.numbers(next, 4), list{});
  std::vector<body> got;
  EXPECT_FALSE(h.receive(gone, 1, got));
}
TEST(Inbound, EveryPayloadSizeComesOutAsItWentIn) {
  host h{1, 7};
  unsigned char sent[abi::inline_payload], got[abi::inline_payload];
  for (std::uint32_t i = 0; i < sizeof(sent); ++i) sent[i] = static_cast<unsigned char>(i * 5 + 1);
  const std::uint32_t box = h.boxes.open(3, abi::max_words).value();
  for (std::uint32_t bytes = 0; bytes <= sizeof(sent); ++bytes) {
    std::memset(got, 0, sizeof(got));
    const perdure::detail::take_letter take = [&](std::uint64_t, const void* from, std::uint64_t,
                                                  std::uint64_t) { std::memcpy(got, from, bytes); };
    waiting_reader own{box, *h.boxes.find(box), {&h.message, 0, take, 1}};
    ASSERT_TRUE(h.workers[0].try_letter(box, 1, 1, sent, bytes));
    h.visit(0, bytes % 2 == 0 ? &own : nullptr);
    if (bytes % 2 != 0) {
      ASSERT_TRUE(own.box.take(box, own.sink));
    }
    ASSERT_EQ(own.sink.room, 0U);
    ASSERT_EQ(std::memcmp(got, sent, bytes), 0) << bytes << " bytes";
  }
}
TEST(Inbound, AReplyComesAfterTheLettersBeforeIt) {
  host h{1, 8};
  const std::uint32_t box = h.open(1);
  ASSERT_TRUE(h.send(0, box, 9, 1));
  ASSERT_TRUE(h.send(0, box, 9, 2));
  ASSERT_TRUE(h.workers[0].try_send(abi::host_kind::reply, 7, 0, 9, 3, nullptr, 0));
  EXPECT_TRUE(h.visit(0));
  EXPECT_EQ(h.others, 0U) << "the second letter has no room yet";
  EXPECT_EQ(h.numbers(box, 1), list{1});
  EXPECT_TRUE(h.visit(0));
  EXPECT_EQ(h.numbers(box, 1), list{2});
  (void)h.visit(0);
  EXPECT_EQ(h.others, 1U);
}
TEST(Inbound, AReplyIsTakenInTheVisitThatHasDeliveredTheLettersBeforeIt) {
  host h{1, 8};
  const std::uint32_t box = h.open(4);
  ASSERT_TRUE(h.send(0, box, 9, 1));
  ASSERT_TRUE(h.workers[0].try_send(abi::host_kind::reply, 7, 0, 9, 2, nullptr, 0));
  ASSERT_TRUE(h.send(0, box, 9, 3));
  EXPECT_TRUE(h.visit(0));
  EXPECT_EQ(h.others, 1U);
  EXPECT_EQ(h.numbers(box, 4), (list{1, 3}));
}
/// Two threads bring letters for one mailbox. After each reply one of them takes what is there, and another's letters, still
/// being brought, stand before its own.
TEST(Inbound, WhoDrainsBehindAReplyGetsTheLettersBeforeIt) {
  host h{2, 10};
  const std::uint32_t box = h.open(1U << 14U);
  constexpr std::uint32_t rounds = 3'000, a_round = 40;
  std::atomic<bool> ended{false};
  std::thread other{[&] {
    for (std::uint32_t n = 0; !ended.load(std::memory_order_relaxed);) {
      while (h.send(1, box, 1, n + 1)) ++n;
      (void)h.visit(1);
    }
  }};
  std::uint32_t sent = 0, replies = 0;
  list last(2);
  for (std::uint32_t r = 0; r < rounds && !::testing::Test::HasFailure(); ++r) {
    for (std::uint32_t i = 0; i < a_round; ++i) ASSERT_TRUE(h.send(0, box, 0, ++sent));
    ASSERT_TRUE(h.workers[0].try_send(abi::host_kind::reply, 7, 0, 9, 3, nullptr, 0));
    const perdure::detail::take_letter take = [&](std::uint64_t, const void* bytes, std::uint64_t,
                                                  std::uint64_t) {
      body b;
      std::memcpy(&b, bytes, body_bytes);
      EXPECT_EQ(b.number, ++last[b.sender]);
    };
    const auto drain = [&] {
      letter_sink all{&h.message, 0, take, ~std::size_t{0}};
      EXPECT_TRUE(h.boxes.find(box)->take(box, all, true));
    };
    for (++replies; h.others != replies;) {
      (void)h.visit(0);
      if (h.others != replies) drain();  // the other one has filled the mailbox
    }
    drain();
    EXPECT_EQ(last[0], sent);
  }
  ended = true;
  other.join();
}

/// Writers feed small rings with letters to random mailboxes, readers take them with spans of
/// random length.
struct traffic {
  static constexpr std::uint32_t rings = 4, senders_a_ring = 3, letters_a_ring = 20'000, shift = 8;
  host h{rings, shift};
  list names;
  std::atomic<std::uint64_t> sent{0};
  std::atomic<bool> all_sent{false};

  void write(std::uint32_t first_ring, std::uint64_t seed) {
    perdure::support::random_source random{seed};
    std::vector<list> numbers(rings * senders_a_ring, list(names.size()));
    for (std::uint32_t i = 0; i < letters_a_ring * 2;) {
      const std::uint32_t ring = first_ring + static_cast<std::uint32_t>(random.below(2));
      const std::uint32_t sender =
          ring * senders_a_ring + static_cast<std::uint32_t>(random.below(senders_a_ring));
      const auto to = static_cast<std::uint32_t>(random.below(names.size()));
      const std::uint32_t number = numbers[sender][to] + 1;
      while (!h.send(ring, names[to], sender, number)) std::this_thread::yield();
      numbers[sender][to] = number;
      ++i;
    }
    sent += letters_a_ring * 2;
  }
  bool drained() {
    if (!all_sent.load(std::memory_order_acquire)) return false;
    for (worker_ring& w : h.workers) {
      if (!w.all_given_back()) return false;
    }
    return true;
  }
  /// @return how many letters came, each sender's in order and none missing between.
  std::uint64_t read(std::uint32_t box, std::uint64_t seed, std::uint64_t close_after = ~0ULL) {
    perdure::support::random_source random{seed};
    list last(rings * senders_a_ring);
    std::uint64_t n = 0;
    std::vector<body> got;
    for (bool done = false; !done;) {
      done = drained();  // asked before the look: what was there then is found by it
      got.clear();
      h.receive(names[box], 1 + random.below(200), got);
      for (const body& b : got) {
        EXPECT_EQ(b.number, ++last[b.sender]);
        const body right = body_of(b.sender, b.number);
        EXPECT_EQ(std::memcmp(&b, &right, body_bytes), 0);
      }
      n += got.size();
      if (n >= close_after) {
        h.boxes.close(names[box]);
        return n;
      }
      if (!got.empty()) done = false;
      if (::testing::Test::HasFailure()) std::exit(1);  // others would wait for ever
      if (got.empty()) std::this_thread::yield();
    }
    return n;
  }
};

std::uint64_t seed_of_run() {
  const char* one = std::getenv("PERDURE_SEED");
  return one != nullptr ? std::strtoull(one, nullptr, 10) : std::random_device{}();
}

TEST(Inbound, SeveralReadersGetEachSendersLettersInOrderAndWhole) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed));
  traffic t;
  for (const std::size_t capacity : {1, 7, 300, 5'000}) t.names.push_back(t.h.open(capacity));
  std::atomic<std::uint64_t> came{0};
  std::vector<std::thread> readers, writers;
  for (std::uint32_t r = 0; r < 4; ++r)
    readers.emplace_back([&, r] { came += t.read(r, seed + 10 + r); });
  for (std::uint32_t w = 0; w < 2; ++w) writers.emplace_back([&, w] { t.write(2 * w, seed + w); });
  for (auto& w : writers) w.join();
  t.all_sent.store(true, std::memory_order_release);
  for (auto& r : readers) r.join();
  EXPECT_EQ(came, t.sent);
  EXPECT_EQ(t.h.homeless, 0U);
}
TEST(Inbound, AReaderThatClosesItsMailboxLeavesTheOthersTheirLetters) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("PERDURE_SEED=" + std::to_string(seed));
  traffic t;
  for (const std::size_t capacity : {5, 50, 500}) t.names.push_back(t.h.open(capacity));
  std::vector<std::thread> readers, writers;
  readers.emplace_back([&] { EXPECT_GE(t.read(0, seed + 10, 500), 500U); });
  for (std::uint32_t r = 1; r < 3; ++r)
    readers.emplace_back([&, r] { EXPECT_GT(t.read(r, seed + 10 + r), 0U); });
  for (std::uint32_t w = 0; w < 2; ++w) writers.emplace_back([&, w] { t.write(2 * w, seed + w); });
  for (auto& w : writers) w.join();
  t.all_sent.store(true, std::memory_order_release);
  for (auto& r : readers) r.join();
  EXPECT_GT(t.h.homeless, 0U);
}

}  // namespace
