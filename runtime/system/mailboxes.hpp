// runtime/system/mailboxes.hpp - host mailboxes: bounded queues of letters from actors.
// Why: a full mailbox stops the reading of the rings, and so holds back the actors, instead of losing letters.
// Invariant: a mailbox's number is never used twice while a reference to it could still arrive (16-bit reuse count).
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/abi/ref_bits.cuh"

namespace perdure::runtime {

class mailboxes {
 public:
  struct letter {
    std::uint32_t message;  ///< id of the program
    std::uint64_t sender, stamp;
    alignas(16) unsigned char payload[240];
  };
  enum class put_result { taken, full, closed };

  /// @return the 32 bits by which actors name it: reuse count 16 | place 16.
  std::uint32_t open(std::size_t capacity) {
    std::lock_guard lock{mutex_};
    std::size_t place = 0;
    while (place < boxes_.size() && boxes_[place].open) ++place;
    if (place == boxes_.size()) boxes_.emplace_back();
    box& b = boxes_[place];
    b.open = true;
    b.uses = static_cast<std::uint16_t>(b.uses + 1);
    b.capacity = capacity;
    b.letters.clear();
    return static_cast<std::uint32_t>(b.uses) << 16U | static_cast<std::uint32_t>(place);
  }
  void close(std::uint32_t name) {
    std::lock_guard lock{mutex_};
    if (box* b = find(name)) {
      b->open = false;
      b->letters.clear();
    }
  }
  put_result put(std::uint32_t name, const letter& l) {
    std::lock_guard lock{mutex_};
    box* b = find(name);
    if (b == nullptr) return put_result::closed;
    if (b->letters.size() >= b->capacity) return put_result::full;
    b->letters.push_back(l);
    return put_result::taken;
  }
  /// Moves up to `most` letters to `out`. @return false if there is no such mailbox.
  bool take(std::uint32_t name, std::size_t most, std::vector<letter>& out) {
    std::lock_guard lock{mutex_};
    box* b = find(name);
    if (b == nullptr) return false;
    while (out.size() < most && !b->letters.empty()) {
      out.push_back(b->letters.front());
      b->letters.pop_front();
    }
    return true;
  }

 private:
  struct box {
    bool open = false;
    std::uint16_t uses = 0;
    std::size_t capacity = 0;
    std::deque<letter> letters;
  };
  box* find(std::uint32_t name) {
    const std::size_t place = name & 0xffffU;
    if (place >= boxes_.size() || !boxes_[place].open || boxes_[place].uses != name >> 16U)
      return nullptr;
    return &boxes_[place];
  }
  std::mutex mutex_;
  std::vector<box> boxes_;
};

}  // namespace perdure::runtime
