// tests/runtime/system/lane_writer_test.cpp - the words of a host lane, of every size and at every place of the ring.
// Why: messages of usual sizes are put by code of their own; what a worker reads must not depend on which code it was.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/bridge/lane_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using perdure::runtime::lane_writer;
namespace abi = perdure::abi;
namespace loop = perdure::loop;

constexpr std::uint32_t shift = 6;
constexpr std::uint64_t words = std::uint64_t{1} << shift;
constexpr std::uint64_t to = 0x0123'0045'0001'2345U, sender = 0x77, stamp = 0x0123'4567'89abU;
constexpr std::uint32_t handler = 9;

/// What a message of these bytes is, word by word.
std::vector<loop::word> expected(const std::vector<std::byte>& payload, std::uint64_t tail) {
  const auto bytes = static_cast<std::uint32_t>(payload.size());
  const std::uint32_t n = abi::words_for(bytes);
  std::vector<loop::word> out(n);
  out[0] = {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, n), sender};
  abi::pack_bytes(out.data(), payload.data(), bytes, abi::stamp_to_wire(stamp), n);
  for (std::uint32_t k = 0; k < n; ++k) out[k] = abi::tagged(out[k], tail + k, shift, k == 0);
  return out;
}

TEST(LaneWriter, PutsTheWordsOfEverySizeAtEveryPlace) {
  for (std::uint32_t bytes = 0; bytes <= abi::inline_payload; ++bytes) {
    // on the heap to its last byte: the address sanitizer sees who reads beyond it
    std::vector<std::byte> payload(bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::byte>(0xff - 7 * i);
    std::vector<loop::word> ring(words);
    const auto head = std::make_unique<loop::line_counter>();
    lane_writer writer{ring.data(), head.get(), shift};
    const std::uint32_t n = abi::words_for(bytes);
    std::vector<bool> begun(words);  // places where a message has begun
    for (std::uint64_t tail = 0; tail < 3 * words * n; tail += n) {
      ASSERT_TRUE(writer.try_push(to, handler, sender, stamp, payload.data(), bytes));
      begun[tail % words] = true;
      const auto right = expected(payload, tail);
      for (std::uint32_t k = 0; k < n; ++k) {
        const loop::word& w = ring[(tail + k) % words];
        ASSERT_EQ(w.lo, right[k].lo) << bytes << " bytes, word " << k << " at " << tail + k;
        ASSERT_EQ(w.hi, right[k].hi) << bytes << " bytes, word " << k << " at " << tail + k;
      }
      head->value = tail + n;  // the worker has taken it
    }
    const auto places = static_cast<std::uint64_t>(std::count(begun.begin(), begun.end(), true));
    EXPECT_EQ(places, words / std::gcd(words, std::uint64_t{n}));
  }
}

TEST(LaneWriter, RefusesWhatHasNoRoomAndPutsNothing) {
  std::vector<loop::word> ring(words);
  const auto head = std::make_unique<loop::line_counter>();
  lane_writer writer{ring.data(), head.get(), shift};
  const std::vector<std::byte> payload(38);  // four words
  for (std::uint64_t i = 0; i < words / 4; ++i)
    ASSERT_TRUE(writer.try_push(to, handler, sender, stamp, payload.data(), 38));
  const auto before = ring[0].hi;
  EXPECT_FALSE(writer.try_push(to, handler, sender, stamp, payload.data(), 38));
  EXPECT_EQ(ring[0].hi, before);
  EXPECT_EQ(writer.tail(), words);
  head->value = 4;
  EXPECT_TRUE(writer.try_push(to, handler, sender, stamp, payload.data(), 38));
}

}  // namespace
