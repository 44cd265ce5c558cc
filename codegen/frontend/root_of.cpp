// codegen/frontend/root_of.cpp - see root_of.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/root_of.hpp"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "codegen/frontend/run_parts.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

constexpr int most_steps =
    16;  // through pointers made of pointers, which may be made of themselves

bool names(const Expr* e, const VarDecl* v) {
  const auto* r = llvm::dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
  return r != nullptr && r->getDecl() == v;
}

/// Whether a pointer is given another value somewhere, or its own address is taken.
class search_for_changes : public RecursiveASTVisitor<search_for_changes> {
 public:
  explicit search_for_changes(const VarDecl* v) : v_{v} {}
  bool VisitBinaryOperator(BinaryOperator* o) {
    return !(found = o->isAssignmentOp() && names(o->getLHS(), v_));
  }
  bool VisitUnaryOperator(UnaryOperator* o) {
    const bool changes = o->isIncrementDecrementOp() || o->getOpcode() == UO_AddrOf;
    return !(found = changes && names(o->getSubExpr(), v_));
  }
  bool found = false;

 private:
  const VarDecl* v_;
};
bool stays(const VarDecl* v) {
  if (v->getType().isConstQualified()) return true;
  const auto* f = llvm::dyn_cast<FunctionDecl>(v->getDeclContext());
  if (f == nullptr || !f->hasBody() || !v->isLocalVarDecl()) return false;
  search_for_changes search{v};
  search.TraverseStmt(f->getBody());
  return !search.found;
}

const DeclRefExpr* root_within(const Expr* e, int& steps);

/// What a pointer was made to point into: `&x`, an array, a variable that is one of these and stays so.
const DeclRefExpr* pointee_of(const Expr* e, int& steps) {
  while (steps-- > 0) {
    e = e->IgnoreParenImpCasts();
    if (const auto* u = llvm::dyn_cast<UnaryOperator>(e))
      return u->getOpcode() == UO_AddrOf ? root_within(u->getSubExpr(), steps) : nullptr;
    if (e->getType()->isArrayType()) return root_within(e, steps);
    const auto* named = llvm::dyn_cast<DeclRefExpr>(e);
    const auto* made = named == nullptr ? nullptr : llvm::dyn_cast<VarDecl>(named->getDecl());
    if (made == nullptr || !made->getType()->isPointerType() || made->getInit() == nullptr ||
        !stays(made))
      return nullptr;
    e = made->getInit();
  }
  return nullptr;
}

const DeclRefExpr* root_within(const Expr* e, int& steps) {
  for (;;) {
    e = e->IgnoreParenImpCasts();
    if (const auto* m = llvm::dyn_cast<MemberExpr>(e)) {
      if (m->isArrow()) return pointee_of(m->getBase(), steps);
      e = m->getBase();
    } else if (const auto* a = llvm::dyn_cast<ArraySubscriptExpr>(e)) {
      if (!a->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        return pointee_of(a->getBase(), steps);
      e = a->getBase();
    } else if (const auto* u = llvm::dyn_cast<UnaryOperator>(e)) {
      return u->getOpcode() == UO_Deref ? pointee_of(u->getSubExpr(), steps) : nullptr;
    } else if (const auto* o = llvm::dyn_cast<CXXOperatorCallExpr>(e)) {
      if (o->getOperator() != OO_Subscript || o->getNumArgs() == 0 || is_own_value(o))
        return nullptr;
      const auto* at = llvm::dyn_cast_or_null<CXXMethodDecl>(o->getCalleeDecl());
      if (at != nullptr && at->isConst()) return nullptr;  // of a span: what it points to
      e = o->getArg(0);
    } else {
      return llvm::dyn_cast<DeclRefExpr>(e);
    }
  }
}

}  // namespace

const DeclRefExpr* root_of(const Expr* e) {
  int steps = most_steps;
  return root_within(e, steps);
}

}  // namespace perdure::codegen::frontend
