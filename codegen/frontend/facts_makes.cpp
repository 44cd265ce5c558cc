// codegen/frontend/facts_makes.cpp - what makes the messages of send_n() and send_in_place(), and what in it breaks its rules.
// Why: a GPU's lanes call it in any order, or not at all where no buffer is left, so nothing but the message may come of it.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts_visitor.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/frontend/root_of.hpp"
#include "codegen/frontend/run_parts.hpp"

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
  if (name == "then_once" || name == "keeps_to_groups") {
    refuse(e->getExprLoc(), "'" + name + "' cannot be called in " + std::string{makes_for_.by} +
                                ", whose regions all lanes end together");
    return;
  }
  if (is_region(name) || name == "self" || name == "sender") return;
  refuse(e->getExprLoc(), not_in_make(makes_for_, name, "is called"));
}

namespace {

/// Whether what a lambda does shows elsewhere, as far as its own text says: it writes to what it has captured, or uses a context.
class search_for_effects : public RecursiveASTVisitor<search_for_effects> {
 public:
  explicit search_for_effects(const DeclContext* own) : own_{own} {}
  bool VisitBinaryOperator(BinaryOperator* o) {
    return !o->isAssignmentOp() || is_own(o->getLHS());
  }
  bool VisitUnaryOperator(UnaryOperator* o) {
    return !o->isIncrementDecrementOp() || is_own(o->getSubExpr());
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* o) {
    const auto op = o->getOperator();
    const bool writes = o->isAssignmentOp() || op == OO_PlusPlus || op == OO_MinusMinus;
    return !writes || is_own(o->getArg(0));
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* c) {
    const auto* method = c->getMethodDecl();
    return method == nullptr || method->isConst() || method->isStatic() ||
           is_std_accessor(method) || is_own(c->getImplicitObjectArgument());
  }
  bool VisitCallExpr(CallExpr* c) {
    const auto* f = c->getDirectCallee();
    for (unsigned i = 0; f != nullptr && i < f->getNumParams() && i < c->getNumArgs(); ++i) {
      if (llvm::isa<CXXOperatorCallExpr>(c)) break;
      if (is_written_through(f->getParamDecl(i)->getType()) && !is_own(c->getArg(i))) return false;
    }
    return true;
  }

 private:
  bool is_own(const Expr* e) const {
    const auto* root = root_of(e);
    return root != nullptr && encloses(own_, root->getDecl()->getDeclContext());
  }
  const DeclContext* own_;
};

}  // namespace

/// A lambda from elsewhere may do what it has captured allows.
void facts_visitor::lambda_in_make(const CXXOperatorCallExpr* e, const CXXRecordDecl* of) {
  if (!of->isLambda() || unevaluated_ > 0) return;
  const auto* root = root_of(e->getArg(0));
  if (root == nullptr) return;
  const auto* where = root->getDecl()->getDeclContext();
  if ((region_ != nullptr && encloses(region_, where)) ||
      (fills_ != nullptr && encloses(fills_, where)))
    return;  // judged where it is written
  const auto* body = of->getLambdaCallOperator();
  search_for_effects search{body};
  if (body == nullptr || !body->hasBody() || search.TraverseStmt(body->getBody())) return;
  refuse(e->getExprLoc(), not_in_make(makes_for_, root->getDecl()->getNameAsString(),
                                      "is called, which changes something,"));
}

/// Of a call that is not const, where a message is made.
void facts_visitor::object_in_make(const Expr* object) {
  if (const auto* member = state_in(object))
    refuse(object->getExprLoc(),
           not_in_make(makes_for_, member->getMemberDecl()->getNameAsString(), may_be_written));
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

/// Whether it can be told what a reference is bound to: what a call gives may be a part of the message.
bool facts_visitor::has_known_root(const VarDecl* reference) const {
  const auto* init = reference->getInit();
  return init != nullptr && root_of(init) != nullptr;
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
