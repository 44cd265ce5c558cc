// runtime/system/mailboxes.hpp - a system's host mailboxes by name; each has locks of its own.
// Why: a letter is looked up without a lock, since every thread that takes in looks up letters for
//      everybody.
// Invariant: a mailbox's name is never used twice: a place whose 65,535 names are spent is retired; a queue, once made,
//            stays where it is until the system dies.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/system/mailbox_queue.hpp"

namespace perdure::runtime {

class mailboxes {
 public:
  /// @param words  of the longest message that it is for.
  /// @return the 32 bits by which actors name it: reuse count 16 | place 16; nothing if memory or
  ///         places are used up.
  std::optional<std::uint32_t> open(std::size_t capacity, std::uint32_t words) {
    const std::lock_guard lock{mutex_};
    std::uint32_t place = 0;
    while (place < made_.size() && (made_[place].in_use || made_[place].uses == most_uses)) ++place;
    if (place == pages * page_places) return std::nullopt;
    if (place == made_.size()) make(place);
    place_state& at = made_[place];
    ++at.uses;
    const std::uint32_t name = std::uint32_t{at.uses} << 16U | place;
    if (!at.queue.open(name, capacity, words)) return std::nullopt;
    at.in_use = true;
    return name;
  }
  /// @return how many letters were in it.
  std::uint64_t close(std::uint32_t name) {
    const std::lock_guard lock{mutex_};
    const std::uint32_t place = name & 0xffffU;
    if (place >= made_.size() || made_[place].uses != name >> 16U) return 0;
    made_[place].in_use = false;
    return made_[place].queue.close(name);
  }
  /// The queue at that name's place, which may go by another name by now; null if there never was
  /// one.
  mailbox_queue* find(std::uint32_t name) const {
    const std::uint32_t place = name & 0xffffU;
    // acquire: pairs with make()'s release; the page and the queue are built
    const page* of = table_[place / page_places].load(std::memory_order_acquire);
    return of == nullptr ? nullptr : (*of)[place % page_places].load(std::memory_order_acquire);
  }

 private:
  static constexpr std::uint32_t pages = 256, page_places = 256;
  static constexpr std::uint16_t most_uses = 0xffff;
  using page = std::array<std::atomic<mailbox_queue*>, page_places>;
  struct place_state {
    bool in_use = false;
    std::uint16_t uses = 0;
    mailbox_queue queue;
  };
  void make(std::uint32_t place) {
    made_.emplace_back();
    std::unique_ptr<page>& of = pages_[place / page_places];
    if (!of) {
      of = std::make_unique<page>();
      table_[place / page_places].store(of.get(), std::memory_order_release);
    }
    (*of)[place % page_places].store(&made_.back().queue, std::memory_order_release);
  }

  std::mutex mutex_;  ///< guards made_ and pages_, not what is in the queues
  std::deque<place_state> made_;
  std::array<std::unique_ptr<page>, pages> pages_;
  std::array<std::atomic<page*>, pages> table_{};  ///< how find() sees pages_
};

}  // namespace perdure::runtime
