// runtime/system/mailbox_queue.hpp - one host mailbox: a bounded ring of records.
// Why: writers and readers have a lock each, so that who reads letters never waits for who brings
//      them; and a letter is one copy into memory that is already there.
// Invariant: head <= tail <= head + capacity; slots between them hold whole records; a closed queue
//            has name 0 and no slots. Both locks are held to open, close and rewind.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

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
    // not touched: a page that no letter ever needed costs nothing
    slots fresh{static_cast<std::byte*>(::operator new(capacity * stride, line, std::nothrow))};
    if (!fresh) return false;
    const std::scoped_lock both{writing_, reading_};
    slots_ = std::move(fresh);
    capacity_ = capacity;
    stride_ = stride;
    words_ = words;
    write_at_ = read_at_ = 0;
    head_.store(0, std::memory_order_relaxed);
    tail_.store(0, std::memory_order_relaxed);
    name_.store(name, std::memory_order_release);
    return true;
  }
  void close(std::uint32_t name) {
    const std::scoped_lock both{writing_, reading_};
    if (!is(name)) return;
    name_.store(0, std::memory_order_relaxed);
    head_.store(tail_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    slots_.reset();
  }
  /// Whether it is open under that name: a hint without a lock, certain with one.
  bool is(std::uint32_t name) const { return name_.load(std::memory_order_acquire) == name; }
  /// Whether all that this thread knows to have been put has been taken.
  bool empty() const {
    // acquire: what was taken before is behind us; a tail that is stale misses letters of other
    // threads only
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire);
  }

  /// Appends letters one by one; they can be read when the writer dies.
  class writer {
   public:
    writer(mailbox_queue& q, std::uint32_t name)
        : q_{q},
          lock_{q.writing_},
          open_{q.is(name)},
          tail_{q.tail_.load(std::memory_order_relaxed)} {
      // acquire: pairs with take()'s release; the slots before head are no longer read
      const std::uint64_t used = tail_ - q.head_.load(std::memory_order_acquire);
      room_ = open_ ? q.capacity_ - used : 0;
    }
    /// @memory  release: the records are there before the tail says so.
    ~writer() { q_.tail_.store(tail_, std::memory_order_release); }
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    bool open() const { return open_; }
    bool full() const { return room_ == 0; }
    /// Only if open and not full. A message longer than any that the mailbox is for is cut.
    void put(const ring_reader& from, std::uint64_t at, std::uint32_t words, std::uint32_t message,
             std::uint64_t sender, std::uint64_t stamp) {
      std::byte* slot = q_.slots_.get() + q_.write_at_ * q_.stride_;
      ::new (slot) record{sender, stamp, message, 0};
      from.unpack(at, words < q_.words_ ? words : q_.words_, slot + sizeof(record));
      if (++q_.write_at_ == q_.capacity_) q_.write_at_ = 0;
      ++tail_;
      --room_;
    }

   private:
    mailbox_queue& q_;
    std::unique_lock<std::mutex> lock_;
    bool open_;
    std::uint64_t tail_;
    std::size_t room_;
  };

  /// Moves letters to `to`, oldest first, until one of them is used up. @return false if it is not
  /// open by that name.
  bool take(std::uint32_t name, letter_sink& to) {
    if (is(name) && empty()) return true;
    const std::unique_lock lock{reading_};
    if (!is(name)) return false;
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    // acquire: pairs with the writer's release; the records are there
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    while (head != tail && to.room != 0) {
      const std::byte* slot = slots_.get() + read_at_ * stride_;
      const auto* r = std::launder(reinterpret_cast<const record*>(slot));
      to.put(r->message, slot + sizeof(record), r->sender, r->stamp);
      if (++read_at_ == capacity_) read_at_ = 0;
      ++head;
    }
    // release: pairs with the writer's acquire; the slots have been read
    head_.store(head, std::memory_order_release);
    if (head == tail && read_at_ * stride_ > rewind_bytes) rewind();
    return true;
  }

 private:
  struct record {
    std::uint64_t sender, stamp;
    std::uint32_t message, unused;
  };
  static constexpr std::align_val_t line{64};
  static constexpr std::size_t most_bytes = std::size_t{1} << 46U;
  static constexpr std::size_t rewind_bytes = std::size_t{128} << 10U;
  struct free_slots {
    void operator()(std::byte* at) const { ::operator delete(at, line); }
  };
  using slots = std::unique_ptr<std::byte, free_slots>;

  /// Begins again where the memory is warm, if it is still empty. The reading lock is held.
  void rewind() {
    const std::unique_lock lock{writing_, std::try_to_lock};
    if (lock && empty()) write_at_ = read_at_ = 0;
  }

  slots slots_;
  std::size_t capacity_ = 0, stride_ = 0;
  std::uint32_t words_ = 0;             ///< of the longest message
  std::atomic<std::uint32_t> name_{0};  ///< 0: closed; written under both locks
  alignas(64) std::mutex writing_;      ///< guards write_at_ and tail_
  std::size_t write_at_ = 0;
  std::atomic<std::uint64_t> tail_{0};  ///< letters put so far; publishes the records
  alignas(64) std::mutex reading_;      ///< guards read_at_ and head_
  std::size_t read_at_ = 0;
  std::atomic<std::uint64_t> head_{0};  ///< letters taken so far; gives the slots back
};

}  // namespace perdure::runtime
