// codegen/frontend/facts_regions.cpp - what a wide handler's regions are, and what in them breaks their rules.
// Why: outside a region all lanes must be of one mind; inside, each has its own, and nothing of the body outside may
//      change, since every lane has a copy of that.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts_visitor.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/frontend/root_of.hpp"
#include "codegen/frontend/run_parts.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

/// What a region's end does for all lanes.
bool needs_end(llvm::StringRef name) { return name == "send" || name == "stop" || name == "fail"; }
constexpr auto nobody_meets =
    "in a region at whose end the block does not meet (keeps_to_groups, then_once): it would be "
    "lost";
bool only_outside(llvm::StringRef name) {
  return is_region(name) || name == "send_in_place" || name == "open" || name == "commit" ||
         name == "reply" || name == "reply_in_place" || name == "after" || name == "gather" ||
         name == "has_read" || name == "keeps_to_groups" || name == "now" || name == "log";
}

/// The class's declarations of operator(), or those of the first base that has some.
DeclContext::lookup_result calls_of(const CXXRecordDecl* record) {
  const auto name = record->getASTContext().DeclarationNames.getCXXOperatorName(OO_Call);
  auto found = record->lookup(name);
  if (!found.empty()) return found;
  for (const auto& b : record->getDefinition()->bases()) {
    const auto* base = b.getType()->getAsCXXRecordDecl();
    if (base == nullptr || !base->hasDefinition()) continue;
    if (found = calls_of(base->getDefinition()); !found.empty()) break;
  }
  return found;
}

/// Which argument is the body: me, body; of reduce: me, none, body, join.
unsigned body_argument(const CXXMethodDecl* method) {
  return method->getName() == "reduce" ? 2 : 1;
}

}  // namespace

void facts_visitor::ends_of(const FunctionDecl* f) {
  made_by_compiler_ = f != nullptr && f->isDefaulted();
  if (f == nullptr || f->isDependentContext()) return;
  ends_ = region_ends_of(f);
  for (const auto* e : ends_.astray) {
    refuse(e->getExprLoc(),
           "'keeps_to_groups' must be followed by its region in the same function");
  }
}

bool facts_visitor::TraverseCXXMemberCallExpr(CXXMemberCallExpr* e) {
  if (const auto body = body_of_run(e)) return traverse_run(e, *body);
  if (const auto made = messages_made(e)) return traverse_make(e, *made);
  const auto* method = region_method(e);
  if (method == nullptr || e->getNumArgs() <= body_argument(method))
    return base::TraverseCXXMemberCallExpr(e);
  if (!WalkUpFromCXXMemberCallExpr(e) || !TraverseStmt(e->getCallee())) return false;
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    if (i < body_argument(method)) {
      if (!TraverseStmt(e->getArg(i))) return false;
      continue;
    }
    const auto* lambda = as_lambda(e->getArg(i));
    if (i == body_argument(method) && lambda == nullptr && unevaluated_ == 0) {
      refuse(e->getArg(i)->getExprLoc(),
             "the body of a region must be a lambda written in the call of '" +
                 method->getNameAsString() + "'");
    }
    if (lambda != nullptr && lambda->isMutable() && unevaluated_ == 0) {
      refuse(e->getArg(i)->getExprLoc(),
             "what a region calls cannot be 'mutable': each lane has what it captures for itself");
    }
    apart_ = ends_.apart.contains(e);
    const bool go_on = traverse_body(e->getArg(i));
    apart_ = false;
    if (!go_on) return false;
  }
  return true;
}

/// What lanes do each for themselves.
bool facts_visitor::traverse_body(Expr* e) {
  const auto* lambda = as_lambda(e);
  const auto* saved = region_;
  if (lambda != nullptr) region_ = lambda->getCallOperator();
  const bool go_on = TraverseStmt(e) && (lambda == nullptr || generic_body(lambda));
  if (lambda == nullptr) function_object(e);
  region_ = saved;
  return go_on;
}

/// A generic lambda is called by the library, so what it became there is read here.
bool facts_visitor::generic_body(const LambdaExpr* lambda) {
  const auto* pattern = lambda->getDependentCallOperator();
  if (pattern == nullptr) return true;
  for (const auto* made : pattern->specializations()) {
    region_ = made;
    if (made->hasBody() && !TraverseStmt(made->getBody())) return false;
  }
  return true;
}

/// The library calls it inside the region: a lambda that has a name, or an object of a class.
void facts_visitor::function_object(const Expr* e) {
  const auto* record = e->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || unevaluated_ > 0) return;
  const auto call = [&](const FunctionDecl* f) {
    if (files_.user(f->getLocation()))
      out_.edges.push_back({f, e->getExprLoc(), true, false, apart_ ? side::apart : side::inside});
  };
  for (const auto* found : calls_of(record)) {
    const auto* d = found->getUnderlyingDecl();  // a base's, brought by using
    if (const auto* method = llvm::dyn_cast<CXXMethodDecl>(d)) {
      call(method);
    } else if (const auto* t = llvm::dyn_cast<FunctionTemplateDecl>(d)) {
      for (const auto* made : t->specializations()) call(made);
    }
  }
}

bool facts_visitor::TraverseLambdaExpr(LambdaExpr* e) {
  const bool saved = judged_by_call_;
  if (e != fill_) judged_by_call_ = region_ == nullptr;
  const bool go_on = base::TraverseLambdaExpr(e);
  judged_by_call_ = saved;
  return go_on;
}

void facts_visitor::block_call(CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (method->getIdentifier() == nullptr || unevaluated_ > 0 || transparent_) return;
  const auto name = method->getNameAsString();
  if (fill_ != nullptr) call_in_fill(e);
  if (needs_end(name)) {
    if (apart_) {
      refuse(e->getExprLoc(), "'" + name + "' cannot be called " + nobody_meets);
    } else if (region_ == nullptr && !judged_by_call_) {
      out_.uses.push_back({.at = e->getExprLoc(), .name = name, .needs_end = true});
    }
    return;
  }
  if (!only_outside(name)) return;
  if (region_ == nullptr) {
    if (judged_by_call_) return;
    out_.uses.push_back({.at = e->getExprLoc(), .name = name, .begins_region = is_region(name)});
  } else if (is_region(name)) {
    refuse(e->getExprLoc(), "regions do not nest: '" + name + "' is called inside one");
  } else {
    refuse(e->getExprLoc(), "'" + name + "' cannot be called inside a region");
  }
}

bool facts_visitor::VisitCXXOperatorCallExpr(CXXOperatorCallExpr* e) {
  const auto* method = llvm::dyn_cast_or_null<CXXMethodDecl>(e->getCalleeDecl());
  if (method == nullptr) return true;
  if (part_ == run_part::makes && e->getOperator() == OO_Call)
    lambda_in_make(e, method->getParent());
  if (is_own_value(e)) {
    own_value(e);
    return true;
  }
  if (e->getOperator() == OO_Call && is_perdure(method->getParent(), "per_lane")) {
    if (region_ == nullptr && unevaluated_ == 0 && !judged_by_call_) {
      const auto* member = llvm::dyn_cast<MemberExpr>(e->getArg(0)->IgnoreParenImpCasts());
      out_.uses.push_back({.at = e->getExprLoc(),
                           .name = member != nullptr ? member->getMemberDecl()->getNameAsString()
                                                     : std::string{"per_lane"},
                           .only_inside = true});
    }
    return true;
  }
  if (method->isConst() || method->isStatic()) return true;
  const auto op = e->getOperator();
  if (e->isAssignmentOp() || op == OO_PlusPlus || op == OO_MinusMinus) {
    write(e->getArg(0));
  } else {
    if (part_ == run_part::makes && op != OO_Subscript && !is_std_accessor(method))
      object_in_make(e->getArg(0));
    check_write(e->getArg(0), is_std_accessor(method));
  }
  return true;
}

bool facts_visitor::VisitUnaryOperator(UnaryOperator* e) {
  if (e->isIncrementDecrementOp()) write(e->getSubExpr());
  if (e->getOpcode() == UO_AddrOf) check_write(e->getSubExpr());
  return true;
}

/// Arguments that the callee may write to, and objects of calls that are not const.
bool facts_visitor::VisitCallExpr(CallExpr* e) {
  if (const auto* member = llvm::dyn_cast<CXXMemberCallExpr>(e)) {
    const auto* method = member->getMethodDecl();
    if (method != nullptr && !method->isConst() && !method->isStatic()) {
      check_write(member->getImplicitObjectArgument(), is_std_accessor(method));
      if (part_ == run_part::makes && !is_std_accessor(method))
        object_in_make(member->getImplicitObjectArgument());
    }
  }
  if (region_ == nullptr && captures_ == nullptr && fills_ == nullptr) return true;
  const auto* f = e->getDirectCallee();
  if (f == nullptr) return true;
  const bool is_operator = llvm::isa<CXXOperatorCallExpr>(e) && llvm::isa<CXXMethodDecl>(f);
  for (unsigned i = 0; i < f->getNumParams(); ++i) {
    const unsigned argument = i + (is_operator ? 1 : 0);
    if (argument >= e->getNumArgs()) break;
    const bool only_read = f->isInStdNamespace() && f->getIdentifier() != nullptr &&
                           (f->getName() == "get" || f->getName() == "as_const");
    const auto* method = llvm::dyn_cast<CXXMethodDecl>(f);
    const bool of_lane = method != nullptr && is_perdure(method->getParent(), "per_lane");
    check_binding(f->getParamDecl(i)->getType(), e->getArg(argument), only_read || of_lane);
    if (part_ == run_part::makes && !only_read && is_written_through(f->getParamDecl(i)->getType()))
      message_outside(e->getArg(argument));
  }
  return true;
}

bool facts_visitor::VisitCXXForRangeStmt(CXXForRangeStmt* s) {
  const auto type = s->getLoopVariable()->getType();
  check_binding(type, s->getRangeInit());
  if (part_ == run_part::makes && is_written_through(type)) message_outside(s->getRangeInit());
  return true;
}

/// What a reference that is not const is bound to can be written through it.
void facts_visitor::check_binding(QualType type, const Expr* to, bool only_read) {
  if (to == nullptr || !is_written_through(type)) return;
  check_write(to, only_read);
  if (part_ != run_part::makes || unevaluated_ > 0 || only_read) return;
  if (const auto* member = state_in(to))
    refuse(to->getExprLoc(),
           not_in_make(makes_for_, member->getMemberDecl()->getNameAsString(), may_be_written));
  if (is_actor_itself(to))
    refuse(to->getExprLoc(), not_in_make(makes_for_, "the actor", may_be_written));
  if (is_perdure(to->getType()->getAsCXXRecordDecl(), "block_context"))
    refuse(to->getExprLoc(), not_in_make(makes_for_, "block_context", "is handed on"));
}

void facts_visitor::write(const Expr* to) {
  check_write(to);
  message_outside(to);
  if (part_ == run_part::makes && unevaluated_ == 0) {
    if (is_actor_itself(to))
      refuse(to->getExprLoc(), not_in_make(makes_for_, "the actor", "is written"));
    if (const auto* value = per_lane_in(to))
      refuse(to->getExprLoc(),
             not_in_make(makes_for_, value->getMemberDecl()->getNameAsString(), "is written"));
  }
  const auto* member = state_in(to);
  if (member == nullptr || unevaluated_ > 0 || made_by_compiler_) return;
  if (part_ == run_part::makes) {
    refuse(member->getExprLoc(),
           not_in_make(makes_for_, member->getMemberDecl()->getNameAsString(), "is written"));
  }
  if (region_ != nullptr && part_ == run_part::reads) {
    refuse(member->getExprLoc(), written_by_all(member->getMemberDecl()->getNameAsString()));
  }
  if (region_ != nullptr || judged_by_call_) return;
  out_.uses.push_back({.at = member->getExprLoc(),
                       .name = member->getMemberDecl()->getNameAsString(),
                       .writes_state = true});
}

void facts_visitor::check_write(const Expr* to, bool only_read) {
  const auto* here = region_ != nullptr ? region_ : fills_ != nullptr ? fills_ : captures_;
  if (here == nullptr || unevaluated_ > 0) return;
  const auto* root = root_of(to);
  const auto* variable = root == nullptr ? nullptr : llvm::dyn_cast<VarDecl>(root->getDecl());
  if (variable == nullptr || !variable->isLocalVarDeclOrParm()) return;
  if (encloses(here, variable->getDeclContext()) || is_message(variable)) return;  // its own
  // a pointer names it where it was made, which may be anywhere
  const bool named_here =
      !(root->getLocation() < to->getBeginLoc()) && !(to->getEndLoc() < root->getLocation());
  if (!named_here && to->getType().isConstQualified()) return;  // it can only be read so
  const auto at = named_here ? root->getLocation() : to->getExprLoc();
  const auto type = variable->getType().getNonReferenceType();
  if (is_perdure(type->getAsCXXRecordDecl(), "block_context")) return;
  // in a run the actor itself is reached by references, and a value of each lane's is changed by whom it is handed to
  const bool passes = only_read || variable->getType()->isReferenceType() || holds_own_values(type);
  if (region_ == nullptr && fills_ == nullptr) {
    const auto* owner = llvm::dyn_cast<FunctionDecl>(variable->getDeclContext());
    out_.uses.push_back(
        {.at = at, .name = variable->getNameAsString(), .passes_in_run = passes, .owner = owner});
    return;
  }
  if (part_ == run_part::makes) {
    if (only_read) return;
    const auto name = variable->getNameAsString();
    if (is_perdure(type->getAsCXXRecordDecl(), "context")) {
      refuse(at, not_in_make(makes_for_, name, "is used"));
    } else if (!variable->getType()->isReferenceType() ||
               (makes_for_.uniform && has_known_root(variable)))
      refuse(at, not_in_make(makes_for_, name, "is written"), variable);
    return;
  }
  if (part_ != run_part::none && passes) return;
  const std::string text = "'" + variable->getNameAsString() + "' belongs to ";
  refuse(at,
         part_ != run_part::none
             ? text + std::string{shared_by_run}
             : text +
                   "the handler; every lane has a copy of it, so a region must not write "
                   "to it (reduce gives a value to all)",
         variable);
}

}  // namespace perdure::codegen::frontend
