// runtime/include/perdure/placement.hpp - who sits where, and how far messages go.
// Why: where actors sit decides what a message between them costs; who would move them wants to see what it brought.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perdure {

/// Messages by how far they go: from the worker of their sender to that of their receiver.
struct tiers {
  std::uint64_t same_worker = 0;
  std::uint64_t same_cluster = 0;  ///< another worker of the block cluster
  std::uint64_t elsewhere = 0;     ///< any other worker

  std::uint64_t total() const { return same_worker + same_cluster + elsewhere; }
  /// The part that stays on its worker, 0..1; 0 if there are no messages.
  double share_of_own_worker() const { return share(same_worker); }
  double share(std::uint64_t part) const {
    return total() == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(total());
  }
};

struct placement_report {
  struct actor_type {
    std::string name;
    bool wide = false;                ///< never moved
    std::uint64_t actors = 0;         ///< slots given out, those of stopped actors too
    std::uint64_t moved = 0;          ///< by this rebalance()
    std::vector<std::uint64_t> at{};  ///< [worker] of `actors`
  };
  /// Of the messages seen, each counted where it is sent and where it is taken.
  struct worker_load {
    std::uint64_t before = 0, after = 0;
  };

  bool counted = false;  ///< options.placement is `counted`; else only `types` says something
  std::vector<actor_type> types;
  tiers sent;  ///< every message between actors since the last rebalance(), or the start
  std::uint64_t from_hosts = 0;  ///< messages that hosts sent, since then
  // of rebalance(): by the samples taken since the one before
  std::uint64_t samples = 0;  ///< that were kept: the last 4,096 of each worker
  tiers seen;                 ///< messages that the samples stand for, where actors sat
  tiers
      predicted;  ///< the same, where they sit now; too good where fewer samples than pairs that talk were had
  std::vector<worker_load> workers{};
  std::uint64_t kept = 0;  ///< actors that stay since a ctx.after() of theirs is pending

  /// A table for people.
  std::string text() const;
  /// One JSON object; members as here.
  std::string json() const;
};

}  // namespace perdure
