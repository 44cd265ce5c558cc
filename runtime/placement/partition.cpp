// runtime/placement/partition.cpp - see partition.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement/partition.hpp"

#include <algorithm>

#include "runtime/placement/layout_state.hpp"

namespace perdure::runtime {

neighbours::neighbours(const partition_problem& p) : first_(p.nodes.size() + 1, 0) {
  for (const partition_edge& e : p.edges) {
    ++first_[e.a + 1];
    ++first_[e.b + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  ends_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const partition_edge& e : p.edges) {
    ends_[next[e.a]++] = {e.b, e.messages};
    ends_[next[e.b]++] = {e.a, e.messages};
  }
}

layout_state::layout_state(const partition_problem& p, std::uint64_t bound)
    : p_{p},
      bound_{bound},
      where_(p.nodes.size(), nowhere),
      at_(p.nodes.size(), 0),
      load_(p.workers, 0),
      used_(p.room.size(), std::vector<std::uint32_t>(p.workers, 0)),
      there_(p.room.size() * p.workers) {}

void layout_state::put(std::uint32_t node, std::uint32_t worker) {
  const partition_node& n = p_.nodes[node];
  where_[node] = worker;
  load_[worker] += n.load;
  ++used_[n.kind][worker];
  auto& list = there_[std::size_t{n.kind} * p_.workers + worker];
  at_[node] = static_cast<std::uint32_t>(list.size());
  list.push_back(node);
}

void layout_state::take(std::uint32_t node) {
  const partition_node& n = p_.nodes[node];
  const std::uint32_t worker = where_[node];
  load_[worker] -= n.load;
  --used_[n.kind][worker];
  auto& list = there_[std::size_t{n.kind} * p_.workers + worker];
  at_[list.back()] = at_[node];
  list[at_[node]] = list.back();
  list.pop_back();
  where_[node] = nowhere;
}

std::uint64_t layout_state::overload() const {
  std::uint64_t over = 0;
  for (const std::uint64_t load : load_) over += load > bound_ ? load - bound_ : 0;
  return over;
}

std::uint64_t layout_state::worth() const {
  std::uint64_t sum = 0;
  for (const partition_edge& e : p_.edges) {
    const std::uint32_t a = where_[e.a], b = where_[e.b];
    sum += a == b ? 8 * e.messages : 0;
    sum += p_.cluster > 1 && a / p_.cluster == b / p_.cluster ? e.messages : 0;
  }
  return sum;
}

std::uint64_t load_bound(const partition_problem& p) {
  std::uint64_t sum = 0;
  for (const partition_node& n : p.nodes) sum += n.load;
  const std::uint64_t average = (sum + p.workers - 1) / p.workers;
  std::uint64_t heavy = 0;
  for (const partition_node& n : p.nodes)
    if (n.load <= average / 2) heavy = std::max(heavy, n.load);
  return average + std::max(average / 10, heavy);
}

std::vector<std::uint32_t> partition(const partition_problem& p) {
  const neighbours near{p};
  const std::uint64_t bound = load_bound(p);
  const auto count = static_cast<std::uint32_t>(p.nodes.size());
  layout_state as_is{p, bound}, anew{p, bound};
  for (std::uint32_t n = 0; n < count; ++n) {
    as_is.put(n, p.nodes[n].worker);
    if (p.nodes[n].fixed) anew.put(n, p.nodes[n].worker);
  }
  refine(p, near, as_is);
  pack(p, near, anew);
  refine(p, near, anew);
  std::uint64_t messages = 0;
  for (const partition_edge& e : p.edges) messages += e.messages;
  // two layouts of equal worth are no reason to move everybody
  const std::uint64_t enough = 8 * messages / 50;
  const std::uint64_t over_as_is = as_is.overload(), over_anew = anew.overload();
  const bool take_anew =
      over_anew != over_as_is ? over_anew < over_as_is : anew.worth() > as_is.worth() + enough;
  return std::move(take_anew ? anew : as_is).result();
}

}  // namespace perdure::runtime
