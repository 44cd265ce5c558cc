// tests/runtime/system/inbound_traffic_test.cpp - rings, mailboxes and readers under load, at random.
// Replay: a failing run prints its seed; PERDURE_SEED=n runs that seed.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/system/rings_and_boxes.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace perdure_test;

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
  EXPECT_EQ(t.h.homeless(), 0U);
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
  EXPECT_GT(t.h.homeless(), 0U);
}

}  // namespace
