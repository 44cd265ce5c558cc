// apps/txmon/accounts.hpp - account names to dense ids, and back.
// Why: an actor range is indexed; ingest threads meet new names side by side.
// Invariant: ids are 0 .. size()-1 and never change; every member may be called from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace txmon {

inline constexpr std::size_t longest_name = 40;

/// Such names stand in alerts as they are: nothing in them means anything to JSON or to a terminal.
inline bool is_account_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= longest_name &&
         std::all_of(text.begin(), text.end(), fits);
}
/// What is_account_name() wants, for messages.
inline std::string account_name_rule() {
  return "an account name of 1 to " + std::to_string(longest_name) +
         " letters, digits, '-', '_' or '.', such as C1231006815";
}

class accounts {
 public:
  /// Ids 0 .. count-1 exist from the start and are called A0, A1, ...
  void number(std::uint32_t count) {
    const std::unique_lock lock{mutex_};
    numbered_ = count;
  }
  /// The id of this name; a new one if it was never seen. Not for numbered accounts.
  std::uint32_t id_of(std::string_view name) {
    {
      const std::shared_lock lock{mutex_};
      if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    }
    const std::unique_lock lock{mutex_};
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(names_.size());
    ids_.emplace(names_.emplace_back(name), id);
    return id;
  }
  std::string name_of(std::uint32_t id) const {
    const std::shared_lock lock{mutex_};
    return numbered_ > 0 ? "A" + std::to_string(id) : names_[id];
  }
  std::uint32_t size() const {
    const std::shared_lock lock{mutex_};
    return numbered_ > 0 ? numbered_ : static_cast<std::uint32_t>(names_.size());
  }
  bool numbered() const {
    const std::shared_lock lock{mutex_};
    return numbered_ > 0;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> names_;  // a deque: the keys below point into it
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::uint32_t numbered_ = 0;
};

}  // namespace txmon
