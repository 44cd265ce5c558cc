// runtime/system/mailbox_queue.hpp - one host mailbox: a bounded ring of records.
// Why: who brings letters takes places for a run of them under a lock and fills these without it, so that threads that
//      bring letters for the same mailbox wait for each other for a few loads and stores, not for each other's copies;
//      and a letter is one copy into memory that is already there.
// Invariant: head <= tail <= head + capacity; slots between them are somebody's to fill, or whole: a record says by its
//            position that it is whole. A closed queue has name 0 and no slots. Both locks are held to open, close and
//            rewind.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "perdure/program.hpp"
#include "perdure/system_core.hpp"
#include "runtime/bridge/ring_reader.hpp"

namespace perdure::runtime {

/// Where a receiving thread wants its letters: the caller's function, and how many more it takes.
struct letter_sink {
  const message_info* messages;
  std::uint64_t system;  ///< its number, where a reference has it
  const detail::take_letter& take;
  std::size_t room;

  void put(std::uint32_t message, const void* bytes, std::uint64_t sender, std::uint64_t stamp) {
    --room;
    take(messages[message].key, bytes, sender | system, stamp);
  }
};

class mailbox_queue {
 public:
  /// @return whether there was memory for `capacity` messages of up to `words` words.
  bool open(std::uint32_t name, std::size_t capacity, std::uint32_t words) {
    const std::size_t stride =
        (sizeof(record) + ring_reader::unpacked_bytes(words) + 7) / 8 * std::size_t{8};
    if (capacity > most_bytes / stride) return false;
    // zero without being touched: a page that no letter ever needed costs nothing
    slots fresh{static_cast<std::byte*>(std::calloc(capacity * stride + line, 1))};
    if (!fresh) return false;
    const std::scoped_lock both{writing_, reading_};
    slots_ = std::move(fresh);
    const auto bits = reinterpret_cast<std::uintptr_t>(slots_.get());
    first_ = slots_.get() + (line - bits % line) % line;
    capacity_ = capacity;
    stride_ = stride;
    words_ = words;
    write_at_ = read_at_ = 0;
    head_.store(0, std::memory_order_relaxed);
    tail_.store(0, std::memory_order_relaxed);
    name_.store(name, std::memory_order_release);
    return true;
  }
  /// @return how many letters nobody has read, which are gone.
  std::uint64_t close(std::uint32_t name) {
    const std::scoped_lock both{writing_, reading_};
    if (!is(name)) return 0;
    name_.store(0, std::memory_order_relaxed);
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t unread = tail - head_.exchange(tail, std::memory_order_relaxed);
    // acquire: pairs with the release in ~places(); who fills slots needs none of these locks, so it ends
    while (filling_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    slots_.reset();
    return unread;
  }
  /// Whether it is open under that name: a hint without a lock, certain with one.
  bool is(std::uint32_t name) const { return name_.load(std::memory_order_acquire) == name; }
  /// Whether all that this thread knows to have been put has been taken.
  bool empty() const {
    // acquire: what was taken before is behind us; a tail that is stale misses letters of other
    // threads only
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire);
  }

  /// Places for a run of letters, side by side; readers come to them in this order.
  class places {
   public:
    /// Takes as many of `wanted` as there is room for.
    places(mailbox_queue& q, std::uint32_t name, std::size_t wanted) : q_{q} {
      const std::lock_guard lock{q.writing_};
      open_ = q.is(name);
      if (!open_) return;
      position_ = q.tail_.load(std::memory_order_relaxed);
      // acquire: pairs with take()'s release; the slots before head are no longer read
      const std::uint64_t used = position_ - q.head_.load(std::memory_order_acquire);
      count_ = std::min<std::size_t>(wanted, q.capacity_ - used);
      if (count_ == 0) return;
      at_ = q.write_at_;
      q.write_at_ = at_ + count_ < q.capacity_ ? at_ + count_ : at_ + count_ - q.capacity_;
      q.filling_.fetch_add(1, std::memory_order_relaxed);  // close() looks behind this lock
      q.tail_.store(position_ + count_, std::memory_order_release);
    }
    ~places() {
      if (count_ != 0) q_.filling_.fetch_sub(1, std::memory_order_release);
    }
    places(const places&) = delete;
    places& operator=(const places&) = delete;

    bool open() const { return open_; }
    /// How many must be put: a reader waits for each.
    std::size_t count() const { return count_; }
    /// The next one. A message longer than any that the mailbox is for is cut.
    /// @memory  release: the record is there before its position says so; pairs with take()'s acquire.
    void put(const ring_reader& from, std::uint64_t at, std::uint32_t words, std::uint16_t message,
             std::uint64_t sender, std::uint64_t stamp) {
      std::byte* slot = q_.first_ + at_ * q_.stride_;
      auto* r = reinterpret_cast<record*>(slot);
      r->sender = sender;
      r->stamp = stamp;
      from.unpack(at, words < q_.words_ ? words : q_.words_, slot + sizeof(record));
      std::atomic_ref{r->whole}.store(whole_at(position_) | message, std::memory_order_release);
      if (++at_ == q_.capacity_) at_ = 0;
      ++position_;
    }

   private:
    mailbox_queue& q_;
    bool open_ = false;
    std::uint64_t position_ = 0;
    std::size_t at_ = 0, count_ = 0;
  };

  /// Moves letters to `to`, oldest first, until one of them is used up.
  /// @param all  wait for letters that are just being brought, too; else only for the first one.
  /// @return false if it is not open by that name.
  bool take(std::uint32_t name, letter_sink& to, bool all = false) {
    if (is(name) && empty()) return true;
    const std::unique_lock lock{reading_};
    if (!is(name)) return false;
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    for (bool first = true; head != tail && to.room != 0; first = false) {
      const std::byte* slot = first_ + read_at_ * stride_;
      const std::uint64_t whole = wait_for(slot, whole_at(head), first || all);
      if (whole == 0) break;
      const auto* r = reinterpret_cast<const record*>(slot);
      to.put(static_cast<std::uint16_t>(whole), slot + sizeof(record), r->sender, r->stamp);
      if (++read_at_ == capacity_) read_at_ = 0;
      ++head;
    }
    // release: pairs with the acquire in places(); the slots have been read
    head_.store(head, std::memory_order_release);
    if (head == tail && read_at_ * stride_ > rewind_bytes) rewind();
    return true;
  }

 private:
  struct record {
    std::uint64_t sender, stamp;
    std::uint64_t whole;  ///< whole_at() of its position | message, written last
  };
  static constexpr std::size_t line = 64;
  /// No two positions of a slot's have the same within 2^48 letters, and fresh memory has none.
  static constexpr std::uint64_t whole_at(std::uint64_t position) { return (position + 1) << 16U; }
  static constexpr std::size_t most_bytes = std::size_t{1} << 46U;
  static constexpr std::size_t rewind_bytes = std::size_t{128} << 10U;
  struct free_slots {
    void operator()(std::byte* at) const { std::free(at); }
  };
  using slots = std::unique_ptr<std::byte, free_slots>;

  /// What the slot says once it is whole; 0 if it is not and nobody wants to wait. Who fills it waits for nobody.
  static std::uint64_t wait_for(const std::byte* slot, std::uint64_t whole, bool wait) {
    auto& word = const_cast<std::uint64_t&>(reinterpret_cast<const record*>(slot)->whole);
    for (std::uint32_t looks = 1;; ++looks) {
      // acquire: pairs with put()'s release; the record is there
      const std::uint64_t seen = std::atomic_ref{word}.load(std::memory_order_acquire);
      if (seen >> 16U == whole >> 16U) return seen;
      if (!wait) return 0;
      if (looks % 64 == 0) std::this_thread::yield();  // who fills it may need this core
    }
  }
  /// Begins again where the memory is warm, if it is still empty. The reading lock is held.
  void rewind() {
    const std::unique_lock lock{writing_, std::try_to_lock};
    if (lock && empty()) write_at_ = read_at_ = 0;
  }

  slots slots_;
  std::byte* first_ = nullptr;  ///< the first slot, at the beginning of a line
  std::size_t capacity_ = 0, stride_ = 0;
  std::uint32_t words_ = 0;             ///< of the longest message
  std::atomic<std::uint32_t> name_{0};  ///< 0: closed; written under both locks
  alignas(64) std::mutex writing_;      ///< guards write_at_ and tail_
  std::size_t write_at_ = 0;
  std::atomic<std::uint64_t> tail_{0};     ///< letters for which there were places so far
  std::atomic<std::uint32_t> filling_{0};  ///< threads with places; it rises under the writing lock
  alignas(64) std::mutex reading_;         ///< guards read_at_ and head_
  std::size_t read_at_ = 0;
  std::atomic<std::uint64_t> head_{0};  ///< letters taken so far; gives the slots back
};

}  // namespace perdure::runtime
