// codegen/frontend/facts_makes.cpp - what makes the messages of send_n() and send_in_place(), and what in it breaks its rules.
// Why: a GPU's lanes call it in any order, or not at all where no buffer is left, so nothing but the message may come of it.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts_visitor.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/frontend/root_of.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

bool facts_visitor::traverse_make(CXXMemberCallExpr* e, const made_messages& made) {
  if (!WalkUpFromCXXMemberCallExpr(e) || !TraverseStmt(e->getCallee())) return false;
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    if (i != made.at) {
      if (!TraverseStmt(e->getArg(i))) return false;
      continue;
    }
    const auto* lambda = as_lambda(e->getArg(i));
    if ((lambda == nullptr || lambda->isMutable()) && unevaluated_ == 0) {
      refuse(e->getArg(i)->getExprLoc(),
             std::string{made.by} +
                 " must be a lambda written in its call, and not 'mutable': each lane has its own");
    }
    const auto saved = part_;
    const auto saved_for = makes_for_;
    part_ = run_part::makes;
    makes_for_ = made;
    const bool go_on = made.uniform && lambda != nullptr ? traverse_fill(e->getArg(i))
                                                         : traverse_body(e->getArg(i));
    part_ = saved;
    makes_for_ = saved_for;
    if (!go_on) return false;
  }
  return true;
}

bool facts_visitor::traverse_fill(Expr* e) {
  const auto* saved = fill_;
  const auto* saved_body = fills_;
  fill_ = as_lambda(e);
  fills_ = fill_->getCallOperator();
  bool go_on = TraverseStmt(e);
  if (const auto* pattern = fill_->getDependentCallOperator(); go_on && pattern != nullptr) {
    for (const auto* made : pattern->specializations()) {  // as of generic_body()
      fills_ = made;
      go_on = go_on && (!made->hasBody() || TraverseStmt(made->getBody()));
    }
  }
  fill_ = saved;
  fills_ = saved_body;
  return go_on;
}

void facts_visitor::call_in_fill(const CXXMemberCallExpr* e) {
  const auto name = e->getMethodDecl()->getNameAsString();
  const bool meets = is_region(name) && name != "then_once";
  if (meets || name == "self" || name == "sender") return;
  refuse(e->getExprLoc(), not_in_make(makes_for_, name, "is called"));
}

/// A lambda from elsewhere may do what it has captured allows; where that is values only it does nothing.
void facts_visitor::lambda_in_make(const CXXOperatorCallExpr* e, const CXXRecordDecl* of) {
  if (!of->isLambda() || unevaluated_ > 0) return;
  const auto* root = root_of(e->getArg(0));
  const auto* here = region_ != nullptr ? region_ : fills_;
  if (root == nullptr || encloses(here, root->getDecl()->getDeclContext())) return;
  for (const auto& c : of->captures()) {
    if (c.getCaptureKind() == LCK_ByCopy || c.getCaptureKind() == LCK_StarThis) continue;
    refuse(e->getExprLoc(), not_in_make(makes_for_, root->getDecl()->getNameAsString(),
                                        "is called, which captures more than values,"));
    return;
  }
}

/// Of a call that is not const, where a message is made.
void facts_visitor::object_in_make(const Expr* object) {
  if (const auto* member = state_in(object))
    refuse(object->getExprLoc(),
           not_in_make(makes_for_, member->getMemberDecl()->getNameAsString(), "may be written"));
  message_outside(object);
}

/// A wide actor's message that all lanes write to, between regions.
void facts_visitor::message_outside(const Expr* to) {
  if (fills_ == nullptr || region_ != nullptr || unevaluated_ > 0) return;
  const auto* root = root_of(to);
  if (root == nullptr || !is_message(root->getDecl())) return;
  refuse(to->getExprLoc(),
         "'" + root->getDecl()->getNameAsString() +
             "' is written by every lane there; write to it in for_each() or once()");
}

/// The message that is being filled, or a reference to a part of it.
bool facts_visitor::is_message(const ValueDecl* d) const {
  for (int steps = 0; steps < 16; ++steps) {
    const auto* variable = llvm::dyn_cast<VarDecl>(d);
    if (variable == nullptr || fills_ == nullptr) return false;
    if (llvm::isa<ParmVarDecl>(variable)) return variable->getDeclContext() == fills_;
    if (!variable->getType()->isReferenceType() || variable->getInit() == nullptr) return false;
    const auto* root = root_of(variable->getInit());
    if (root == nullptr) return false;
    d = root->getDecl();
  }
  return false;
}

}  // namespace perdure::codegen::frontend
