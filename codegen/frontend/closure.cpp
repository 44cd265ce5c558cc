// codegen/frontend/closure.cpp - reachability over facts.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/closure.hpp"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "codegen/model/std_names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

closure::node& closure::at(const Decl* d) {
  d = text_key(d);
  const auto [found, fresh] = index_.try_emplace(d, static_cast<unsigned>(nodes_.size()));
  if (fresh) {
    nodes_.emplace_back();
    nodes_.back().decl = d;
  }
  return nodes_[found->second];
}

closure::node& closure::analysed(const Decl* d) {
  auto& n = at(d);
  if (!n.known) {
    n.known = true;
    n.what = facts_of(n.decl, files_);
  }
  return n;
}

void closure::root(const Decl* d, bool runtime) { reach(d, runtime ? 2 : 1, nullptr, {}, false); }

void closure::reach(const Decl* d, int level, const Decl* from, SourceLocation via,
                    bool structural) {
  if (d == nullptr) return;
  auto& n = at(d);
  if (n.level >= level) return;
  if (n.level == 0 || level == 2) {
    n.parent = from == nullptr ? nullptr : text_key(from);
    n.via = via;
    n.structural = structural;
  }
  n.level = level;
  work_.push_back(n.decl);
}

void closure::keep_text(const Decl* d) {
  if (!kept_.insert(d).second) return;
  for (const auto* other : chunks_.siblings(d)) {
    if (other != d && !llvm::isa<FriendDecl>(other)) reach(other, 1, d, other->getLocation(), true);
  }
}

void closure::drain() {
  while (!work_.empty()) {
    const auto* d = work_.front();
    work_.pop_front();
    keep_text(d);
    const auto& n = analysed(d);
    const int level = n.level;
    for (const auto& e : n.what.edges) reach(e.to, e.runtime ? level : 1, d, e.at, e.structural);
    required_.insert(n.what.required.begin(), n.what.required.end());
  }
}

void closure::run() {
  do {
    drain();
  } while (settle_lookups() || settle_required() || settle_specials());
  settle_assertions();
  for (const auto* d : kept_) {
    for (const auto* c = d->getDeclContext(); c != nullptr; c = c->getParent()) {
      if (const auto* n = llvm::dyn_cast<NamespaceDecl>(c)) spaces_.insert(n->getCanonicalDecl());
    }
  }
}

/// A dependent call keeps the overloads that its instantiations chose; if it has none, the first.
bool closure::settle_lookups() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].level == 0) continue;
    for (const auto& candidates : nodes_[i].what.lookups) {
      const bool there = std::any_of(candidates.begin(), candidates.end(),
                                     [&](const Decl* c) { return kept_.contains(text_key(c)); });
      if (!there)
        reach(candidates.front(), 1, nodes_[i].decl, nodes_[i].decl->getLocation(), false);
    }
  }
  return !work_.empty();
}

/// Requirements ask for members by name: dropping one would change the answer.
bool closure::settle_required() {
  if (required_.empty()) return false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto* record = llvm::dyn_cast<CXXRecordDecl>(nodes_[i].decl);
    if (record == nullptr || nodes_[i].level == 0 || !record->hasDefinition()) continue;
    if (!files_.user(record->getLocation())) continue;
    for (const auto* d : record->getDefinition()->decls()) {
      const auto* named = llvm::dyn_cast<NamedDecl>(d);
      if (named == nullptr || named->isImplicit() || !required_.contains(named->getDeclName()))
        continue;
      reach(named, 1, record, named->getLocation(), true);
    }
  }
  return !work_.empty();
}

namespace {

bool comparison(const FunctionDecl* f) {
  switch (f->getOverloadedOperator()) {
    case OO_EqualEqual:
    case OO_ExclaimEqual:
    case OO_Less:
    case OO_Greater:
    case OO_LessEqual:
    case OO_GreaterEqual:
    case OO_Spaceship:
      return true;
    default:
      return false;
  }
}

const FunctionDecl* function_in(const Decl* d) {
  if (const auto* f = llvm::dyn_cast<FriendDecl>(d)) d = f->getFriendDecl();
  if (const auto* t = llvm::dyn_cast_or_null<FunctionTemplateDecl>(d)) d = t->getTemplatedDecl();
  return llvm::dyn_cast_or_null<FunctionDecl>(d);
}

std::string space_name(const NamespaceDecl* space) {
  std::string text;
  for (const DeclContext* c = space; c != nullptr && !c->isTranslationUnit(); c = c->getParent()) {
    const auto* n = llvm::dyn_cast<NamespaceDecl>(c);
    if (n != nullptr && !n->isAnonymousNamespace())
      text = n->getNameAsString() + (text.empty() ? "" : "::" + text);
  }
  return text;
}

bool special(const FunctionDecl* f) {
  if (llvm::isa<CXXConstructorDecl, CXXDestructorDecl>(f)) return true;
  return f->getOverloadedOperator() == OO_Equal || comparison(f);
}

}  // namespace

/// Constructors, assignments and comparisons of a kept class stay where the device can have them:
/// whether a class is an aggregate, how it is laid out and what algorithms find depend on them.
bool closure::settle_specials() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].level == 0) continue;
    const auto* d = nodes_[i].decl;
    if (!records_done_.insert(d).second) continue;
    const auto* record = llvm::dyn_cast<CXXRecordDecl>(d);
    if (record == nullptr || !record->hasDefinition() || !files_.user(record->getLocation()))
      continue;
    for (const auto* member : record->getDefinition()->decls()) {
      const auto* f = function_in(member);
      if (f != nullptr && !f->isImplicit() && special(f)) try_optional(f);
    }
  }
  if (work_.empty()) {
    chunks_.each([&](const Decl* d) {
      const auto* t = llvm::dyn_cast<TemplateDecl>(d);
      const auto* guide = llvm::dyn_cast<CXXDeductionGuideDecl>(
          t && t->getTemplatedDecl() ? t->getTemplatedDecl() : d);
      if (guide == nullptr || at(guide).level != 0 || !records_done_.insert(text_key(guide)).second)
        return;
      if (keep(guide->getDeducedTemplate())) {
        try_optional(guide);
      } else {
        records_done_.erase(text_key(guide));
      }
    });
  }
  return !work_.empty();
}

/// Reaches `d` and what it needs, unless something among that is refused.
bool closure::try_optional(const Decl* d) {
  std::vector<const Decl*> fresh{text_key(d)};
  std::set<const Decl*> seen{fresh.front()};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (refused_.contains(fresh[i])) return false;
    const auto& n = analysed(fresh[i]);
    if (!n.what.violations.empty()) {
      refused_.insert(text_key(d));
      return false;
    }
    std::vector<const Decl*> next;
    for (const auto& e : n.what.edges) next.push_back(text_key(e.to));
    for (const auto* x : next) {
      if (at(x).level == 0 && seen.insert(x).second) fresh.push_back(x);
    }
  }
  reach(d, 1, d->getDeclContext()->isRecord() ? llvm::cast<Decl>(d->getDeclContext()) : nullptr,
        d->getLocation(), true);
  return true;
}

/// A static_assert stays where everything that it names is kept anyway and can be on the device.
void closure::settle_assertions() {
  chunks_.each([&](const Decl* d) {
    const auto* assertion = llvm::dyn_cast<StaticAssertDecl>(d);
    if (assertion == nullptr) return;
    const auto& n = analysed(d);
    const bool there = n.what.violations.empty() &&
                       std::all_of(n.what.edges.begin(), n.what.edges.end(), [&](const edge& e) {
                         return e.to == nullptr || at(e.to).level > 0;
                       });
    if (there) assertions_.insert(d);
  });
}

bool closure::keep(const Decl* d) const {
  if (llvm::isa<FieldDecl, AccessSpecDecl>(d)) return true;  // their class decides
  if (llvm::isa<StaticAssertDecl>(d)) return assertions_.contains(d);
  if (const auto* f = llvm::dyn_cast<FriendDecl>(d)) {
    if (const auto* named = f->getFriendDecl()) return kept_.contains(text_key(named));
    const auto* type = f->getFriendType();
    const auto* tag = type ? type->getType()->getAsTagDecl() : nullptr;
    return tag == nullptr || kept_.contains(text_key(tag));
  }
  if (const auto* u = llvm::dyn_cast<UsingDecl>(d)) {
    if (kept_.contains(text_key(u))) return true;
    return std::any_of(u->shadow_begin(), u->shadow_end(), [&](const UsingShadowDecl* s) {
      return kept_.contains(text_key(s->getTargetDecl()));
    });
  }
  if (llvm::isa<UnresolvedUsingValueDecl, UnresolvedUsingTypenameDecl>(d)) return true;
  if (const auto* u = llvm::dyn_cast<UsingDirectiveDecl>(d)) {
    const auto* space = u->getNominatedNamespace();
    return files_.user(space->getLocation()) ? spaces_.contains(space->getCanonicalDecl())
                                             : namespace_on_device(space_name(space));
  }
  return kept_.contains(text_key(d));
}

}  // namespace perdure::codegen::frontend
