// tests/runtime/system/rings_and_boxes.hpp - rings without workers, mailboxes without a system.
// Why: taking in is tested by itself; without workers every letter can be counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <vector>

#include "runtime/system/inbound_ring.hpp"
#include "tests/support/worker_ring.hpp"

namespace perdure_test {

using namespace perdure::runtime;

struct body {
  std::uint32_t sender, number;
  std::uint8_t pattern[30];
};
constexpr std::uint32_t body_bytes = 38;

inline body body_of(std::uint32_t sender, std::uint32_t number) {
  body b{sender, number, {}};
  for (std::uint32_t i = 0; i < sizeof(b.pattern); ++i)
    b.pattern[i] = static_cast<std::uint8_t>(sender * 31 + number * 7 + i);
  return b;
}

struct host {
  std::deque<worker_ring> workers;
  std::deque<inbound_ring> rings;
  mailboxes boxes;
  host_clock clock;
  std::atomic<std::uint64_t> others{0};
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
  bool visit(std::uint32_t ring, waiting_reader* own = nullptr, intake how = intake::passing) {
    return rings[ring].visit(
        boxes, clock, 1'000, own, [&](const inbound_message&, std::uint64_t) { ++others; }, how);
  }
  std::uint64_t homeless() const {
    std::uint64_t all = 0;
    for (const inbound_ring& r : rings) all += r.homeless();
    return all;
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

}  // namespace perdure_test
