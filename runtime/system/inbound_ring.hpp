// runtime/system/inbound_ring.hpp - a worker's ring, taken in by one thread at a time.
// Why: several threads take in side by side, each another ring; a batch's letters go to their
//      mailboxes sorted by mailbox, one lock a mailbox; and a thread that waits at an empty mailbox
//      gets its letters straight from the ring.
// Invariant: letters of one ring to one mailbox are put in ring order, since an actor sends through
//            one ring only: what a full mailbox refused is put before anything behind it is read,
//            and stays in the ring until then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "runtime/bridge/ring_reader.hpp"
#include "runtime/system/host_clock.hpp"
#include "runtime/system/mailboxes.hpp"

namespace perdure::runtime {

/// How a ring is taken in: in passing, some batches of it unless somebody is at it; or whole, all that is there by then, also
/// what another thread has read and not delivered yet.
enum class intake { passing, whole };

/// A thread inside receive(): the mailbox it waits at, and where it wants the letters.
struct waiting_reader {
  std::uint32_t name;
  mailbox_queue& box;
  letter_sink sink;
};

class alignas(64) inbound_ring {
 public:
  inbound_ring(const loop::word* words, loop::line_counter* head, std::uint32_t shift)
      : ring_{words, head, shift} {}

  /// Whether a visit is worth it: a hint. @threads any
  bool promising() const {
    // relaxed: whoever is wrong about it looks again
    return !busy_.load(std::memory_order_relaxed) &&
           (refused_.load(std::memory_order_relaxed) || ring_.ready());
  }

  /// Whether a quarter of it waits, and not for a full mailbox: then its worker may soon have to, too. A hint. @threads any
  bool crowded() const {
    return !busy_.load(std::memory_order_relaxed) && !refused_.load(std::memory_order_relaxed) &&
           ring_.holds(ring_.capacity() / 4);
  }

  /// Whether nothing is left to take in and nobody is about to deliver anything. @threads any
  /// @memory  asked in this order: who has passed the words that are not there any more is still at it, or has delivered them.
  bool quiet() const {
    if (ring_.ready()) return false;
    // acquire: pairs with the release in ~leaving(); what the last visitor took is delivered or refused, and who sent it is
    // behind us
    return !busy_.load(std::memory_order_acquire) && !refused_.load(std::memory_order_relaxed);
  }
  /// Words that have been read. @threads any; exact where nobody is at it.
  std::uint64_t passed() const { return ring_.passed(); }
  /// Letters to mailboxes that are closed, so far. Those of a visit count before it ends. @threads any
  std::uint64_t homeless() const { return homeless_.load(std::memory_order_relaxed); }

  /// Takes in what is there.
  /// @param own    the calling thread's wish for letters, or null; it may be given some of them
  ///               directly.
  /// @param other  (const inbound_message&, std::uint64_t stamp), for all but letters; the ring is
  ///               locked meanwhile.
  /// @param how    `whole`: waits until nobody is at it, and ends when all that was there then is taken in, or waits for a
  ///               full mailbox, or `own` has all that it wants.
  /// @return whether a message left the ring.
  /// @threads any; in passing it never waits but for a mailbox's lock.
  template <class Other>
  bool visit(const mailboxes& boxes, host_clock& clock, std::uint64_t wall, waiting_reader* own,
             Other other, intake how = intake::passing) {
    // acquire: pairs with the release in ~leaving(); the ring's position and what it holds back are
    // the last visitor's
    while (busy_.exchange(true, std::memory_order_acquire)) {
      if (how == intake::passing) return false;
      std::this_thread::yield();
    }
    const leaving end{*this};
    bool moved = false;
    const std::uint64_t behind_all = ring_.position() + ring_.capacity();
    for (std::uint32_t turn = 0;
         how == intake::passing ? turn < batches_a_visit : ring_.position() < behind_all; ++turn) {
      batch b;
      const bool again = !held_back_.empty();
      std::uint32_t seen = 0;
      bool cut = false;
      const bool direct =
          own != nullptr && own->sink.room != 0 && own->box.is(own->name) && own->box.empty();
      if (again) {
        b.assign(held_back_);
      } else {
        seen = read(b, clock, wall, direct ? own : nullptr, other, cut);
        moved |= seen != 0;
      }
      const std::size_t before = held_back_.size();
      held_back_.clear();
      deliver(b, boxes, direct ? own : nullptr);
      if (again && held_back_.size() != before) moved = true;
      publish(false);
      if (!held_back_.empty() || (!again && !cut && seen < batch::most)) break;
      if (own != nullptr && own->sink.room == 0) break;
    }
    return moved;
  }

 private:
  static constexpr std::uint32_t batches_a_visit = 8;

  /// The end of a visit, however it comes to that.
  struct leaving {
    inbound_ring& ring;
    ~leaving() {
      ring.publish(true);
      ring.refused_.store(!ring.held_back_.empty(), std::memory_order_relaxed);
      // release: pairs with the exchange in visit(); the next visitor goes on where this one
      // stopped
      ring.busy_.store(false, std::memory_order_release);
    }
  };

  /// A letter that was seen in the ring and is still there.
  struct letter {
    std::uint64_t at, sender, stamp;
    std::uint32_t box;
    std::uint16_t message, next, words;
  };
  /// Letters in ring order, chained by the low bits of their mailboxes' places.
  struct batch {
    /// So many that a lock of one of eight mailboxes is taken for some 64 letters: docs/adr/014.
    static constexpr std::uint32_t most = 512, chains = 16;
    static constexpr std::uint16_t none = 0xffff;
    std::uint32_t count = 0;
    std::uint16_t first[chains], last[chains];
    letter letters[most];

    batch() {
      for (std::uint16_t& f : first) f = none;
    }
    void add(const letter& l) {
      const std::uint32_t chain = l.box % chains;
      const auto i = static_cast<std::uint16_t>(count++);
      letters[i] = l;
      letters[i].next = none;
      (first[chain] == none ? first[chain] : letters[last[chain]].next) = i;
      last[chain] = i;
    }
    void assign(const std::vector<letter>& all) {
      for (const letter& l : all) add(l);
    }
  };

  /// @param cut  set if it ended before something that is no letter: that comes after those are delivered.
  /// @return how many messages were passed.
  template <class Other>
  std::uint32_t read(batch& b, host_clock& clock, std::uint64_t wall, const waiting_reader* own,
                     Other& other, bool& cut) {
    std::size_t own_room = own == nullptr ? 0 : own->sink.room;
    const std::uint64_t local = clock.local(wall);
    std::uint64_t latest = 0;
    std::uint32_t seen = 0;
    for (inbound_sight s; seen < batch::most && ring_.see(s); ++seen) {
      const std::uint64_t stamp = clock.arrival(s.wire_clock, local, wall);
      if (s.kind() == abi::host_kind::mailbox) {
        if (own != nullptr && s.index() == own->name && own_room-- == 0) break;
        b.add({s.at, abi::sender_of(s.first), stamp, s.index(),
               static_cast<std::uint16_t>(s.message()), 0, static_cast<std::uint16_t>(s.words)});
        if (stamp > latest) latest = stamp;
      } else {
        if (b.count != 0) {  // nothing of an actor overtakes its letters
          cut = true;
          break;
        }
        inbound_message m;
        ring_.unpack(s, m);
        clock.merge(stamp);
        other(m, stamp);
      }
      ring_.pass(s);
    }
    // receiving is an event: before any thread can see a letter, so that what it then does comes
    // after
    if (latest != 0) clock.merge(latest);
    return seen;
  }

  void deliver(batch& b, const mailboxes& boxes, waiting_reader* own) {
    if (b.count == 0) return;
    for (const std::uint16_t first : b.first) {
      for (std::uint16_t i = first; i != batch::none;) {
        const std::uint32_t name = b.letters[i].box;
        if (own != nullptr && name == own->name) {
          i = hand_over(b, i, *own);
        } else {
          i = put(b, i, boxes.find(name));
        }
        if (i == batch::none || b.letters[i].box != name) continue;
        // the rest of the chain waits too, so that nothing can overtake
        for (; i != batch::none; i = b.letters[i].next) held_back_.push_back(b.letters[i]);
      }
    }
  }
  /// Both: from letter `i` on those of its mailbox that follow each other. @return the first that
  /// was not delivered.
  std::uint16_t hand_over(batch& b, std::uint16_t i, waiting_reader& own) {
    alignas(16) unsigned char payload[ring_reader::unpacked_bytes(abi::max_words)];
    for (; i != batch::none; i = b.letters[i].next) {
      const letter& l = b.letters[i];
      if (l.box != own.name || own.sink.room == 0) break;
      unsigned char* to = payload;
      if (l.words > abi::max_words) {
        long_payload_.resize(ring_reader::unpacked_bytes(l.words));
        to = long_payload_.data();
      }
      ring_.unpack(l.at, l.words, to);
      own.sink.put(l.message, to, l.sender, l.stamp);
    }
    return i;
  }
  std::uint16_t put(batch& b, std::uint16_t i, mailbox_queue* box) {
    const std::uint32_t name = b.letters[i].box;
    std::size_t run = 0;
    std::uint16_t behind = i;
    for (; behind != batch::none && b.letters[behind].box == name; behind = b.letters[behind].next)
      ++run;
    if (box == nullptr) {
      homeless_.fetch_add(run, std::memory_order_relaxed);
      return behind;
    }
    mailbox_queue::places to{*box, name, run};
    if (!to.open()) {
      homeless_.fetch_add(run, std::memory_order_relaxed);
      return behind;
    }
    for (std::size_t n = to.count(); n != 0; --n, i = b.letters[i].next) {
      const letter& l = b.letters[i];
      to.put(ring_, l.at, l.words, l.message, l.sender, l.stamp);
    }
    return i;
  }

  /// Gives words back: all at the end of a visit, else by quarters of the ring.
  void publish(bool end) {
    std::uint64_t until = ring_.position();
    for (const letter& l : held_back_) until = l.at < until ? l.at : until;
    const std::uint64_t more = until - ring_.published();
    if (more >= (end ? 1 : ring_.capacity() / 4)) ring_.publish(until);
  }

  std::atomic<bool> busy_{false};     ///< the lock; only ever tried
  std::atomic<bool> refused_{false};  ///< a hint that held_back_ has something
  std::atomic<std::uint64_t> homeless_{0};
  ring_reader ring_;
  std::vector<unsigned char> long_payload_;  ///< of a letter that is handed over
  std::vector<letter> held_back_;  ///< for full mailboxes; those of one chain in ring order
};

}  // namespace perdure::runtime
