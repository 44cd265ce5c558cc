// codegen/frontend/judge.cpp - what in the closure the device cannot run, and how a handler gets there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "clang/AST/DeclCXX.h"
#include "codegen/frontend/closure.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/frontend/run_parts.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

std::string named(const Decl* d) {
  if (const auto* f = llvm::dyn_cast<FunctionDecl>(d)) return "'" + signature(f) + "'";
  if (const auto* n = llvm::dyn_cast<NamedDecl>(d))
    return "'" + n->getQualifiedNameAsString() + "'";
  return "a declaration";
}

}  // namespace

std::vector<note> closure::chain(const Decl* d) const {
  std::vector<note> notes;
  std::set<const Decl*> seen;
  for (const auto* k = text_key(d); k != nullptr && seen.insert(k).second;) {
    const auto found = index_.find(k);
    if (found == index_.end()) break;
    const auto& n = nodes_[found->second];
    if (n.parent != nullptr && !n.structural && files_.user(n.via)) {
      const bool call = llvm::isa<FunctionDecl>(n.decl) && llvm::isa<FunctionDecl>(n.parent);
      notes.push_back({n.via, (call ? "called from " : "used by ") + named(n.parent) + " here"});
    }
    k = n.parent;
  }
  return notes;
}

void closure::judge(report& to) const {
  for (const auto& n : nodes_) {
    if (n.level == 0) continue;
    for (const auto& v : n.what.violations) {
      const auto at = files_.user(v.at) ? v.at : n.decl->getLocation();
      if (to.names_line(at)) continue;
      std::vector<note> notes;
      if (v.about != nullptr)
        notes.push_back({v.about->getLocation(), named(v.about) + " is declared here"});
      for (auto& step : chain(n.decl)) notes.push_back(std::move(step));
      to.error(at, v.text, std::move(notes));
    }
  }
  judge_recursion(to);
}

/// A handler runs on a stack whose size is fixed before the loop starts, so no function may reach itself.
void closure::judge_recursion(report& to) const {
  std::set<const Decl*> told;
  for (const auto& head : nodes_) {
    if (head.level < 2 || !llvm::isa<FunctionDecl>(head.decl) ||
        !files_.user(head.decl->getLocation()))
      continue;
    if (told.contains(head.decl)) continue;
    std::map<const Decl*, std::pair<const Decl*, SourceLocation>> came;  // who called it, and where
    std::deque<const Decl*> work{head.decl};
    while (!work.empty() && !came.contains(head.decl)) {
      const auto* d = work.front();
      work.pop_front();
      const auto found = index_.find(d);
      if (found == index_.end()) continue;
      for (const auto& e : nodes_[found->second].what.edges) {
        const auto* callee = text_key(e.to);
        if (!e.runtime || !llvm::isa<FunctionDecl>(callee)) continue;
        if (came.try_emplace(callee, d, e.at).second) work.push_back(callee);
      }
    }
    if (!came.contains(head.decl)) continue;
    std::vector<note> notes;
    const auto back = came[head.decl];
    for (const auto* d = back.first; d != head.decl; d = came[d].first) {
      told.insert(d);
      if (files_.user(came[d].second)) {
        notes.push_back(
            {came[d].second, named(d) + " is called from " + named(came[d].first) + " here"});
      }
    }
    told.insert(head.decl);
    for (auto& step : chain(head.decl)) notes.push_back(std::move(step));
    auto at = back.second;  // the error stands at the call that closes the cycle
    if (!files_.user(at)) at = head.decl->getLocation();
    to.error(at,
             "recursion: " + named(head.decl) + " calls itself" +
                 (back.first == head.decl ? "" : " through " + named(back.first)) +
                 "; the device's stack has a fixed size",
             std::move(notes));
  }
}

namespace {

std::string misplaced_in_run(const region_use& use) {
  if (use.only_inside) {
    return "'" + use.name +
           "' is a lane's own value, so it exists in what is handed to a function of the run "
           "only; of() gives all lanes that of one message";
  }
  if (use.writes_state) return written_by_all(use.name);
  if (use.owner != nullptr)
    return "'" + use.name + "' belongs to " + std::string{shared_by_run} +
           ", and this is reached from there";
  return "'" + use.name +
         "' has all lanes meet, and this is reached from what is handed to a function of the run: "
         "a GPU would wait there for ever";
}

std::string misplaced(const region_use& use, bool in_run) {
  if (in_run) return misplaced_in_run(use);
  if (use.only_inside) {
    return "per_lane member '" + use.name +
           "' has a value of its own in every lane, so it exists inside regions only";
  }
  if (use.needs_end) {
    return "'" + use.name +
           "' is reached from a region at whose end the block does not meet (keeps_to_groups, "
           "then_once): it would be lost";
  }
  if (use.begins_region)
    return "regions do not nest: '" + use.name + "' is reached from inside one";
  if (use.owner != nullptr) {
    return "'" + use.name +
           "' belongs to the handler; every lane has a copy of it, so a region must not write to "
           "it, and this is reached from one";
  }
  return "'" + use.name + "' cannot be called inside a region, and this is reached from one";
}

bool is_misplaced(const region_use& use, side at, bool in_run) {
  if (use.writes_state) return in_run && at == side::outside;
  if (use.owner != nullptr && in_run && use.passes_in_run) return false;
  if (use.needs_end) return at == side::apart;
  return use.only_inside ? at == side::outside : at != side::outside;
}

}  // namespace

void closure::judge_regions(const Decl* handler, bool is_run, report& to) const {
  using step = std::pair<const Decl*, side>;  // a function, and where it runs
  std::map<step, std::pair<step, SourceLocation>> came;
  const step first{text_key(handler), side::outside};
  came[first] = {{nullptr, side::outside}, {}};
  std::deque<step> work{first};
  while (!work.empty()) {
    const auto now = work.front();
    work.pop_front();
    const auto found = index_.find(now.first);
    if (found == index_.end()) continue;
    const auto& what = nodes_[found->second].what;
    for (const auto& use : what.uses) {
      if (!is_misplaced(use, now.second, is_run)) continue;
      bool concerns = use.owner == nullptr;  // a local that lives inside the region is the lane's
      std::vector<note> notes;
      for (auto at = now; came[at].first.first != nullptr; at = came[at].first) {
        concerns |= came[at].first == step{use.owner, side::outside};
        if (files_.user(came[at].second)) {
          notes.push_back(
              {came[at].second, "called from " + named(came[at].first.first) + " here"});
        }
      }
      if (concerns) to.error(use.at, misplaced(use, is_run), std::move(notes));
    }
    for (const auto& e : what.edges) {
      const auto* callee = text_key(e.to);
      if (!e.runtime || !llvm::isa<FunctionDecl>(callee)) continue;
      const step next{callee, std::max(now.second, e.in)};
      if (came.try_emplace(next, now, e.at).second) work.push_back(next);
    }
  }
}

template <class F>
void closure::each_from(const Decl* handler, F f) const {
  std::set<const Decl*> seen{text_key(handler)};
  std::deque<const Decl*> work{text_key(handler)};
  for (; !work.empty(); work.pop_front()) {
    const auto found = index_.find(work.front());
    if (found == index_.end()) continue;
    const auto& what = nodes_[found->second].what;
    f(what);
    for (const auto& e : what.edges) {
      const auto* to = text_key(e.to);
      if (e.runtime && llvm::isa<FunctionDecl>(to) && seen.insert(to).second) work.push_back(to);
    }
  }
}

std::vector<context_call> closure::calls_from(const Decl* handler) const {
  std::vector<context_call> calls;
  std::set<std::tuple<unsigned, const void*, int>> once;  // one call may name several ports
  each_from(handler, [&](const facts& what) {
    for (const auto& c : what.calls) {
      const void* key = c.message.isNull() ? nullptr : c.message.getAsOpaquePtr();
      if (once.emplace(c.at.getRawEncoding(), key, c.port).second) calls.push_back(c);
    }
  });
  const auto& sm = files_.sources();
  std::stable_sort(calls.begin(), calls.end(), [&](const context_call& a, const context_call& b) {
    return sm.isBeforeInTranslationUnit(a.at, b.at);
  });
  return calls;
}

std::vector<context_end> closure::ends_from(const Decl* from) const {
  std::vector<context_end> ends;
  each_from(from, [&](const facts& what) {
    ends.insert(ends.end(), what.ends.begin(), what.ends.end());
  });
  return ends;
}

std::set<std::string> closure::opaque() const {
  std::set<std::string> names;
  for (const auto& n : nodes_) {
    if (n.level > 0) names.insert(n.what.opaque.begin(), n.what.opaque.end());
  }
  return names;
}

std::vector<context_call> closure::all_calls() const {
  std::vector<context_call> calls;
  for (const auto& n : nodes_) {
    if (n.level > 0) calls.insert(calls.end(), n.what.calls.begin(), n.what.calls.end());
  }
  return calls;
}

}  // namespace perdure::codegen::frontend
