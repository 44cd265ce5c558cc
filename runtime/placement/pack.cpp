// runtime/placement/pack.cpp - a layout from nothing: nodes that talk to each other are joined, and groups given to workers.
// Why: exchanges of single nodes never bring a scattered group together if no step of it gains by itself.
// Invariant: a group has no more load than a worker may have, and no more of a kind than some worker has room for.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "runtime/placement/layout_state.hpp"

namespace perdure::runtime {
namespace {

using kind_counts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // by kind

kind_counts sum_of(const kind_counts& a, const kind_counts& b) {
  kind_counts out;
  auto i = a.begin();
  auto k = b.begin();
  while (i != a.end() || k != b.end()) {
    if (k == b.end() || (i != a.end() && i->first < k->first)) {
      out.push_back(*i++);
    } else if (i == a.end() || k->first < i->first) {
      out.push_back(*k++);
    } else {
      out.emplace_back(i->first, i->second + k->second);
      ++i, ++k;
    }
  }
  return out;
}

struct group {
  std::uint64_t load = 0;
  kind_counts kinds;
  std::vector<std::uint32_t> members;
};

/// Joins the two ends of the heaviest edge, and so on, as long as what comes out is no more than a worker may have.
std::vector<group> join(const partition_problem& p, const layout_state& to) {
  const std::size_t n = p.nodes.size();
  std::vector<std::uint32_t> leader(n);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::uint32_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  std::vector<std::uint32_t> most(p.room.size(), 0);
  for (std::size_t k = 0; k < p.room.size(); ++k)
    most[k] = *std::max_element(p.room[k].begin(), p.room[k].end());
  std::vector<std::uint64_t> load(n);
  std::vector<kind_counts> kinds(n);
  for (std::size_t i = 0; i < n; ++i) {
    load[i] = p.nodes[i].load;
    kinds[i] = {{p.nodes[i].kind, 1}};
  }
  std::vector<std::uint32_t> order(p.edges.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    const partition_edge &e = p.edges[x], &f = p.edges[y];
    return std::tie(f.messages, e.a, e.b) < std::tie(e.messages, f.a, f.b);
  });
  for (const std::uint32_t i : order) {
    const partition_edge& e = p.edges[i];
    if (p.nodes[e.a].fixed || p.nodes[e.b].fixed) continue;
    const std::uint32_t a = find(e.a), b = find(e.b);
    if (a == b || load[a] + load[b] > to.bound()) continue;
    kind_counts both = sum_of(kinds[a], kinds[b]);
    if (std::any_of(both.begin(), both.end(),
                    [&](const auto& k) { return k.second > most[k.first]; }))
      continue;
    leader[std::max(a, b)] = std::min(a, b);
    load[std::min(a, b)] = load[a] + load[b];
    kinds[std::max(a, b)].clear();
    kinds[std::min(a, b)] = std::move(both);
  }
  std::vector<group> groups;
  std::vector<std::uint32_t> which(n, nowhere);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (p.nodes[i].fixed) continue;
    const std::uint32_t l = find(i);
    if (which[l] == nowhere) {
      which[l] = static_cast<std::uint32_t>(groups.size());
      groups.push_back({load[l], std::move(kinds[l]), {}});
    }
    groups[which[l]].members.push_back(i);
  }
  return groups;
}

class packer {
 public:
  packer(const partition_problem& p, const neighbours& near, layout_state& to)
      : p_{p}, near_{near}, to_{to}, drawn_{p.workers, p.cluster}, here_(p.workers, 0) {
    for (std::uint32_t w = 0; w < p.workers; ++w) by_load_.emplace(to.load(w), w);
  }
  /// @return false if no worker has room for all of it within the bound.
  bool place(const group& g) {
    const std::uint32_t worker = best_for(g);
    if (worker == nowhere) return false;
    put(g, worker);
    return true;
  }
  /// One node, whatever the load.
  void place_anywhere(const group& g) {
    for (const auto& [load, worker] : by_load_) {
      if (!to_.has_room(g.kinds[0].first, worker)) continue;
      return put(g, worker);
    }
  }

 private:
  bool fits(const group& g, std::uint32_t worker) const {
    if (to_.load(worker) + g.load > to_.bound()) return false;
    return std::all_of(g.kinds.begin(), g.kinds.end(),
                       [&](const auto& k) { return to_.has_room(k.first, worker, k.second); });
  }
  /// Where those are that it talks to; else where most of it is already; else where least is to be done.
  std::uint32_t best_for(const group& g) {
    for (const std::uint32_t n : g.members) {
      const std::uint32_t own = p_.nodes[n].worker;
      if (here_[own]++ == 0) own_.push_back(own);
      for (auto e = near_.begin_of(n); e != near_.end_of(n); ++e)
        if (to_.worker_of(e->node) != nowhere) drawn_.add(to_.worker_of(e->node), e->messages);
    }
    std::uint32_t best = nowhere;
    const auto rank = [&](std::uint32_t w) {
      return std::make_tuple(drawn_.worth(w), here_[w], ~to_.load(w), ~w);
    };
    const auto consider = [&](std::uint32_t w) {
      if (fits(g, w) && (best == nowhere || rank(best) < rank(w))) best = w;
    };
    for (const std::uint32_t w : drawn_.workers()) each_near(p_, w, consider);
    for (const std::uint32_t w : own_) consider(w);
    for (const std::uint32_t w : own_) here_[w] = 0;
    own_.clear();
    drawn_.clear();
    for (auto at = by_load_.begin(); best == nowhere && at != by_load_.end(); ++at) {
      if (at->first + g.load > to_.bound()) break;
      if (fits(g, at->second)) best = at->second;
    }
    return best;
  }
  void put(const group& g, std::uint32_t worker) {
    by_load_.erase({to_.load(worker), worker});
    for (const std::uint32_t n : g.members) to_.put(n, worker);
    by_load_.emplace(to_.load(worker), worker);
  }

  const partition_problem& p_;
  const neighbours& near_;
  layout_state& to_;
  pull drawn_;
  std::vector<std::uint32_t> here_;  ///< [worker] members of the group that are there already
  std::vector<std::uint32_t> own_;   ///< workers of which that is not 0
  std::set<std::pair<std::uint64_t, std::uint32_t>> by_load_;
};

}  // namespace

void pack(const partition_problem& p, const neighbours& near, layout_state& to) {
  std::vector<group> groups = join(p, to);
  std::stable_sort(groups.begin(), groups.end(), [](const group& a, const group& b) {
    return std::make_pair(b.load, b.members.size()) < std::make_pair(a.load, a.members.size());
  });
  packer by{p, near, to};
  std::vector<const group*> left;
  for (const group& g : groups) {
    if (g.members.size() == 1 && g.load > to.bound()) {
      by.place_anywhere(g);  // too much by itself, so first
    } else if (!by.place(g)) {
      left.push_back(&g);
    }
  }
  for (const group* g : left) {
    for (const std::uint32_t n : g->members) {
      const group one{p.nodes[n].load, {{p.nodes[n].kind, 1}}, {n}};
      if (!by.place(one)) by.place_anywhere(one);
    }
  }
}

}  // namespace perdure::runtime
