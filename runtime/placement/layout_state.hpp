// runtime/placement/layout_state.hpp - an assignment of nodes to workers under change: loads, rooms, what a move gains.
// Why: packing and refining ask the same questions of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "runtime/placement/partition.hpp"

namespace perdure::runtime {

/// The edges of each node, both ways.
class neighbours {
 public:
  struct end {
    std::uint32_t node;
    std::uint64_t messages;
  };
  explicit neighbours(const partition_problem& p);
  const end* begin_of(std::uint32_t node) const { return ends_.data() + first_[node]; }
  const end* end_of(std::uint32_t node) const { return ends_.data() + first_[node + 1]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<end> ends_;
};

/// For one node, or some: messages to each worker, only of workers that there are any to.
class pull {
 public:
  pull(std::uint32_t workers, std::uint32_t cluster)
      : to_(workers, 0), near_((workers + cluster - 1) / cluster, 0), cluster_{cluster} {}
  void add(std::uint32_t worker, std::uint64_t messages) {
    if (to_[worker] == 0) touched_.push_back(worker);
    to_[worker] += messages;
    near_[worker / cluster_] += messages;
  }
  void clear() {
    for (const std::uint32_t w : touched_) to_[w] = near_[w / cluster_] = 0;
    touched_.clear();
  }
  /// What it is worth to be at a worker: a message that stays there counts for eight that stay in its cluster.
  std::uint64_t worth(std::uint32_t worker) const {
    return (cluster_ == 1 ? 0 : near_[worker / cluster_]) + 8 * to_[worker];
  }
  const std::vector<std::uint32_t>& workers() const { return touched_; }

 private:
  std::vector<std::uint64_t> to_, near_;
  std::vector<std::uint32_t> touched_;
  std::uint32_t cluster_;
};

/// f(w) for each worker of the cluster that `worker` is in.
template <class F>
void each_near(const partition_problem& p, std::uint32_t worker, F f) {
  const std::uint32_t first = worker / p.cluster * p.cluster;
  for (std::uint32_t w = first; w < first + p.cluster && w < p.workers; ++w) f(w);
}

inline constexpr std::uint32_t nowhere = ~0U;

class layout_state {
 public:
  layout_state(const partition_problem& p, std::uint64_t bound);

  std::uint32_t worker_of(std::uint32_t node) const { return where_[node]; }
  std::uint64_t load(std::uint32_t worker) const { return load_[worker]; }
  std::uint64_t bound() const { return bound_; }
  bool has_room(std::uint32_t kind, std::uint32_t worker, std::uint32_t nodes = 1) const {
    return used_[kind][worker] + nodes <= p_.room[kind][worker];
  }
  void put(std::uint32_t node, std::uint32_t worker);  ///< which is nowhere
  void take(std::uint32_t node);
  /// Nodes of a kind at a worker, in an order that puts and takes decide.
  const std::vector<std::uint32_t>& there(std::uint32_t kind, std::uint32_t worker) const {
    return there_[std::size_t{kind} * p_.workers + worker];
  }
  /// Load beyond the bound, of all workers, and what the layout is worth.
  std::uint64_t overload() const;
  std::uint64_t worth() const;
  std::vector<std::uint32_t> result() && { return std::move(where_); }

 private:
  const partition_problem& p_;
  std::uint64_t bound_;
  std::vector<std::uint32_t> where_, at_;  ///< of each node: its worker, and where in there_
  std::vector<std::uint64_t> load_;
  std::vector<std::vector<std::uint32_t>> used_;
  std::vector<std::vector<std::uint32_t>> there_;
};

/// Puts all nodes that are nowhere: groups that talk to each other together. See pack.cpp.
void pack(const partition_problem& p, const neighbours& near, layout_state& to);
/// Moves and exchanges nodes as long as that gains. See refine.cpp.
void refine(const partition_problem& p, const neighbours& near, layout_state& of);

}  // namespace perdure::runtime
