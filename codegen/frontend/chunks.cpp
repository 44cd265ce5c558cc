// codegen/frontend/chunks.cpp - finds the token range of every user declaration.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/chunks.hpp"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"

namespace perdure::codegen::frontend {
namespace tok = clang::tok;

const clang::Decl* text_key(const clang::Decl* d) {
  if (const auto* t = llvm::dyn_cast<clang::RedeclarableTemplateDecl>(d)) d = t->getTemplatedDecl();
  return d->getCanonicalDecl();
}

chunk_table::chunk_table(const clang::syntax::TokenBuffer& tokens, const clang::ASTContext& context,
                         const files& f)
    : tokens_{tokens.expandedTokens()}, sources_{tokens.sourceManager()}, files_{f} {
  for (unsigned i = 0; i < tokens_.size(); ++i) index_[tokens_[i].location().getRawEncoding()] = i;
  chunks_ = cut(*context.getTranslationUnitDecl());
  remember(chunks_);
}

int chunk_table::index_of(clang::SourceLocation at) const {
  if (at.isInvalid()) return -1;
  const auto found = index_.find(at.getRawEncoding());
  return found == index_.end() ? -1 : static_cast<int>(found->second);
}

/// First token of `kind` at bracket depth 0, from `from` on.
int chunk_table::scan(unsigned from, tok::TokenKind kind) const {
  int depth = 0;
  for (auto i = from; i < tokens_.size(); ++i) {
    const auto k = tokens_[i].kind();
    if (depth == 0 && k == kind) return static_cast<int>(i);
    if (k == tok::l_paren || k == tok::l_brace || k == tok::l_square) ++depth;
    if (k == tok::r_paren || k == tok::r_brace || k == tok::r_square) --depth;
    if (depth < 0) return -1;
  }
  return -1;
}

/// Takes in attributes, `alignas(...)` and `template <...>` that stand before the declaration proper.
unsigned chunk_table::widen_back(unsigned first) const {
  const auto kind = [&](unsigned i) { return tokens_[i].kind(); };
  for (;;) {
    if (first == 0) return first;
    auto i = first - 1;
    if (kind(i) == tok::r_square || kind(i) == tok::r_paren) {
      int depth = 0;
      for (;; --i) {
        const auto k = kind(i);
        if (k == tok::r_square || k == tok::r_paren) ++depth;
        if ((k == tok::l_square || k == tok::l_paren) && --depth == 0) break;
        if (i == 0) return first;
      }
      const bool square = kind(i) == tok::l_square && kind(i + 1) == tok::l_square;
      const bool named =
          i > 0 && (kind(i - 1) == tok::kw_alignas || kind(i - 1) == tok::kw___attribute);
      if (!square && !named) return first;
      first = named ? i - 1 : i;
    } else if (kind(i) == tok::greater || kind(i) == tok::greatergreater) {
      for (;; --i) {
        const auto k = kind(i);
        if (k == tok::kw_template) break;
        if (i == 0 || k == tok::semi || k == tok::l_brace || k == tok::r_brace) return first;
      }
      first = i;
    } else if (kind(i) == tok::kw_template || kind(i) == tok::kw_friend ||
               kind(i) == tok::kw_inline) {
      first = i;
    } else {
      return first;
    }
  }
}

bool chunk_table::range(const clang::Decl* d, chunk& out) const {
  int first = index_of(d->getBeginLoc());
  const auto earlier = [&](clang::SourceLocation at) {
    const int i = index_of(at);
    if (i >= 0 && (first < 0 || i < first)) first = i;
  };
  const clang::Decl* inner = d;
  if (const auto* f = llvm::dyn_cast<clang::FriendDecl>(d))
    inner = f->getFriendDecl() ? f->getFriendDecl() : d;
  if (const auto* t = llvm::dyn_cast<clang::TemplateDecl>(inner)) {
    if (t->getTemplatedDecl() != nullptr) inner = t->getTemplatedDecl();
  }
  if (const auto* x = llvm::dyn_cast<clang::DeclaratorDecl>(inner)) earlier(x->getOuterLocStart());
  if (const auto* x = llvm::dyn_cast<clang::TagDecl>(inner)) earlier(x->getOuterLocStart());
  if (first < 0) return false;
  out.first = widen_back(static_cast<unsigned>(first));
  out.declarations = {d};

  int last = -1;
  if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(d)) {
    out.space = true;
    last = index_of(space->getRBraceLoc());
  } else if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(d);
             linkage && linkage->hasBraces()) {
    out.space = true;
    last = index_of(linkage->getRBraceLoc());
  } else if (llvm::isa<clang::AccessSpecDecl>(d)) {
    last = scan(out.first, tok::colon);
  } else if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(inner);
             f && f->doesThisDeclarationHaveABody() && !f->isDefaulted() && !f->isDeleted()) {
    last = index_of(f->getBody()->getEndLoc());
  } else {
    last = scan(static_cast<unsigned>(first), tok::semi);
  }
  if (last < static_cast<int>(out.first)) return false;
  out.last = static_cast<unsigned>(last);
  if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(inner);
      record && record->isThisDeclarationADefinition()) {
    out.children = cut(*record);
  } else if (out.space) {
    // `namespace a::b {` holds b, which shares the braces of a.
    const auto* context = llvm::cast<clang::DeclContext>(d);
    for (const auto* n = llvm::dyn_cast<clang::NamespaceDecl>(d); n != nullptr;) {
      const clang::NamespaceDecl* only = nullptr;
      for (const auto* child : n->decls()) {
        const auto* c = llvm::dyn_cast<clang::NamespaceDecl>(child);
        if (c != nullptr && c->isNested() && c->getRBraceLoc() == n->getRBraceLoc()) only = c;
      }
      if (only != nullptr) context = only;
      n = only;
    }
    out.children = cut(*context);
  }
  return true;
}

std::vector<chunk> chunk_table::cut(const clang::DeclContext& context) const {
  std::vector<chunk> all;
  for (const auto* d : context.decls()) {
    if (d->isImplicit() || !files_.user(d->getLocation())) continue;
    if (llvm::isa<clang::EmptyDecl, clang::IndirectFieldDecl, clang::UsingShadowDecl,
                  clang::BindingDecl>(d))
      continue;
    if (const auto* r = llvm::dyn_cast<clang::CXXRecordDecl>(d); r && r->isLambda()) continue;
    chunk c;
    if (range(d, c)) all.push_back(std::move(c));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const chunk& a, const chunk& b) { return a.first < b.first; });
  std::vector<chunk> merged;
  for (auto& c : all) {
    if (merged.empty() || c.first > merged.back().last) {
      merged.push_back(std::move(c));
      continue;
    }
    auto& into = merged.back();
    into.last = std::max(into.last, c.last);
    into.declarations.insert(into.declarations.end(), c.declarations.begin(), c.declarations.end());
    if (into.children.empty()) into.children = std::move(c.children);
  }
  return merged;
}

void chunk_table::remember(const std::vector<chunk>& chunks) {
  for (const auto& c : chunks) {
    if (!c.space) {
      const auto group = static_cast<unsigned>(groups_.size());
      groups_.push_back({});
      for (const auto* d : c.declarations) {
        groups_.back().push_back(text_key(d));
        group_of_.try_emplace(text_key(d), group);
      }
    }
    remember(c.children);
  }
}

const std::vector<const clang::Decl*>& chunk_table::siblings(const clang::Decl* key) const {
  static const std::vector<const clang::Decl*> none;
  const auto found = group_of_.find(key);
  return found == group_of_.end() ? none : groups_[found->second];
}

void chunk_table::each(const std::function<void(const clang::Decl*)>& visit) const {
  std::function<void(const std::vector<chunk>&)> walk = [&](const std::vector<chunk>& chunks) {
    for (const auto& c : chunks) {
      for (const auto* d : c.declarations) visit(d);
      walk(c.children);
    }
  };
  walk(chunks_);
}

bool chunk_table::any_kept(const std::vector<chunk>& chunks,
                           const std::function<bool(const clang::Decl*)>& keep) const {
  return std::any_of(chunks.begin(), chunks.end(), [&](const chunk& c) {
    if (c.space) return any_kept(c.children, keep);
    return std::any_of(c.declarations.begin(), c.declarations.end(), keep);
  });
}

void chunk_table::mark(const std::vector<chunk>& chunks,
                       const std::function<bool(const clang::Decl*)>& keep,
                       std::vector<char>& kept) const {
  for (const auto& c : chunks) {
    const bool here = any_kept({c}, keep);
    std::fill(kept.begin() + c.first, kept.begin() + c.last + 1, here && !c.space);
    if (!here) continue;
    if (c.space) {  // the words before the brace and the braces; what lies between is the children's
      const int open = scan(c.first, tok::l_brace);
      std::fill(kept.begin() + c.first, kept.begin() + open + 1, 1);
      kept[c.last] = 1;
    }
    mark(c.children, keep, kept);
  }
}

std::string chunk_table::text(const std::function<bool(const clang::Decl*)>& keep) const {
  std::vector<char> kept(tokens_.size(), 0);
  mark(chunks_, keep, kept);
  return print_tokens(tokens_, kept, sources_);
}

}  // namespace perdure::codegen::frontend
