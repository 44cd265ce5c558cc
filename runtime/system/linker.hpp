// runtime/system/linker.hpp - makes links between wide actors: checks them, gives them memory, writes both ends.
// Why: a link is two ends in two slots and words between them; nobody else must know how they find each other.
// Invariant: a port has at most one link a direction; ends are written only while the workers are paused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "perdure/system_core.hpp"
#include "runtime/system/spawner.hpp"

namespace perdure::runtime {

class linker {
 public:
  linker(engine& e, segment& s, const program_index& index, spawner& places)
      : engine_{e}, segment_{s}, index_{index}, spawner_{places} {}

  struct plan_of_link {
    detail::link_request request;
    std::uint32_t message;
  };
  /// Checks all of them; changes nothing. @return what to do, or bad_link, null_ref, foreign_ref, receiver_down.
  result<std::vector<plan_of_link>> plan(std::span<const detail::link_request> links) const;
  /// Makes them. The workers are paused. @return receiver_down if an actor has stopped, too_many_actors if the arena
  ///         cannot hold them, bad_link if a worker's list or its room on chip cannot: none is made then.
  result<void> carry_out(const std::vector<plan_of_link>& links);

 private:
  /// An actor's port in one direction.
  struct port_key {
    std::uint64_t actor;
    std::uint32_t port;
    bool in;
    auto operator<=>(const port_key&) const = default;
  };
  const actor_info& info_of(std::uint64_t bits) const;
  result<void> check_end(std::uint64_t bits, std::uint32_t port, bool in) const;
  result<void> check_alive(std::uint64_t bits) const;
  /// Whether the workers' lists have room for those that are not in them yet.
  result<void> check_lists(const std::vector<plan_of_link>& links) const;
  /// What the messages at an actor's ports take on chip.
  struct port_bytes {
    std::uint32_t in = 0, out = 0;
  };
  using bytes_of_actors = std::map<std::uint64_t, port_bytes>;
  /// The same with these links, if workers have room for that.
  result<bytes_of_actors> room_with(const std::vector<plan_of_link>& links) const;
  result<plan_of_link> plan_one(const detail::link_request& r, std::set<port_key>& fresh) const;
  /// Both ends in words, in front of what is wrong with them.
  error about(const detail::link_request& r, const error& why) const;
  std::string name_of(std::uint64_t bits, std::uint32_t port) const;
  result<std::uint32_t> check_types(const detail::link_request& r) const;
  result<void> make(const plan_of_link& l, std::byte* words, std::byte* taken);
  result<void> add_linked(std::uint64_t bits);
  std::uint32_t worker_of(std::uint64_t bits) const;
  /// Offset on chip of room for `bytes` at a worker, 0 if there is none left.
  std::uint32_t take_chip(std::uint32_t worker, std::uint32_t bytes);

  engine& engine_;
  segment& segment_;
  const program_index& index_;
  spawner& spawner_;
  std::set<port_key> taken_;
  std::set<std::uint64_t> listed_;        ///< actors in their worker's list
  std::vector<std::uint32_t> linked_;     ///< [workers] entries in that list
  std::vector<std::uint32_t> chip_used_;  ///< [workers] bytes
  bytes_of_actors port_bytes_;
};

}  // namespace perdure::runtime
