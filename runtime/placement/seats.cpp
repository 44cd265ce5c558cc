// runtime/placement/seats.cpp - see perdure/seats.hpp: a partition into clusters, then of each into its workers.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/seats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "runtime/placement/partition.hpp"

namespace perdure {
namespace {

using runtime::partition_edge;
using runtime::partition_problem;

/// Some of the actors, and the parts that they go to: clusters, or the workers of one.
struct division {
  std::vector<std::uint32_t> members;  ///< numbers, ascending
  std::vector<std::uint32_t> room;     ///< [part]; together as many as members
};

/// @param edges  of all actors
/// @return [part] members, ascending
std::vector<std::vector<std::uint32_t>> divide(const division& d,
                                               std::span<const partition_edge> edges,
                                               std::size_t actors) {
  constexpr std::uint32_t elsewhere = ~0U;
  if (d.room.size() == 1) return {d.members};
  partition_problem p;
  p.workers = static_cast<std::uint32_t>(d.room.size());
  p.room = {d.room};
  std::vector<std::uint32_t> node_of(actors, elsewhere);
  std::uint32_t part = 0, left = d.room[0];  // as they are: in order
  for (const std::uint32_t member : d.members) {
    while (left == 0) left = d.room[++part];
    --left;
    node_of[member] = static_cast<std::uint32_t>(p.nodes.size());
    p.nodes.push_back({0, part, 1});
  }
  for (const partition_edge& e : edges) {
    const std::uint32_t a = node_of[e.a], b = node_of[e.b];
    if (a != elsewhere && b != elsewhere)
      p.edges.push_back({std::min(a, b), std::max(a, b), e.messages});
  }
  const auto where = partition(p);
  std::vector<std::vector<std::uint32_t>> out(d.room.size());
  for (std::size_t n = 0; n < where.size(); ++n) out[where[n]].push_back(d.members[n]);
  return out;
}

/// Indices below `count` of each worker.
std::vector<std::uint32_t> rooms(std::uint32_t count, std::uint32_t workers) {
  std::vector<std::uint32_t> room(workers, count / workers);
  for (std::uint32_t w = 0; w < count % workers; ++w) ++room[w];
  return room;
}

result<std::vector<partition_edge>> edges_of(std::uint32_t count,
                                             std::span<const declared_link> links) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sum;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const declared_link& l = links[i];
    if (std::max(l.a, l.b) >= count || l.a == l.b) {
      return error{
          errc::bad_option,
          fmt::format("declared link {} is between actors {} and {}; expected two of 0..{}", i, l.a,
                      l.b, std::int64_t{count} - 1)};
    }
    sum[std::minmax(l.a, l.b)] += l.messages;
  }
  std::vector<partition_edge> edges;
  for (const auto& [pair, messages] : sum) edges.push_back({pair.first, pair.second, messages});
  return edges;
}

template <class Index>
tiers how_far(std::span<const partition_edge> edges, const layout_report& where, Index index) {
  tiers out;
  for (const partition_edge& e : edges) {
    const auto a = index(e.a) % where.workers, b = index(e.b) % where.workers;
    (a == b                                   ? out.same_worker
     : a / where.cluster == b / where.cluster ? out.same_cluster
                                              : out.elsewhere) += e.messages;
  }
  return out;
}

}  // namespace

seating::seating(std::vector<std::uint32_t> of) : of_{std::move(of)}, who_(of_.size()) {
  for (std::uint32_t n = 0; n < of_.size(); ++n) who_[of_[n]] = n;
}

result<seating> seats(std::uint32_t count, std::span<const declared_link> links,
                      const layout_report& where) {
  const auto edges = edges_of(count, links);
  if (!edges) return edges.error();
  const auto room = rooms(count, where.workers);
  const auto of_cluster = [&](std::size_t c) {
    const std::size_t first = c * where.cluster;
    return std::span{room}.subspan(first,
                                   std::min<std::size_t>(where.cluster, room.size() - first));
  };
  division all;
  all.members.resize(count);
  std::iota(all.members.begin(), all.members.end(), 0U);
  for (std::size_t c = 0; c * where.cluster < room.size(); ++c)
    all.room.push_back(std::accumulate(of_cluster(c).begin(), of_cluster(c).end(), 0U));

  std::vector<std::uint32_t> of(count);
  const auto clusters = divide(all, *edges, count);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const auto inside = of_cluster(c);
    const auto workers = divide({clusters[c], {inside.begin(), inside.end()}}, *edges, count);
    for (std::size_t w = 0; w < workers.size(); ++w) {
      auto index = static_cast<std::uint32_t>(c * where.cluster + w);
      for (const std::uint32_t member : workers[w]) {
        of[member] = index;
        index += where.workers;
      }
    }
  }
  const auto near = [](const tiers& t) { return std::pair{t.elsewhere, t.same_cluster}; };
  const tiers in_order = how_far(*edges, where, [](std::size_t n) { return n; });
  tiers sent = how_far(*edges, where, [&](std::size_t n) { return of[n]; });
  if (near(in_order) <= near(sent)) {
    std::iota(of.begin(), of.end(), 0U);
    sent = in_order;
  }
  seating out{std::move(of)};
  out.sent = sent;
  out.in_order = in_order;
  return out;
}

}  // namespace perdure
