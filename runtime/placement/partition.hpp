// runtime/placement/partition.hpp - which worker each actor should be at, from the traffic between them.
// Why: a message within a worker never leaves the chip; who sits where decides how many of them there are.
// Invariant: a function of its argument alone: the same problem has the same answer everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace perdure::runtime {

struct partition_node {
  std::uint32_t kind;    ///< nodes of one kind may change places with each other
  std::uint32_t worker;  ///< where it is
  std::uint64_t load;    ///< messages that it sends and takes
  bool fixed = false;    ///< it stays there
};
struct partition_edge {
  std::uint32_t a, b;  ///< nodes, a < b; a pair stands here once
  std::uint64_t messages;
};
struct partition_problem {
  std::uint32_t workers = 1;
  std::uint32_t cluster = 1;  ///< workers c * cluster .. (c + 1) * cluster - 1 are near each other
  std::vector<partition_node> nodes;
  std::vector<partition_edge> edges;
  /// [kind][worker]: how many nodes a worker can have; no fewer than those that are there.
  std::vector<std::vector<std::uint32_t>> room;
};

/// What a worker's load should not exceed: a tenth over the average, or the average and the largest load that is no more
/// than half of it: few heavy actors cannot be spread more evenly than that. Whoever has more alone is left alone.
std::uint64_t load_bound(const partition_problem& p);

/// The worker of each node: most messages within workers first, then within clusters, no worker over load_bound() where
/// that can be had. Nodes stay where they are unless that makes things better, by at least a fiftieth of all messages if
/// everything is laid out anew.
/// @source  joining the heaviest edges first as in Kruskal's algorithm, then moves and exchanges of single nodes that gain
///          after Kernighan and Lin, 1970, and Fiduccia and Mattheyses, 1982.
std::vector<std::uint32_t> partition(const partition_problem& p);

}  // namespace perdure::runtime
