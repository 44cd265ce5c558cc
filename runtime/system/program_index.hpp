// runtime/system/program_index.hpp - finds a program's ids by the keys that the facade and handlers use.
// Why: a handler's send on the CPU costs one probe of a small table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "perdure/program.hpp"

namespace perdure::runtime {

/// 64-bit key -> small id; built once, read by all threads.
class key_table {
 public:
  static constexpr std::uint32_t none = ~0U;

  template <class Rows>
  explicit key_table(const Rows& rows) {
    std::size_t slots = 4;
    while (slots < rows.size() * 2 + 2) slots *= 2;
    keys_.assign(slots, 0);
    ids_.assign(slots, none);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      std::size_t at = place(rows[i].key);
      while (ids_[at] != none) at = (at + 1) & (keys_.size() - 1);
      keys_[at] = rows[i].key;
      ids_[at] = i;
    }
  }
  std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = place(key); ids_[at] != none; at = (at + 1) & (keys_.size() - 1)) {
      if (keys_[at] == key) return ids_[at];
    }
    return none;
  }

 private:
  std::size_t place(std::uint64_t key) const { return (key ^ key >> 32U) & (keys_.size() - 1); }
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> ids_;
};

/// A program with its tables made searchable.
struct program_index {
  explicit program_index(const program& p)
      : of{p}, actors{p.actors}, messages{p.messages}, handlers{p.handlers}, places(1) {
    for (const actor_info& a : p.actors) {
      places_of_actor& one = places.emplace_back();
      if (a.wide == nullptr || a.wide->privates.empty()) continue;
      one.first_marker = a.wide->privates[0].offset;
      for (const private_info& v : a.wide->privates) {
        one.of_marker.resize(v.offset - one.first_marker + 1);
        one.of_marker.back() = v.place;
      }
    }
  }
  /// Where the per_lane values of a wide actor lie: bytes a lane before each, by the offset of its marker.
  struct places_of_actor {
    std::uint32_t first_marker = 0;
    std::vector<std::size_t> of_marker;
  };
  const program& of;
  key_table actors;  ///< -> index; the type id is index + 1
  key_table messages;
  key_table handlers;
  std::vector<places_of_actor> places;  ///< by actor type id
};

}  // namespace perdure::runtime
