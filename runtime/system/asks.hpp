// runtime/system/asks.hpp - requests under way; each ends in exactly one way.
// Why: reply, wrong reply, receiver down, timeout and cancellation race; whoever takes the entry
//      out ends it. Threads that ask use different shards, and an entry's place is its number's low
//      bits: nothing is searched.
// Invariant: in a shard no two open asks have numbers that are equal modulo its places; number 0
//            means a free place.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "perdure/system_core.hpp"
#include "runtime/system/brief_mutex.hpp"
#include "runtime/system/thread_number.hpp"

namespace perdure::runtime {

/// What ends an ask, once. Whoever waits for the reply itself names a function and what it fills: to put that into its place
/// and out again takes a few moves, where a std::function is made, moved and called through twice.
class ask_ending {
 public:
  using fill = void (*)(void* what, const error* why, const void* bytes);

  ask_ending() = default;
  /// @param what  outlives the ask
  ask_ending(fill run, void* what) : run_{run}, what_{what} {}
  ask_ending(detail::on_reply done) : kept_{std::move(done)} {}

  void operator()(const error* why, const void* bytes) const {
    if (run_ != nullptr) {
      run_(what_, why, bytes);
    } else {
      kept_(why, bytes);
    }
  }

 private:
  fill run_ = nullptr;
  void* what_ = nullptr;
  detail::on_reply kept_{};
};

class asks {
 public:
  struct entry {
    std::uint64_t reply_key;
    std::uint32_t reply_bytes;
    std::uint64_t deadline_ns;  ///< `never`: whoever asked sees to that
    ask_ending done;
  };
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// @return the number that travels with the request.
  std::uint32_t add(entry e) {
    const std::uint32_t number = thread_number() % shards;
    shard& s = shards_[number];
    const std::lock_guard lock{s.mutex};
    const std::uint32_t in_shard = s.free_number();
    const std::uint64_t deadline = e.deadline_ns;
    place& p = s.at(in_shard);
    p.number = in_shard;
    p.open = std::move(e);
    s.set_count(s.count() + 1);
    if (deadline < s.next_look()) s.set_next_look(deadline);
    return in_shard * shards + number;
  }
  /// Takes the entry out; empty if the ask has ended already. The caller calls `done`, exactly
  /// once.
  std::optional<entry> take(std::uint32_t id) {
    shard& s = shards_[id % shards];
    const std::lock_guard lock{s.mutex};
    place& p = s.at(id / shards);
    if (id / shards == 0 || p.number != id / shards) return std::nullopt;
    return s.take(p);
  }
  /// Takes out all whose time is up, some of them a little later than at the first call after it: a
  /// shard is looked through no more often than it can be at small cost.
  std::vector<entry> take_expired(std::uint64_t now_ns) {
    std::vector<entry> out;
    for (shard& s : shards_) {
      if (s.count() == 0 || now_ns < s.next_look()) continue;
      const std::lock_guard lock{s.mutex};
      std::uint64_t soonest = never;
      for (place& p : s.places) {
        if (p.number == 0) continue;
        if (p.open.deadline_ns <= now_ns) {
          out.push_back(s.take(p));
        } else {
          soonest = std::min(soonest, p.open.deadline_ns);
        }
      }
      const std::uint64_t earliest =
          now_ns > never / 2 ? never : now_ns + s.places.size() * look_ns_a_place;
      s.set_next_look(std::max(soonest, earliest));
    }
    return out;
  }
  std::vector<entry> take_all() { return take_expired(never); }
  bool empty() const {
    return std::all_of(shards_.begin(), shards_.end(),
                       [](const shard& s) { return s.count() == 0; });
  }

 private:
  static constexpr std::uint32_t shards = 16;
  static constexpr std::uint32_t last_number = ~std::uint32_t{0} / shards;
  static constexpr std::uint64_t look_ns_a_place = 32;

  struct place {
    std::uint32_t number = 0;
    entry open{};
  };
  struct alignas(64) shard {
    mutable brief_mutex mutex;
    std::vector<place> places = std::vector<place>(64);  ///< a power of two of them
    std::uint32_t last = 0;                              ///< number given

    place& at(std::uint32_t number) { return places[number & (places.size() - 1)]; }
    /// A number whose place is free. Numbers come back after 2^28 asks of a shard.
    std::uint32_t free_number() {
      if (count() * 2 >= places.size()) grow();
      do {
        last = last == last_number ? 1 : last + 1;
      } while (at(last).number != 0);
      return last;
    }
    void grow() {
      std::vector<place> old(places.size() * 2);
      old.swap(places);
      for (place& p : old) {
        if (p.number != 0) at(p.number) = std::move(p);
      }
    }
    entry take(place& p) {
      p.number = 0;
      set_count(count() - 1);
      return std::move(p.open);
    }
    // both relaxed, and read without the lock as hints: a stale one is read again by the next call
    std::size_t count() const { return count_.load(std::memory_order_relaxed); }
    void set_count(std::size_t n) { count_.store(n, std::memory_order_relaxed); }
    std::uint64_t next_look() const { return next_look_.load(std::memory_order_relaxed); }
    void set_next_look(std::uint64_t ns) { next_look_.store(ns, std::memory_order_relaxed); }

   private:
    std::atomic<std::size_t> count_{0};
    std::atomic<std::uint64_t> next_look_{never};
  };

  std::array<shard, shards> shards_;
};

}  // namespace perdure::runtime
