// runtime/system/asks.hpp - requests under way; each ends in exactly one way.
// Why: reply, wrong reply, receiver down, timeout and cancellation race; whoever takes the entry out ends it.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "perdure/system_core.hpp"

namespace perdure::runtime {

class asks {
 public:
  struct entry {
    std::uint64_t reply_key;
    std::uint32_t reply_bytes;
    std::uint64_t deadline_ns;
    detail::on_reply done;
  };

  /// @return the number that travels with the request.
  std::uint32_t add(entry e) {
    std::lock_guard lock{mutex_};
    const std::uint32_t id = ++last_;
    open_.emplace(id, std::move(e));
    count_.store(open_.size(), std::memory_order_relaxed);
    return id;
  }
  /// Takes the entry out; empty if the ask has ended already. The caller calls `done`, exactly once.
  std::optional<entry> take(std::uint32_t id) {
    std::lock_guard lock{mutex_};
    auto at = open_.find(id);
    if (at == open_.end()) return std::nullopt;
    std::optional<entry> out{std::move(at->second)};
    open_.erase(at);
    count_.store(open_.size(), std::memory_order_relaxed);
    return out;
  }
  /// Takes out all whose time is up.
  std::vector<entry> take_expired(std::uint64_t now_ns) {
    std::vector<entry> out;
    if (count_.load(std::memory_order_relaxed) == 0) return out;
    std::lock_guard lock{mutex_};
    for (auto at = open_.begin(); at != open_.end();) {
      if (at->second.deadline_ns <= now_ns) {
        out.push_back(std::move(at->second));
        at = open_.erase(at);
      } else {
        ++at;
      }
    }
    count_.store(open_.size(), std::memory_order_relaxed);
    return out;
  }
  std::vector<entry> take_all() { return take_expired(~std::uint64_t{0}); }
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, entry> open_;
  std::uint32_t last_ = 0;
  std::atomic<std::size_t> count_{0};
};

}  // namespace perdure::runtime
