// runtime/include/perdure/seats.hpp - where actors should sit that will be linked, before they are made.
// Why: a wide actor is never moved, as its links lie where it is; who declares its links first can be put beside those it
//      talks to, on one worker or in one block cluster, whose links go through shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perdure/placement.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"

namespace perdure {

/// Two actors that will be linked, by numbers of the caller's own from 0 on. Named twice, or in both directions: it adds up.
struct declared_link {
  std::uint32_t a = 0, b = 0;
  std::uint64_t messages = 1;  ///< how much it weighs
};

/// A permutation: which index of its range each numbered actor has, and who has an index.
///
///     auto at = perdure::seats(n, pairs, sys.layout()).value();
///     auto tiles = sys.spawn<tile>(n, [&](std::size_t i) { return make(at.who(i)); }).value();
///     sys.link(tiles[at.of(0)], out, tiles[at.of(1)], in);
class seating {
 public:
  seating() = default;
  /// @param of  [number] its index: a permutation
  explicit seating(std::vector<std::uint32_t> of);

  std::size_t size() const { return of_.size(); }
  std::size_t of(std::size_t number) const { return of_[number]; }
  std::size_t who(std::size_t index) const { return who_[index]; }
  /// How far declared messages go if actors sit so, and if the number is the index.
  tiers sent, in_order;

 private:
  std::vector<std::uint32_t> of_, who_;
};

/// Seats for `count` actors of one type, of which none has been made before: index i goes to worker i mod workers. If some have
/// been made, all move on by as many workers: who shares a worker still does, clusters may be cut elsewhere.
/// Each worker gets as many as it would in order, and all sit in order where nothing is gained. Few messages between clusters first, then few between workers of one.
/// Takes seconds for a million actors; any thread.
/// @param where  of the system, from layout(): its workers and how many are a cluster
/// @return the seats, or bad_option: a link names an actor from `count` on, or one and itself
result<seating> seats(std::uint32_t count, std::span<const declared_link> links,
                      const layout_report& where);

}  // namespace perdure
