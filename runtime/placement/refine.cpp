// runtime/placement/refine.cpp - single moves and exchanges that gain, until there is none, or it has been tried often enough.
// Why: groups are joined by their heaviest edges only; what else they talk to shows when all have a place.
// Invariant: no step makes the layout worth less, none takes a worker over the bound, or further over it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/placement/layout_state.hpp"

namespace perdure::runtime {
namespace {

constexpr int most_passes = 8;
constexpr std::size_t most_partners = 48;  ///< of an exchange that are looked at

class refiner {
 public:
  refiner(const partition_problem& p, const neighbours& near, layout_state& of)
      : p_{p}, near_{near}, of_{of}, mine_{p.workers, p.cluster}, theirs_{p.workers, p.cluster} {}

  /// @return whether anybody was moved.
  bool pass() {
    bool moved = false;
    for (std::uint32_t n = 0; n < p_.nodes.size(); ++n)
      if (!p_.nodes[n].fixed) moved |= improve(n);
    return moved;
  }

 private:
  bool improve(std::uint32_t node) {
    look(node, mine_);
    const std::uint32_t own = of_.worker_of(node);
    const std::uint64_t stays = mine_.worth(own);
    targets_.clear();
    for (const std::uint32_t near : mine_.workers()) {
      each_near(p_, near, [&](std::uint32_t w) {
        if (w != own && mine_.worth(w) > stays) targets_.push_back(w);
      });
    }
    std::sort(targets_.begin(), targets_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return mine_.worth(a) != mine_.worth(b) ? mine_.worth(a) > mine_.worth(b) : a < b;
    });
    for (const std::uint32_t w : targets_)
      if (move(node, w) || exchange(node, own, w, mine_.worth(w) - stays)) return true;
    return false;
  }
  void look(std::uint32_t node, pull& to) const {
    to.clear();
    for (auto e = near_.begin_of(node); e != near_.end_of(node); ++e)
      to.add(of_.worker_of(e->node), e->messages);
  }
  bool may_have(std::uint32_t worker, std::uint64_t load) const {
    return load <= std::max(of_.bound(), of_.load(worker));
  }
  bool move(std::uint32_t node, std::uint32_t to) {
    const partition_node& n = p_.nodes[node];
    if (!of_.has_room(n.kind, to) || of_.load(to) + n.load > of_.bound()) return false;
    of_.take(node);
    of_.put(node, to);
    return true;
  }
  /// @param gain  of `node` alone.
  bool exchange(std::uint32_t node, std::uint32_t own, std::uint32_t to, std::uint64_t gain) {
    const partition_node& n = p_.nodes[node];
    const std::vector<std::uint32_t>& there = of_.there(n.kind, to);
    std::uint32_t best = nowhere;
    std::uint64_t best_left = 0;
    const std::size_t tries = std::min(there.size(), most_partners);
    for (std::size_t i = 0; i < tries; ++i) {
      const std::uint32_t other = there[(node + i) % there.size()];
      const partition_node& o = p_.nodes[other];
      if (o.fixed || !may_have(to, of_.load(to) - o.load + n.load) ||
          !may_have(own, of_.load(own) - n.load + o.load))
        continue;
      look(other, theirs_);
      // what is between the two stays what it was; it was counted as a gain of both
      std::uint64_t loss = theirs_.worth(to) + 2 * between(other, node, own, to);
      const std::uint64_t win = gain + theirs_.worth(own);
      if (win <= loss || win - loss <= best_left) continue;
      best = other;
      best_left = win - loss;
    }
    if (best == nowhere) return false;
    of_.take(node);
    of_.take(best);
    of_.put(node, to);
    of_.put(best, own);
    return true;
  }
  std::uint64_t between(std::uint32_t one, std::uint32_t other, std::uint32_t own,
                        std::uint32_t to) const {
    const bool near = p_.cluster > 1 && own / p_.cluster == to / p_.cluster;
    // within a cluster the message is worth one wherever they are, so nothing of that was a gain
    for (auto e = near_.begin_of(one); e != near_.end_of(one); ++e)
      if (e->node == other) return e->messages * (near || p_.cluster == 1 ? 8 : 9);
    return 0;
  }

  const partition_problem& p_;
  const neighbours& near_;
  layout_state& of_;
  pull mine_, theirs_;
  std::vector<std::uint32_t> targets_;
};

}  // namespace

void refine(const partition_problem& p, const neighbours& near, layout_state& of) {
  refiner r{p, near, of};
  for (int i = 0; i < most_passes && r.pass(); ++i) {
  }
}

}  // namespace perdure::runtime
