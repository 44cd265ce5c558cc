// codegen/frontend/facts_visitor.cpp - references: what each node of the tree names.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts_visitor.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>

#include "codegen/frontend/names.hpp"
#include "codegen/frontend/run_parts.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

bool facts_visitor::refuse(SourceLocation at, std::string text, const Decl* about) {
  if (!transparent_) out_.violations.push_back({at, std::move(text), about});
  return true;
}

void facts_visitor::structural(const Decl* to, SourceLocation at) {
  if (to != nullptr) out_.edges.push_back({to, at, false, true, where()});
}

void facts_visitor::check_function(const FunctionDecl* f, SourceLocation at) {
  if (unevaluated_ > 0 || f->isDeleted() || f->isDefaulted() || f->isImplicit() ||
      f->isPureVirtual())
    return;
  if (f->getDefinition() != nullptr || f->getBuiltinID() != 0) return;
  const auto* pattern = f->getTemplateInstantiationPattern();
  if (pattern != nullptr && pattern->getDefinition() != nullptr) return;
  refuse(at,
         "'" + signature(f) +
             "' is declared but not defined in this header, so the device cannot run it",
         f);
}

void facts_visitor::check_global(const VarDecl* v, SourceLocation at) {
  if (!v->hasGlobalStorage() || v->isConstexpr() || unevaluated_ > 0) return;
  const std::string name = "'" + v->getQualifiedNameAsString() + "'";
  if (v->getTLSKind() != VarDecl::TLS_None) {
    refuse(at, "thread_local variable " + name + " cannot be used in a handler", v);
  } else if (!v->getType().isConstQualified()) {
    refuse(at,
           (v->isLocalVarDecl() ? "static local variable " : "global variable ") + name +
               " can change, so a handler cannot use it; keep it in the actor's state",
           v);
  } else if (!v->getType()->isDependentType() &&
             (v->getAnyInitializer() == nullptr || !v->hasConstantInitialization())) {
    refuse(at,
           name + " is not initialised by a constant expression, so the device does not have it",
           v);
  }
}

void facts_visitor::reference(const NamedDecl* d, const NamedDecl* found, SourceLocation at) {
  if (d == nullptr ||
      llvm::isa<ParmVarDecl, TemplateTypeParmDecl, NonTypeTemplateParmDecl,
                TemplateTemplateParmDecl, UnresolvedUsingValueDecl, UnresolvedUsingTypenameDecl>(d))
    return;
  const auto from = files_.of(d->getLocation());
  if (!transparent_) {
    const auto text = refuse_name(d, found, files_);
    if (!text.empty() && constant_ > 0 && d->isInStdNamespace() &&
        (d->getName() == "string" || d->getName() == "string_view")) {
      out_.opaque.push_back(d->getNameAsString());  // compared with, never made
      return;
    }
    if (!text.empty()) {
      refuse(at, text, from == owner::user ? d : nullptr);
      return;
    }
  }
  if (const auto* shadow = llvm::dyn_cast_or_null<UsingShadowDecl>(found)) {
    if (files_.user(shadow->getLocation()))
      out_.edges.push_back({shadow->getIntroducer(), at, false, true, where()});
  }
  const bool runtime = constant_ == 0 && !llvm::isa<TypeDecl, ConceptDecl>(d);
  if (from == owner::user) {
    if (const auto* v = llvm::dyn_cast<VarDecl>(d)) {
      if (v->isLocalVarDecl()) return;  // judged where it is declared
      check_global(v, at);
    }
    if (const auto* f = llvm::dyn_cast<FunctionDecl>(d)) check_function(f, at);
    out_.edges.push_back({d, at, runtime, false, where()});
  } else if (from == owner::system) {
    const auto* f = llvm::dyn_cast<FunctionDecl>(d);  // may call back into the user's code
    if (f != nullptr && f->isTemplateInstantiation())
      out_.edges.push_back({d, at, runtime, false, where()});
  }
}

void facts_visitor::tags(QualType type, SourceLocation at) {
  for (const auto* tag : tags_in(type)) {
    if (files_.user(tag->getLocation())) out_.edges.push_back({tag, at, false, false, where()});
  }
}

void facts_visitor::template_parameters(const TemplateParameterList* list) {
  if (list == nullptr) return;
  for (auto* p : *list) TraverseDecl(p);
  if (auto* clause = const_cast<Expr*>(list->getRequiresClause())) {
    const constant_scope scope{*this, true};
    TraverseStmt(clause);
  }
}

bool facts_visitor::VisitDeclRefExpr(DeclRefExpr* e) {
  reference(e->getDecl(), e->getFoundDecl(), e->getLocation());
  if (const auto* b = llvm::dyn_cast<BindingDecl>(e->getDecl())) {
    if (auto* hidden = b->getHoldingVar()) TraverseStmt(hidden->getInit());
  }
  return true;
}
bool facts_visitor::VisitMemberExpr(MemberExpr* e) {
  reference(e->getMemberDecl(), e->getFoundDecl().getDecl(), e->getMemberLoc());
  return true;
}
bool facts_visitor::VisitCXXConstructExpr(CXXConstructExpr* e) {
  const auto* ctor = e->getConstructor();
  reference(ctor, nullptr, e->getLocation());
  for (unsigned i = 0; i < ctor->getNumParams() && i < e->getNumArgs(); ++i)
    check_binding(ctor->getParamDecl(i)->getType(), e->getArg(i));
  if (is_perdure(ctor->getParent(), "log_format") && e->getNumArgs() == 1 &&
      !e->isTypeDependent()) {
    auto& context = ctor->getASTContext();
    if (const auto text = e->getArg(0)->tryEvaluateString(context)) {
      out_.calls.push_back({"log", {}, {}, e->getArg(0)->getExprLoc(), *text});
    }
  }
  return true;
}
bool facts_visitor::VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr* e) {
  reference(e->getConstructor(), nullptr, e->getLocation());
  return true;
}
bool facts_visitor::VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr* e) {
  const auto* dtor = e->getTemporary()->getDestructor();
  if (dtor != nullptr && !dtor->isTrivial()) reference(dtor, nullptr, e->getExprLoc());
  return true;
}

namespace {

/// The number of the port that a call names first, or -1 if that is known at run time only.
int constant_port(const CXXMemberCallExpr* e, const ASTContext& context) {
  const Expr* port = e->getNumArgs() != 0 ? e->getArg(0) : nullptr;
  if (port == nullptr || port->isValueDependent()) return -1;
  Expr::EvalResult value;
  if (!port->EvaluateAsInt(value, context)) return -1;
  const auto number = value.Val.getInt().getExtValue();
  return number >= 0 && number < 0xffff ? static_cast<int>(number) : -1;
}

/// The values that a format names: of `{}` one each, of `{2}` three, of `{:{}}` two. Nothing where a brace has no partner, or both
/// `{}` and `{0}` are in it.
std::optional<unsigned> values_named(const std::string& text) {
  unsigned in_turn = 0, most = 0, open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (open == 0 && i + 1 < text.size() && text[i + 1] == text[i]) {  // printed as one
      ++i;
      continue;
    }
    if (text[i] == '}') {
      if (open-- == 0) return {};
      continue;
    }
    if (++open > 2 || i + 1 == text.size()) return {};
    if (std::isdigit(static_cast<unsigned char>(text[i + 1])) == 0) {
      ++in_turn;
    } else {
      most = std::max(most, 1U + static_cast<unsigned>(std::strtoul(&text[i + 1], nullptr, 10)));
    }
  }
  if (open != 0 || (in_turn != 0 && most != 0)) return {};
  return std::max(in_turn, most);
}

}  // namespace

/// ctx.log(): a format that names more values than there are would be found by who reads the line.
void facts_visitor::log_call(const CXXMemberCallExpr* e) {
  const auto* made = llvm::dyn_cast<CXXConstructExpr>(e->getArg(0)->IgnoreImplicit());
  if (made == nullptr || made->getNumArgs() == 0 || made->getArg(0)->isValueDependent()) return;
  const auto text = made->getArg(0)->tryEvaluateString(context_);
  if (!text) return;
  const auto named = values_named(*text);
  const unsigned given = e->getNumArgs() - 1;
  if (!named) {
    refuse(made->getExprLoc(),
           "the format has a brace without a partner, or both {} and {0}; one that is printed is "
           "written twice");
  } else if (*named > given) {
    refuse(made->getExprLoc(), "the format names " + std::to_string(*named) + " values and gets " +
                                   std::to_string(given));
  }
}

bool facts_visitor::VisitCXXMemberCallExpr(CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (method == nullptr) return true;
  const auto name = method->getNameAsString();
  if (name == "get" && is_perdure(method->getParent(), "joined")) {
    if (const auto* of = method->getTemplateSpecializationArgs()) {
      out_.calls.push_back({name,
                            {},
                            of->get(0).getAsType().getCanonicalType(),
                            e->getExprLoc(),
                            {},
                            constant_port(e, method->getASTContext())});
    }
    return true;
  }
  if (part_ == run_part::makes && !method->isConst() && !method->isStatic() &&
      is_actor_itself(e->getImplicitObjectArgument())) {
    refuse(e->getExprLoc(), not_in_make(makes_for_, name, "is called, which is not const,"));
  }
  if (is_own_value(method)) own_value(e->getExprLoc(), name, "()");
  const bool of_run = has_lanes_meet(method);
  if (of_run) meeting_call(e);
  if (of_run && name != "send") return true;
  const bool wide = is_perdure(method->getParent(), "block_context");
  if (wide) block_call(e);
  if (!wide && !of_run && !is_perdure(method->getParent(), "context")) return true;
  if (name == "log" && e->getNumArgs() != 0) log_call(e);
  if (name == "stop" || name == "fail") out_.ends.push_back({name, e->getExprLoc()});
  const auto* arguments = method->getTemplateSpecializationArgs();
  if (arguments == nullptr ||
      (name != "send" && name != "send_n" && name != "send_in_place" && name != "reply" &&
       name != "reply_in_place" && name != "after" && name != "open"))
    return true;
  const auto at = e->getExprLoc();
  const auto type = [&](unsigned i) { return arguments->get(i).getAsType().getCanonicalType(); };
  if (name == "open")
    out_.calls.push_back({name, {}, type(0), at, {}, constant_port(e, method->getASTContext())});
  if (name == "reply" || name == "reply_in_place")
    out_.calls.push_back({"reply", {}, type(0), at, {}});
  if (name == "send_n") out_.calls.push_back({name, type(0), type(2), at, {}});
  if (name == "send_in_place") out_.calls.push_back({name, type(1), type(0), at, {}});
  if (name == "send") out_.calls.push_back({name, type(0), type(1), at, {}});
  if (name == "after") out_.calls.push_back({name, type(2), type(3), at, {}});
  return true;
}

void facts_visitor::require_name(DeclarationName name) {
  if (constant_ > 0 || body_ == 0) out_.required.push_back(name);
}
bool facts_visitor::VisitOverloadExpr(OverloadExpr* e) {
  require_name(e->getName());
  std::vector<const Decl*> candidates;
  for (const auto* d : e->decls()) {
    const auto* target = d->getUnderlyingDecl();
    if (files_.user(target->getLocation())) {
      candidates.push_back(target);
    } else if (!transparent_) {
      const auto text = refuse_name(target, d, files_);
      if (!text.empty()) refuse(e->getNameLoc(), text);
    }
    if (const auto* shadow = llvm::dyn_cast<UsingShadowDecl>(d);
        shadow && files_.user(shadow->getLocation())) {
      structural(shadow->getIntroducer(), e->getNameLoc());
    }
  }
  if (!candidates.empty()) out_.lookups.push_back(std::move(candidates));
  return true;
}
bool facts_visitor::VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr* e) {
  require_name(e->getMember());
  return true;
}
bool facts_visitor::VisitDependentScopeDeclRefExpr(DependentScopeDeclRefExpr* e) {
  require_name(e->getDeclName());
  return true;
}
bool facts_visitor::VisitDependentNameTypeLoc(DependentNameTypeLoc t) {
  require_name(t.getTypePtr()->getIdentifier());
  return true;
}
bool facts_visitor::VisitBinaryOperator(BinaryOperator* e) {
  if (e->isAssignmentOp()) write(e->getLHS());
  if (!e->isTypeDependent() && !e->getLHS()->isTypeDependent()) return true;
  const auto op = BinaryOperator::getOverloadedOperator(e->getOpcode());
  if (op != OO_None) require_name(context_.DeclarationNames.getCXXOperatorName(op));
  return true;
}

bool facts_visitor::VisitVarDecl(VarDecl* d) {
  if (d->isStaticLocal()) check_global(d, d->getLocation());
  if (!d->isImplicit()) check_binding(d->getType(), d->getInit());
  if (d->isLocalVarDecl()) {
    if (const auto* record = d->getType()->getAsCXXRecordDecl();
        record && record->hasDefinition()) {
      const auto* dtor = record->getDestructor();
      if (dtor != nullptr && !dtor->isTrivial()) reference(dtor, nullptr, d->getLocation());
    }
  }
  return true;
}
bool facts_visitor::VisitFloatingLiteral(FloatingLiteral* e) {
  const auto* builtin = e->getType()->getAs<BuiltinType>();
  if (builtin != nullptr && builtin->getKind() == BuiltinType::LongDouble) {
    refuse(e->getBeginLoc(), "'long double' is not the same type on the device; use double");
  }
  return true;
}

}  // namespace perdure::codegen::frontend
