// codegen/frontend/facts.cpp - which parts of a declaration are walked, by kind of declaration.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/facts.hpp"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "codegen/frontend/facts_visitor.hpp"
#include "codegen/frontend/names.hpp"
#include "codegen/model/std_names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;

std::vector<const TagDecl*> tags_in(QualType type) {
  std::vector<const TagDecl*> found;
  if (type.isNull()) return found;
  auto t = type.getCanonicalType();
  for (;;) {
    if (const auto* array = t->getAsArrayTypeUnsafe()) {
      t = array->getElementType().getCanonicalType();
    } else if (t->isPointerType() || t->isReferenceType() || t->isMemberPointerType()) {
      t = t->getPointeeType().getCanonicalType();
    } else {
      break;
    }
  }
  const auto* tag = t->getAsTagDecl();
  if (tag == nullptr) return found;
  found.push_back(tag);
  const auto* specialization = llvm::dyn_cast<ClassTemplateSpecializationDecl>(tag);
  if (specialization == nullptr) return found;
  const auto take = [&](const TemplateArgument& a) {
    if (a.getKind() == TemplateArgument::Type) {
      for (const auto* inner : tags_in(a.getAsType())) found.push_back(inner);
    }
  };
  for (const auto& a : specialization->getTemplateArgs().asArray()) {
    take(a);
    if (a.getKind() == TemplateArgument::Pack) {
      for (const auto& p : a.pack_elements()) take(p);
    }
  }
  return found;
}

std::string refuse_name(const NamedDecl* d, const NamedDecl* found, const files& f) {
  const auto from = f.of(d->getLocation());
  if (from == owner::user) return {};
  if (from == owner::tool) {
    const auto* function = llvm::dyn_cast<FunctionDecl>(d);
    if (function == nullptr || function->getBuiltinID() == 0) return {};
  }
  if (d->getDeclContext()->isRecord()) return {};  // its class is judged where it is named
  auto name = top_name(d);
  if (found != nullptr && found != d) {  // `using ::memcpy;` in std makes it std::memcpy
    if (const auto* shadow = llvm::dyn_cast<UsingShadowDecl>(found);
        shadow != nullptr && f.of(shadow->getLocation()) == owner::system)
      name = top_name(shadow);
  }
  if (on_device(name)) return {};
  if (from == owner::library) return "'" + name + "' belongs to the host; a handler cannot use it";
  return "'" + name + "' is not available on the device" + advice_for(name);
}

namespace {

/// The declaration in the text that `d` was instantiated from, for members that Clang does not link back.
const Decl* member_pattern(const NamedDecl* d) {
  const auto* parent = llvm::dyn_cast<CXXRecordDecl>(d->getDeclContext());
  const auto* pattern = parent ? parent->getTemplateInstantiationPattern() : nullptr;
  if (pattern == nullptr) return nullptr;
  for (const auto* other : pattern->decls()) {
    if (other->getLocation() == d->getLocation() && other->getKind() == d->getKind()) return other;
  }
  return nullptr;
}

void parents(const Decl* d, facts_visitor& v) {
  if (const auto* record = llvm::dyn_cast<CXXRecordDecl>(d->getDeclContext()))
    v.structural(record, d->getLocation());
}

void arguments(const TemplateArgumentList* list, const Decl* d, facts_visitor& v) {
  if (list == nullptr) return;
  for (const auto& a : list->asArray()) {
    if (a.getKind() == TemplateArgument::Type) v.tags(a.getAsType(), d->getLocation());
    if (a.getKind() == TemplateArgument::Template) {
      v.structural(a.getAsTemplate().getAsTemplateDecl(), d->getLocation());
    }
    if (a.getKind() == TemplateArgument::Declaration)
      v.reference(a.getAsDecl(), nullptr, d->getLocation());
    if (a.getKind() != TemplateArgument::Pack) continue;
    for (const auto& p : a.pack_elements()) {
      if (p.getKind() == TemplateArgument::Type) v.tags(p.getAsType(), d->getLocation());
    }
  }
}

void of_function(const FunctionDecl* f, facts_visitor& v, bool transparent) {
  parents(f, v);
  if (!transparent) {
    v.structural(f->getTemplateInstantiationPattern(), f->getLocation());
    if (const auto* primary = f->getPrimaryTemplate())
      v.structural(primary->getTemplatedDecl(), f->getLocation());
    v.structural(f->getInstantiatedFromMemberFunction(), f->getLocation());
    arguments(f->getTemplateSpecializationArgs(), f, v);
    if (const auto* described = f->getDescribedFunctionTemplate()) {
      for (const auto* r : described->redecls()) v.template_parameters(r->getTemplateParameters());
    }
  }
  if (const auto* ctor = llvm::dyn_cast<CXXConstructorDecl>(f);
      ctor && ctor->isInheritingConstructor()) {
    v.reference(ctor->getInheritedConstructor().getConstructor(), nullptr, f->getLocation());
  }
  if (const auto* d = f->getDefinition();
      d && llvm::isa_and_nonnull<CoroutineBodyStmt>(d->getBody())) {
    v.coroutine(f->getLocation());
  }
  if (const auto* m = llvm::dyn_cast<CXXMethodDecl>(f); m && m->getParent()->isLambda())
    v.body_of_lambda(m);
  if (!transparent) v.ends_of(f->getDefinition());
  for (auto* r : f->redecls()) v.TraverseDecl(r);
}

void of_record(const CXXRecordDecl* r, facts_visitor& v, facts& out) {
  parents(r, v);
  const auto at = r->getLocation();
  v.structural(r->getTemplateInstantiationPattern(), at);
  if (const auto* described = r->getDescribedClassTemplate()) {
    for (const auto* x : described->redecls()) v.template_parameters(x->getTemplateParameters());
  }
  if (const auto* s = llvm::dyn_cast<ClassTemplateSpecializationDecl>(r)) {
    v.structural(s->getSpecializedTemplate()->getTemplatedDecl(), at);
    arguments(&s->getTemplateArgs(), r, v);
    if (const auto* written = s->getTemplateArgsAsWritten()) {
      for (const auto& a : written->arguments()) v.TraverseTemplateArgumentLoc(a);
    }
    if (const auto* p = llvm::dyn_cast<ClassTemplatePartialSpecializationDecl>(s)) {
      v.template_parameters(p->getTemplateParameters());
    }
  }
  const auto* d = r->getDefinition();
  if (d == nullptr) return;
  for (const auto& b : d->bases()) {
    if (b.isVirtual())
      out.violations.push_back(
          {b.getBeginLoc(), "virtual bases cannot be used on the device", nullptr});
    v.TraverseTypeLoc(b.getTypeSourceInfo()->getTypeLoc());
    v.tags(b.getType(), b.getBeginLoc());
  }
  for (auto* a : d->attrs()) {
    v.TraverseAttr(a);
    if (llvm::isa<PackedAttr, MaxFieldAlignmentAttr>(a)) {
      out.violations.push_back(
          {d->getLocation(),
           "'" + d->getNameAsString() +
               "' is packed; packed types have no single layout on host and device",
           nullptr});
    }
  }
  for (auto* field : d->fields()) {
    const facts_visitor::constant_scope scope{
        v};  // an initialiser runs where a constructor uses it
    v.TraverseDecl(field);
    v.tags(field->getType(), field->getLocation());
    if (field->hasAttr<PackedAttr>()) {
      out.violations.push_back(
          {field->getLocation(), "'" + field->getNameAsString() + "' is packed", nullptr});
    }
  }
  for (auto* m : d->methods()) {
    if (m->isVirtual() && (m->isVirtualAsWritten() || !m->isImplicit())) {
      out.violations.push_back(
          {m->getLocation(),
           "virtual function '" + m->getNameAsString() + "' cannot be called on the device",
           nullptr});
    }
  }
  if (const auto* dtor = d->getDestructor(); dtor && !dtor->isTrivial())
    v.reference(dtor, nullptr, at);
}

}  // namespace

facts facts_of(const Decl* d, const files& f) {
  facts out;
  const bool transparent = !f.user(d->getLocation());
  facts_visitor v{out, f, d->getASTContext(), transparent};
  if (const auto* t = llvm::dyn_cast<RedeclarableTemplateDecl>(d)) d = t->getTemplatedDecl();
  auto* m = const_cast<Decl*>(d);
  if (const auto* function = llvm::dyn_cast<FunctionDecl>(d)) {
    of_function(function, v, transparent);
  } else if (transparent) {
    return out;
  } else if (const auto* record = llvm::dyn_cast<CXXRecordDecl>(d)) {
    of_record(record, v, out);
  } else if (const auto* e = llvm::dyn_cast<EnumDecl>(d)) {
    parents(e, v);
    v.structural(e->getTemplateInstantiationPattern(), e->getLocation());
    for (auto* r : e->redecls()) v.TraverseDecl(r);
  } else if (const auto* c = llvm::dyn_cast<EnumConstantDecl>(d)) {
    v.structural(llvm::cast<EnumDecl>(c->getDeclContext()), c->getLocation());
  } else if (const auto* var = llvm::dyn_cast<VarDecl>(d)) {
    parents(var, v);
    v.structural(var->getTemplateInstantiationPattern(), var->getLocation());
    if (const auto* s = llvm::dyn_cast<VarTemplateSpecializationDecl>(var)) {
      v.structural(s->getSpecializedTemplate()->getTemplatedDecl(), s->getLocation());
      arguments(&s->getTemplateArgs(), s, v);
    }
    if (const auto* described = var->getDescribedVarTemplate())
      v.template_parameters(described->getTemplateParameters());
    for (auto* r : var->redecls()) v.TraverseDecl(r);
  } else if (const auto* binding = llvm::dyn_cast<BindingDecl>(d)) {
    v.structural(binding->getDecomposedDecl(), binding->getLocation());
  } else if (const auto* indirect = llvm::dyn_cast<IndirectFieldDecl>(d)) {
    parents(indirect, v);
  } else if (llvm::isa<FieldDecl>(d)) {
    parents(d, v);
  } else if (const auto* alias = llvm::dyn_cast<TypedefNameDecl>(d)) {
    parents(alias, v);
    v.structural(member_pattern(alias), alias->getLocation());
    if (const auto* ta = llvm::dyn_cast<TypeAliasDecl>(alias);
        ta && ta->getDescribedAliasTemplate()) {
      v.template_parameters(ta->getDescribedAliasTemplate()->getTemplateParameters());
    }
    v.TraverseDecl(m);
    v.tags(alias->getUnderlyingType(), alias->getLocation());
  } else if (const auto* use = llvm::dyn_cast<UsingEnumDecl>(d)) {
    parents(use, v);
    v.structural(use->getEnumDecl(), use->getLocation());
  } else if (llvm::isa<UsingDecl>(d)) {
    parents(d, v);
    v.structural(member_pattern(llvm::cast<NamedDecl>(d)), d->getLocation());
    v.TraverseDecl(m);
  } else {  // concepts, deduction guides, namespace aliases, static assertions
    parents(d, v);
    v.TraverseDecl(m);
  }
  return out;
}

}  // namespace perdure::codegen::frontend
