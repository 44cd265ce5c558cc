// codegen/frontend/facts_types.cpp - references by types, and which parts of a tree are never run.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts_visitor.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

bool facts_visitor::VisitTypedefTypeLoc(TypedefTypeLoc t) {
  reference(t.getTypedefNameDecl(), nullptr, t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitUsingTypeLoc(UsingTypeLoc t) {
  const auto* shadow = t.getFoundDecl();
  reference(shadow->getTargetDecl(), shadow, t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitTagTypeLoc(TagTypeLoc t) {
  last_ = t.getBeginLoc();
  reference(t.getDecl(), nullptr, t.getBeginLoc());
  tags(t.getType(), t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitInjectedClassNameTypeLoc(InjectedClassNameTypeLoc t) {
  reference(t.getDecl(), nullptr, t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc t) {
  last_ = t.getTemplateNameLoc();
  tags(t.getType(), t.getTemplateNameLoc());
  return true;
}
bool facts_visitor::VisitDeducedTemplateSpecializationTypeLoc(
    DeducedTemplateSpecializationTypeLoc t) {
  last_ = t.getTemplateNameLoc();
  TraverseTemplateName(t.getTypePtr()->getTemplateName());
  tags(t.getTypePtr()->getDeducedType(), t.getTemplateNameLoc());
  return true;
}
bool facts_visitor::VisitSubstTemplateTypeParmTypeLoc(SubstTemplateTypeParmTypeLoc t) {
  tags(t.getTypePtr()->getReplacementType(), t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitAutoTypeLoc(AutoTypeLoc t) {
  tags(t.getTypePtr()->getDeducedType(), t.getBeginLoc());
  return true;
}
bool facts_visitor::VisitBuiltinTypeLoc(BuiltinTypeLoc t) {
  switch (t.getTypePtr()->getKind()) {
    case BuiltinType::LongDouble:
      return refuse(t.getBeginLoc(),
                    "'long double' is not the same type on the device; use double");
    case BuiltinType::Float128:
    case BuiltinType::Ibm128:
    case BuiltinType::Float16:
    case BuiltinType::BFloat16:
    case BuiltinType::Half:
      return refuse(t.getBeginLoc(),
                    "this floating-point type is not the same on the device; use float or double");
    case BuiltinType::Int128:
    case BuiltinType::UInt128:
      return refuse(t.getBeginLoc(),
                    "128-bit integers cannot be used in a handler; use two 64-bit members");
    default:
      return true;
  }
}
bool facts_visitor::VisitVariableArrayTypeLoc(VariableArrayTypeLoc t) {
  return refuse(t.getLBracketLoc(),
                "an array of variable length is not C++20 and cannot be used in a handler");
}
bool facts_visitor::VisitConceptReference(ConceptReference* r) {
  reference(r->getNamedConcept(), r->getFoundDecl(), r->getConceptNameLoc());
  return true;
}
bool facts_visitor::TraverseTemplateName(TemplateName name) {
  const auto* d = name.getAsTemplateDecl();
  if (d != nullptr) reference(d, name.getAsUsingShadowDecl(), last_);
  return base::TraverseTemplateName(name);
}
bool facts_visitor::TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc n) {
  if (n && n.getNestedNameSpecifier()->getKind() == NestedNameSpecifier::NamespaceAlias) {
    structural(n.getNestedNameSpecifier()->getAsNamespaceAlias(), n.getLocalBeginLoc());
  }
  return base::TraverseNestedNameSpecifierLoc(n);
}

bool facts_visitor::TraverseConstantExpr(ConstantExpr* e) {
  const constant_scope scope{*this};
  return base::TraverseConstantExpr(e);
}
bool facts_visitor::TraverseStaticAssertDecl(StaticAssertDecl* d) {
  const constant_scope scope{*this};
  return base::TraverseStaticAssertDecl(d);
}
bool facts_visitor::TraverseDecltypeTypeLoc(DecltypeTypeLoc t) {
  const constant_scope scope{*this, true};
  return base::TraverseDecltypeTypeLoc(t);
}
bool facts_visitor::TraverseConstantArrayTypeLoc(ConstantArrayTypeLoc t) {
  const constant_scope scope{*this};
  return base::TraverseConstantArrayTypeLoc(t);
}
bool facts_visitor::TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* e) {
  const constant_scope scope{*this, true};
  return base::TraverseUnaryExprOrTypeTraitExpr(e);
}
bool facts_visitor::TraverseCXXNoexceptExpr(CXXNoexceptExpr* e) {
  const constant_scope scope{*this, true};
  return base::TraverseCXXNoexceptExpr(e);
}
bool facts_visitor::TraverseRequiresExpr(RequiresExpr* e) {
  const constant_scope scope{*this, true};
  return base::TraverseRequiresExpr(e);
}
bool facts_visitor::TraverseConceptSpecializationExpr(ConceptSpecializationExpr* e) {
  const constant_scope scope{*this, true};
  for (const auto& argument : e->getTemplateArguments()) {
    if (argument.getKind() == TemplateArgument::Type) tags(argument.getAsType(), e->getBeginLoc());
  }
  return base::TraverseConceptSpecializationExpr(e);
}
bool facts_visitor::TraverseEnumConstantDecl(EnumConstantDecl* d) {
  const constant_scope scope{*this};
  return base::TraverseEnumConstantDecl(d);
}
bool facts_visitor::TraverseVarDecl(VarDecl* d) {
  if (!d->isConstexpr() && !d->isFileVarDecl()) return base::TraverseVarDecl(d);
  const constant_scope scope{*this};
  return base::TraverseVarDecl(d);
}
bool facts_visitor::TraverseIfStmt(IfStmt* s) {
  if (!s->isConstexpr()) return base::TraverseIfStmt(s);
  {
    const constant_scope scope{*this};
    TraverseStmt(s->getCond());
  }
  return TraverseStmt(s->getInit()) && TraverseStmt(s->getThen()) && TraverseStmt(s->getElse());
}
/// What a coroutine is made into is nobody's text; its first keyword stands for all of it.
bool facts_visitor::TraverseCoroutineBodyStmt(CoroutineBodyStmt* s) {
  if (named_coroutine_) return true;  // refused at its name
  struct finder : RecursiveASTVisitor<finder> {
    bool VisitCoroutineSuspendExpr(CoroutineSuspendExpr* e) { return keep(e->getKeywordLoc()); }
    bool VisitDependentCoawaitExpr(DependentCoawaitExpr* e) { return keep(e->getKeywordLoc()); }
    bool VisitCoreturnStmt(CoreturnStmt* e) { return keep(e->getKeywordLoc()); }
    bool keep(SourceLocation l) {
      at = l;
      return false;
    }
    SourceLocation at;
  } find;
  find.TraverseStmt(s->getBody());
  return refuse(find.at, "a handler cannot be or call a coroutine");
}
bool facts_visitor::TraverseCompoundStmt(CompoundStmt* s) {
  ++body_;
  const bool go_on = base::TraverseCompoundStmt(s);
  --body_;
  return go_on;
}

}  // namespace perdure::codegen::frontend
