// apps/txmon/accounts.hpp - account names to dense ids, in order of first appearance.
// Why: an actor range is indexed; the same input gives the same ids on every machine.
// Invariant: ids are 0 .. size()-1 and never change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace txmon {

class accounts {
 public:
  std::uint32_t id_of(std::string_view name) {
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(names_.size());
    ids_.emplace(names_.emplace_back(name), id);
    return id;
  }
  const std::string& name_of(std::uint32_t id) const { return names_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }

 private:
  std::deque<std::string> names_;  // a deque: the keys below point into it
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace txmon
