// tests/runtime/system/inbound_test.cpp - rings, taken in by several threads into mailboxes.
// Why: order, content and back-pressure are claims about threads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/runtime/system/rings_and_boxes.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace perdure_test;
using namespace perdure::runtime;
namespace abi = perdure::abi;

TEST(Inbound, AReaderAtAnEmptyMailboxTakesNoMoreFromTheRingThanItAskedFor) {
  host h{1, 8};
  const std::uint32_t box = h.open(1);
  for (std::uint32_t i = 1; i <= 5; ++i) ASSERT_TRUE(h.send(0, box, 9, i));
  EXPECT_EQ(h.numbers(box, 2), (list{1, 2}));
  EXPECT_TRUE(h.boxes.find(box)->empty());
  EXPECT_EQ(h.numbers(box, 9), (list{3, 4, 5}));
  EXPECT_TRUE(h.workers[0].all_given_back());
}
TEST(Inbound, NoTwoMailboxesEverHaveTheSameName) {
  mailboxes boxes;
  const std::uint32_t first = boxes.open(1, 2).value();
  boxes.close(first);
  std::uint32_t last = first;
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    const auto name = boxes.open(1, 2);
    ASSERT_TRUE(name);
    ASSERT_NE(*name, first) << "behind " << i
                            << " others: what is sent to the first one arrives here";
    ASSERT_NE(*name, last);
    last = *name;
    boxes.close(last);
  }
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
  EXPECT_EQ(h.homeless(), 2U);
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
/// As above, of those that stand in the ring as long as they are; among short ones, and beyond the ring's end.
TEST(Inbound, EveryLongPayloadComesOutAsItWentIn) {
  host h{1, 13};  // 8,192 words: one of the longest
  std::vector<unsigned char> sent(abi::max_payload), got(abi::max_payload + 64);
  for (std::uint32_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(i * 5 + 1);
  const std::uint32_t box =
      h.boxes.open(3, ring_reader::words_of_payload(abi::max_payload)).value();
  std::uint32_t round = 0;
  for (const std::uint32_t bytes : {241U, 247U, 248U, 249U, 509U, 518U, 519U, 1'008U, 4'096U,
                                    65'535U, 65'536U, 242U, 65'536U}) {
    std::fill(got.begin(), got.end(), static_cast<unsigned char>(0));
    const perdure::detail::take_letter take = [&](std::uint64_t, const void* from, std::uint64_t,
                                                  std::uint64_t) {
      std::memcpy(got.data(), from, bytes);
    };
    waiting_reader own{box, *h.boxes.find(box), {&h.message, 0, take, 1}};
    ASSERT_TRUE(h.workers[0].try_letter(box, 1, 1, sent.data(), bytes));
    h.visit(0, ++round % 2 == 0 ? &own : nullptr);
    if (round % 2 != 0) {
      ASSERT_TRUE(own.box.take(box, own.sink));
    }
    ASSERT_EQ(own.sink.room, 0U);
    ASSERT_EQ(std::memcmp(got.data(), sent.data(), bytes), 0) << bytes << " bytes";
    ASSERT_TRUE(h.workers[0].all_given_back());
  }
}
TEST(Inbound, ALongReplyIsWhole) {
  host h{1, 10};
  std::vector<unsigned char> sent(3'000);
  for (std::uint32_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(i * 3 + 1);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(h.workers[0].try_send(abi::host_kind::reply, 7, 4, 9, 3, sent.data(), 3'000));
    ASSERT_TRUE(h.workers[0].try_send(abi::host_kind::reply, 8, 4, 9, 3, sent.data(), 12));
    int came = 0;
    h.rings[0].visit(h.boxes, h.clock, 1'000, nullptr,
                     [&](const inbound_message& m, std::uint64_t) {
                       ++came;
                       EXPECT_EQ(m.kind, abi::host_kind::reply);
                       EXPECT_EQ(std::memcmp(m.bytes(), sent.data(), m.index == 7 ? 3'000 : 12), 0);
                     });
    ASSERT_EQ(came, 2);
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
TEST(Inbound, WhoTakesInWholeWaitsForWhatAnotherThreadHasReadAndNotDelivered) {
  host h{1, 8};
  const std::uint32_t slow = h.open(4), other = h.open(4);
  ASSERT_TRUE(h.send(0, slow, 9, 1));
  ASSERT_TRUE(h.send(0, other, 9, 2));
  std::atomic<bool> holds{false}, let_go{false};
  std::thread reader{[&] {
    const perdure::detail::take_letter take = [&](auto...) {
      holds = true;
      while (!let_go) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    };
    waiting_reader own{slow, *h.boxes.find(slow), {&h.message, 0, take, 1}};
    EXPECT_TRUE(h.visit(0, &own));
  }};
  while (!holds) std::this_thread::yield();
  EXPECT_FALSE(h.rings[0].promising());
  EXPECT_FALSE(h.rings[0].quiet());
  EXPECT_FALSE(h.visit(0)) << "who only passes does not wait";
  EXPECT_TRUE(h.boxes.find(other)->empty());
  let_go = true;
  EXPECT_FALSE(h.visit(0, nullptr, intake::whole)) << "the other one has taken all";
  EXPECT_FALSE(h.boxes.find(other)->empty());
  EXPECT_TRUE(h.rings[0].quiet());
  reader.join();
}
/// Another thread takes in whenever there is something: what it has just begun with must not look like nothing.
TEST(Inbound, ARingIsNotQuietBetweenALetterAndItsDelivery) {
  host h{1, 8};
  const std::uint32_t box = h.open(8);
  std::atomic<bool> done{false};
  std::thread passing{[&] {
    while (!done.load(std::memory_order_relaxed)) {
      if (h.rings[0].promising()) h.visit(0);
    }
  }};
  std::vector<body> got;
  std::uint32_t missed = 0;
  for (std::uint32_t number = 1; number <= 200'000; ++number) {
    ASSERT_TRUE(h.send(0, box, 9, number));
    if (!h.rings[0].quiet()) h.visit(0, nullptr, intake::whole);
    got.clear();
    for (bool first = true; got.empty(); first = false) {
      h.receive(box, 1, got);
      if (first && got.empty()) ++missed;
    }
  }
  done = true;
  passing.join();
  EXPECT_EQ(missed, 0U);
}
/// A reply ends a batch: so few letters are more than a visit's batches.
TEST(Inbound, AWholeVisitEndsBehindAllThatWasThereAndNotLater) {
  host h{1, 8};
  const std::uint32_t box = h.open(10'000);
  std::uint32_t letters = 0;
  const auto send = [&] {
    if (h.workers[0].tail() + 8 > h.workers[0].head()->value + 256) return false;
    return h.send(0, box, 9, ++letters) &&
           h.workers[0].try_send(abi::host_kind::reply, 7, 0, 9, 3, nullptr, 0);
  };
  while (send()) {
  }
  const std::uint32_t first = letters;
  EXPECT_TRUE(h.visit(0));
  EXPECT_LT(h.others, first) << "in passing";
  EXPECT_TRUE(h.visit(0, nullptr, intake::whole));
  EXPECT_EQ(h.others, first);
  EXPECT_TRUE(h.rings[0].quiet());
  // now each reply is followed by others
  while (send()) {
  }
  const auto more = [&](const inbound_message&, std::uint64_t) {
    if (letters < 5'000) (void)send();
  };
  EXPECT_TRUE(h.rings[0].visit(h.boxes, h.clock, 1'000, nullptr, more, intake::whole));
  EXPECT_GT(letters, 2 * first);
  EXPECT_LT(letters, 5 * first);
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

}  // namespace
