// codegen/frontend/run_parts.cpp - see run_parts.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/run_parts.hpp"

#include "codegen/frontend/actors.hpp"
#include "codegen/frontend/facts_visitor.hpp"
#include "codegen/frontend/names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

std::optional<unsigned> body_of_run(const CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (method == nullptr || method->getIdentifier() == nullptr ||
      !is_perdure(method->getParent(), "run"))
    return {};
  const auto name = method->getName();
  std::optional<unsigned> at;
  if (name == "each" || name == "which" || name == "write" || name == "once") at = 0;
  if (name == "each_of" || name == "which_of" || name == "write_of" || name == "gather" ||
      name == "in_order")
    at = 1;
  return at && *at < e->getNumArgs() ? at : std::nullopt;
}

std::optional<made_messages> messages_made(const CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (method == nullptr || method->getIdentifier() == nullptr) return {};
  const bool wide = is_perdure(method->getParent(), "block_context");
  if (!wide && !is_perdure(method->getParent(), "context")) return {};
  std::optional<made_messages> made;
  if (method->getName() == "send_n") {
    made = made_messages{2, "what gives send_n() its messages",
                         "which a GPU's lanes do in any order", false};
  } else if (method->getName() == "send_in_place") {
    made = made_messages{1, "what fills the message of send_in_place()",
                         "which is not called where no buffer is left", wide};
  } else if (method->getName() == "reply_in_place") {
    made = made_messages{0, "what fills the message of reply_in_place()",
                         "which is not called where no buffer is left", wide};
  }
  return made && made->at < e->getNumArgs() ? made : std::nullopt;
}

bool is_written_through(QualType type) {
  return type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
}

const MemberExpr* per_lane_in(const Expr* e) {
  for (;;) {
    e = e->IgnoreParenImpCasts();
    if (const auto* m = llvm::dyn_cast<MemberExpr>(e)) {
      e = m->getBase();
    } else if (const auto* a = llvm::dyn_cast<ArraySubscriptExpr>(e)) {
      e = a->getBase();
    } else if (const auto* o = llvm::dyn_cast<CXXOperatorCallExpr>(e); o && o->getNumArgs() != 0) {
      const auto* method = llvm::dyn_cast_or_null<CXXMethodDecl>(o->getCalleeDecl());
      if (method != nullptr && is_perdure(method->getParent(), "per_lane"))
        return llvm::dyn_cast<MemberExpr>(o->getArg(0)->IgnoreParenImpCasts());
      e = o->getArg(0);
    } else {
      return nullptr;
    }
  }
}

const LambdaExpr* as_lambda(const Expr* e) {
  return llvm::dyn_cast<LambdaExpr>(e->IgnoreUnlessSpelledInSource());
}

bool encloses(const DeclContext* outer, const DeclContext* inner) {
  for (; inner != nullptr; inner = inner->getParent()) {
    if (inner == outer) return true;
  }
  return false;
}

bool is_actor_itself(const Expr* object) {
  object = object->IgnoreParenImpCasts();
  if (const auto* u = llvm::dyn_cast<UnaryOperator>(object); u && u->getOpcode() == UO_Deref)
    object = u->getSubExpr()->IgnoreParenImpCasts();
  if (llvm::isa<CXXThisExpr>(object))
    return !object->getType()->getPointeeType().isConstQualified();
  const auto* named = llvm::dyn_cast<DeclRefExpr>(object);
  const auto* record = object->getType()->getAsCXXRecordDecl();
  return named != nullptr && named->getDecl()->getType()->isReferenceType() && record != nullptr &&
         record->hasDefinition() && is_actor(record->getDefinition());
}

std::string not_in_make(const made_messages& in, const std::string& name, std::string_view what) {
  return "'" + name + "' " + std::string{what} + " in " + std::string{in.by} + ", " +
         std::string{in.why} + "; do it before or behind";
}

bool is_own_value(const CXXMethodDecl* method) {
  return method->getIdentifier() != nullptr && method->getName() == "sender" &&
         is_perdure(method->getParent(), "run");
}

bool has_lanes_meet(const CXXMethodDecl* method) {
  if (method->getIdentifier() == nullptr || method->isStatic()) return false;
  if (is_perdure(method->getParent(), "run"))
    return method->getName() != "size" && !is_own_value(method);
  return is_perdure(method->getParent(), "per_message");
}

bool is_own_value(const CXXOperatorCallExpr* e) {
  const auto* method = llvm::dyn_cast_or_null<CXXMethodDecl>(e->getCalleeDecl());
  return method != nullptr && e->getOperator() == OO_Subscript &&
         is_perdure(method->getParent(), "per_message");
}

namespace {

/// Whether a member's object is a local that is no reference.
bool is_of_local(const MemberExpr* m) {
  for (;;) {
    if (m->isArrow()) return false;
    const auto* base = m->getBase()->IgnoreParenImpCasts();
    if (const auto* of = llvm::dyn_cast<DeclRefExpr>(base)) {
      const auto* variable = llvm::dyn_cast<VarDecl>(of->getDecl());
      return variable != nullptr && variable->isLocalVarDeclOrParm() &&
             !variable->getType()->isReferenceType();
    }
    m = llvm::dyn_cast<MemberExpr>(base);
    if (m == nullptr) return false;
  }
}

}  // namespace

bool holds_own_values(QualType type) {
  const auto* record = type.getNonReferenceType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  if (is_perdure(record, "per_message")) return true;
  for (const auto* field : record->fields()) {
    if (holds_own_values(field->getType())) return true;
  }
  return false;
}

bool is_std_accessor(const CXXMethodDecl* method) {
  if (!method->getParent()->isInStdNamespace()) return false;
  const auto op = method->getOverloadedOperator();
  if (op == OO_Subscript || op == OO_Star || op == OO_Arrow) return true;
  if (method->getIdentifier() == nullptr) return false;
  const auto name = method->getName();
  return name == "front" || name == "back" || name == "begin" || name == "end" || name == "data" ||
         name == "at" || name == "value";
}

std::string written_by_all(const std::string& member) {
  return "'" + member +
         "' is written by all lanes of on_run() at once; write to the actor in what is handed to "
         "write() or once()";
}

const MemberExpr* state_in(const Expr* e) {
  for (;;) {
    e = e->IgnoreParenImpCasts();
    if (const auto* m = llvm::dyn_cast<MemberExpr>(e)) {
      const auto* field = llvm::dyn_cast<FieldDecl>(m->getMemberDecl());
      if (field == nullptr) return nullptr;
      const auto* of = llvm::dyn_cast<CXXRecordDecl>(field->getParent());
      if (of != nullptr && of->hasDefinition() && is_actor(of->getDefinition()))
        return is_of_local(m) ? nullptr : m;
      if (m->isArrow()) return nullptr;
      e = m->getBase();
    } else if (const auto* a = llvm::dyn_cast<ArraySubscriptExpr>(e)) {
      e = a->getBase();
    } else if (const auto* o = llvm::dyn_cast<CXXOperatorCallExpr>(e);
               o != nullptr && o->getOperator() == OO_Subscript && o->getNumArgs() != 0) {
      e = o->getArg(0);
    } else {
      return nullptr;
    }
  }
}

bool facts_visitor::traverse_run(CXXMemberCallExpr* e, unsigned body) {
  if (!WalkUpFromCXXMemberCallExpr(e) || !TraverseStmt(e->getCallee())) return false;
  const auto name = e->getMethodDecl()->getName();
  const auto kind = name == "once"                                    ? run_part::once
                    : name.starts_with("write") || name == "in_order" ? run_part::writes
                                                                      : run_part::reads;
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    const auto saved = part_;
    part_ = i == body ? kind : run_part::none;
    const bool go_on = i == body ? traverse_body(e->getArg(i)) : TraverseStmt(e->getArg(i));
    part_ = saved;
    if (!go_on) return false;
  }
  return true;
}

void facts_visitor::meeting_call(const CXXMemberCallExpr* e) {
  if (unevaluated_ > 0 || transparent_) return;
  const auto name = e->getMethodDecl()->getNameAsString();
  if (region_ != nullptr) {
    refuse(e->getExprLoc(), "'" + name +
                                "' has all lanes meet, so it cannot be called in what is handed to "
                                "a function of the run: a GPU would wait there for ever");
  } else if (!judged_by_call_) {
    out_.uses.push_back({.at = e->getExprLoc(), .name = name});
  }
}

void facts_visitor::own_value(const CXXOperatorCallExpr* e) {
  const auto* of = e->getArg(0)->IgnoreParenImpCasts();
  std::string name = "per_message";
  if (const auto* member = llvm::dyn_cast<MemberExpr>(of)) {
    name = member->getMemberDecl()->getNameAsString();
  } else if (const auto* variable = llvm::dyn_cast<DeclRefExpr>(of)) {
    name = variable->getDecl()->getNameAsString();
  }
  own_value(e->getExprLoc(), name, "[]");
}
void facts_visitor::own_value(SourceLocation at, const std::string& name, const std::string& by) {
  if (unevaluated_ > 0 || transparent_) return;
  if (region_ != nullptr && part_ == run_part::once) {
    refuse(at, "'" + name + by +
                   "' is of the message in hand, and once() has none: ask of() for "
                   "a value before it");
  }
  if (region_ != nullptr || judged_by_call_) return;
  out_.uses.push_back({.at = at, .name = name + by, .only_inside = true});
}

}  // namespace perdure::codegen::frontend
