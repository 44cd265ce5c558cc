// runtime/placement/plan.cpp - see plan.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement/plan.hpp"

#include <algorithm>
#include <tuple>

#include "kernels/abi/ref_bits.cuh"
#include "runtime/placement/partition.hpp"

namespace perdure::runtime {
namespace {

/// Type above, index below: an actor as long as it lives, and whoever has its slot later.
std::uint64_t key_of(std::uint64_t ref) {
  return std::uint64_t{abi::ref_type(ref)} << 32U | abi::ref_index(ref);
}
std::uint32_t type_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32U); }
std::uint32_t index_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

class planner {
 public:
  planner(std::uint32_t workers, std::uint32_t cluster, std::span<const placed_type> types)
      : workers_{workers}, types_{types} {
    problem_.workers = workers;
    problem_.cluster = cluster;
    for (const placed_type& t : types) {
      auto& room = problem_.room.emplace_back(workers);
      for (std::uint32_t w = 0; w < workers; ++w)
        room[w] = t.actors / workers + (w < t.actors % workers ? 1 : 0);
    }
  }

  void see(std::span<const seen_traffic> seen, std::span<const std::uint64_t> kept) {
    std::vector<seen_traffic> known;
    for (const seen_traffic& s : seen)
      if (exists(s.sender) && exists(s.receiver)) known.push_back(s);
    for (const seen_traffic& s : known) {
      keys_.push_back(key_of(s.sender));
      keys_.push_back(key_of(s.receiver));
    }
    for (const std::uint64_t ref : kept)
      if (exists(ref)) keys_.push_back(key_of(ref));
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    for (const std::uint64_t key : keys_) {
      const std::uint32_t type = type_of(key);
      problem_.nodes.push_back({type, place_of(key) % workers_, 0, types_[type].stays});
    }
    for (const std::uint64_t ref : kept)
      if (exists(ref)) problem_.nodes[node_of(ref)].fixed = true;
    for (const seen_traffic& s : known) add(node_of(s.sender), node_of(s.receiver), s.messages);
    merge_edges();
  }

  placement_plan plan() {
    placement_plan out;
    out.places.resize(types_.size());
    out.moved.resize(types_.size(), 0);
    out.load_before.resize(workers_, 0);
    out.load_after.resize(workers_, 0);
    const std::vector<std::uint32_t> now = partition(problem_);
    for (std::size_t n = 0; n < now.size(); ++n) {
      out.load_before[problem_.nodes[n].worker] += problem_.nodes[n].load;
      out.load_after[now[n]] += problem_.nodes[n].load;
    }
    out.before[0] = out.after[0] = to_self_;
    for (const partition_edge& e : problem_.edges) {
      out.before[far(problem_.nodes[e.a].worker, problem_.nodes[e.b].worker)] += e.messages;
      out.after[far(now[e.a], now[e.b])] += e.messages;
    }
    for (std::size_t first = 0; first < keys_.size();) {  // nodes of one type stand in a row
      const std::uint32_t type = type_of(keys_[first]);
      std::size_t last = first;
      bool same = true;
      for (; last < keys_.size() && type_of(keys_[last]) == type; ++last)
        same &= problem_.nodes[last].worker == now[last];
      if (!same) out.moved[type] = rearrange(type, first, last, now, out.places[type]);
      first = last;
    }
    return out;
  }

 private:
  bool exists(std::uint64_t ref) const {
    const std::uint32_t type = abi::ref_type(ref);
    return type != 0 && type < types_.size() && abi::ref_index(ref) < types_[type].actors;
  }
  std::uint32_t place_of(std::uint64_t key) const {
    const place_list* places = types_[type_of(key)].places;
    return places == nullptr ? index_of(key) : place_in(*places, index_of(key));
  }
  std::uint32_t node_of(std::uint64_t ref) const {
    return static_cast<std::uint32_t>(std::lower_bound(keys_.begin(), keys_.end(), key_of(ref)) -
                                      keys_.begin());
  }
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t messages) {
    problem_.nodes[from].load += messages;
    problem_.nodes[to].load += messages;
    if (from == to) {
      to_self_ += messages;
    } else {
      problem_.edges.push_back({std::min(from, to), std::max(from, to), messages});
    }
  }
  void merge_edges() {
    std::vector<partition_edge>& edges = problem_.edges;
    std::sort(edges.begin(), edges.end(), [](const partition_edge& x, const partition_edge& y) {
      return std::tie(x.a, x.b) < std::tie(y.a, y.b);
    });
    std::size_t kept = 0;
    for (const partition_edge& e : edges) {
      if (kept != 0 && edges[kept - 1].a == e.a && edges[kept - 1].b == e.b) {
        edges[kept - 1].messages += e.messages;
      } else {
        edges[kept++] = e;
      }
    }
    edges.resize(kept);
  }
  std::size_t far(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t cluster = problem_.cluster;
    const abi::distance d = a == b                                      ? abi::distance::own_worker
                            : cluster > 1 && a / cluster == b / cluster ? abi::distance::own_cluster
                                                                        : abi::distance::elsewhere;
    return static_cast<std::size_t>(d);
  }

  /// New places for a type whose nodes are [first, last): who comes takes the place of who goes, and where more come
  /// than go, those make room that nobody was seen to talk to. @return how many were moved.
  std::uint64_t rearrange(std::uint32_t type, std::size_t first, std::size_t last,
                          const std::vector<std::uint32_t>& now, place_list& places) const {
    const std::uint32_t actors = types_[type].actors;
    constexpr std::uint32_t none = ~0U;
    places.resize(actors);
    place_list at(actors);  // place -> index
    for (std::uint32_t i = 0; i < actors; ++i) {
      places[i] = place_of(std::uint64_t{type} << 32U | i);
      at[places[i]] = i;
    }
    const place_list before = places;
    std::vector<bool> was_seen(actors, false);
    std::vector<place_list> come(workers_);
    for (std::size_t n = first; n < last; ++n) {
      const std::uint32_t index = index_of(keys_[n]);
      was_seen[index] = true;
      if (now[n] == problem_.nodes[n].worker) continue;
      at[places[index]] = none;
      come[now[n]].push_back(index);
    }
    place_list homeless;
    std::vector<place_list> free(workers_);
    for (std::uint32_t w = 0; w < workers_; ++w) {
      for (std::uint64_t p = w; p < actors; p += workers_)
        if (at[p] == none) free[w].push_back(static_cast<std::uint32_t>(p));
      for (std::uint64_t p = w; free[w].size() < come[w].size(); p += workers_) {
        if (at[p] == none || was_seen[at[p]]) continue;
        homeless.push_back(at[p]);
        at[p] = none;
        free[w].push_back(static_cast<std::uint32_t>(p));
      }
      for (std::size_t i = 0; i < come[w].size(); ++i) places[come[w][i]] = free[w][i];
    }
    auto next = homeless.begin();
    for (std::uint32_t w = 0; w < workers_; ++w)
      for (std::size_t i = come[w].size(); i < free[w].size(); ++i) places[*next++] = free[w][i];
    std::uint64_t moved = 0;
    for (std::uint32_t i = 0; i < actors; ++i) moved += places[i] != before[i] ? 1 : 0;
    return moved;
  }

  std::uint32_t workers_;
  std::span<const placed_type> types_;
  partition_problem problem_;
  std::vector<std::uint64_t> keys_;  ///< [node], sorted
  std::uint64_t to_self_ = 0;
};

}  // namespace

placement_plan plan_placement(std::uint32_t workers, std::uint32_t cluster,
                              std::span<const placed_type> types,
                              std::span<const seen_traffic> seen,
                              std::span<const std::uint64_t> kept) {
  planner p{workers, cluster, types};
  p.see(seen, kept);
  return p.plan();
}

}  // namespace perdure::runtime
