// codegen/frontend/actors.cpp - see actors.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/actors.hpp"

#include <algorithm>
#include <set>

#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"
#include "codegen/frontend/names.hpp"

namespace perdure::codegen::frontend {
using namespace clang;
namespace {

/// The `Self` of a base perdure::actor<Self> or perdure::block_actor<Self>.
struct actor_base {
  const CXXRecordDecl* self = nullptr;  ///< null: no such base
  bool wide = false;
};
actor_base base_of(const CXXRecordDecl* record) {
  for (const auto& b : record->bases()) {
    const auto* base = b.getType()->getAsCXXRecordDecl();
    if (base == nullptr) continue;
    const bool wide = is_perdure(base, "block_actor");
    if (wide || is_perdure(base, "actor")) {
      const auto& list = llvm::cast<ClassTemplateSpecializationDecl>(base)->getTemplateArgs();
      return {list[0].getAsType()->getAsCXXRecordDecl(), wide};
    }
    if (base->hasDefinition()) {
      if (const auto found = base_of(base->getDefinition()); found.self != nullptr) return found;
    }
  }
  return {};
}

bool derives(const CXXRecordDecl* from, const CXXRecordDecl* base) {
  return from->hasDefinition() && from->getDefinition()->isDerivedFrom(base);
}

/// The types of a handler's parameter perdure::joined<M...>; empty if it takes something else.
std::vector<QualType> joined_types(QualType message) {
  std::vector<QualType> types;
  const auto* record = message->getAsCXXRecordDecl();
  if (record == nullptr || !is_perdure(record, "joined")) return types;
  const auto& list = llvm::cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
  for (const auto& a : list[0].pack_elements())
    types.push_back(a.getAsType().getCanonicalType().getUnqualifiedType());
  return types;
}

std::string wrong_with(const CXXMethodDecl* m, bool wide) {
  if (m->isStatic()) return "it is static";
  if (m->isVariadic()) return "it takes C variadic arguments";
  if (m->isDeleted()) return "it is deleted";
  if (m->getRefQualifier() == RQ_RValue || m->isVolatile())
    return "it cannot be called on the actor as it is kept";
  if (!m->getReturnType()->isVoidType())
    return "it returns '" + m->getReturnType().getAsString() + "' instead of void";
  if (m->getNumParams() < 2) return "the context parameter is missing";
  if (m->getNumParams() > 2) return "it takes more than a message and a context";
  const auto context = m->getParamDecl(1)->getType();
  if (!context->isLValueReferenceType() || context->getPointeeType().isConstQualified() ||
      !is_perdure(context->getPointeeType()->getAsCXXRecordDecl(),
                  wide ? "block_context" : "context")) {
    return wide ? "its second parameter is not perdure::block_context&"
                : "its second parameter is not perdure::context&";
  }
  const auto message = m->getParamDecl(0)->getType();
  if (!message->isLValueReferenceType() || !message->getPointeeType().isConstQualified() ||
      message->getPointeeType().isVolatileQualified()) {
    return "its message is not taken by const reference";
  }
  if (wide && !m->isConst()) {
    return "it is not const; members of a wide actor are written inside regions, through the self "
           "that for_each or once hands out";
  }
  if (m->getAccess() == AS_private || m->getAccess() == AS_protected) return "it is not public";
  return {};
}

/// The message of a parameter const perdure::run<M>&; null if it is something else.
QualType run_type(QualType parameter) {
  if (!parameter->isLValueReferenceType() || !parameter->getPointeeType().isConstQualified())
    return {};
  const auto* record = parameter->getPointeeType()->getAsCXXRecordDecl();
  if (record == nullptr || !is_perdure(record, "run")) return {};
  const auto& list = llvm::cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
  return list[0].getAsType().getCanonicalType().getUnqualifiedType();
}

std::string wrong_with_run(const CXXMethodDecl* m, bool wide) {
  if (wide) return "a wide actor handles each message with all its lanes";
  if (m->isStatic() || m->isDeleted() || m->isVolatile() || m->getRefQualifier() == RQ_RValue)
    return "it cannot be called on the actor as it is kept";
  if (m->getNumParams() != 1 || run_type(m->getParamDecl(0)->getType()).isNull())
    return "its only parameter is a run of messages by const reference";
  const auto& context = m->getASTContext();
  if (!context.hasSameType(m->getReturnType(), context.UnsignedIntTy))
    return "it returns '" + m->getReturnType().getAsString() +
           "' instead of how many messages it has handled, std::uint32_t";
  if (m->getAccess() != AS_public) return "it is not public";
  return {};
}

class finder {
 public:
  finder(ASTContext& context, Sema& sema, const files& f, report& to)
      : context_{context}, sema_{sema}, files_{f}, report_{to} {}

  void walk(const DeclContext& in) {
    for (auto* d : in.decls()) {
      if (const auto* record = llvm::dyn_cast<CXXRecordDecl>(d)) {
        if (record->isThisDeclarationADefinition()) consider(record);
      } else if (const auto* t = llvm::dyn_cast<ClassTemplateDecl>(d)) {
        if (!t->isThisDeclarationADefinition() || !files_.user(t->getLocation())) continue;
        for (const auto* s : t->specializations()) {
          if (!s->isExplicitSpecialization() && s->hasDefinition()) consider(s->getDefinition());
        }
      } else if (const auto* inner = llvm::dyn_cast<DeclContext>(d);
                 inner != nullptr && llvm::isa<NamespaceDecl, LinkageSpecDecl>(d)) {
        walk(*inner);
      }
    }
  }
  std::vector<found_actor> take() { return std::move(actors_); }

 private:
  static std::string form(bool wide) {
    return wide ? "void on(const Message&, perdure::block_context&) const"
                : "void on(const Message&, perdure::context&)";
  }
  void consider(const CXXRecordDecl* record) {
    if (!files_.user(record->getLocation()) || record->isDependentType() || record->isInvalidDecl())
      return;
    if (!seen_.insert(record->getCanonicalDecl()).second)
      return;  // an explicit instantiation is met twice
    walk(*record);
    const auto [self, wide] = base_of(record);
    if (self == nullptr) return;
    if (self->getCanonicalDecl() != record->getCanonicalDecl()) {
      if (derives(self, record) || derives(record, self))
        return;  // a mixin, or a class made of an actor
      const auto name = record->getNameAsString();
      report_.error(record->getLocation(), "'" + name + "' must derive from perdure::" +
                                               (wide ? "block_actor<" : "actor<") + name +
                                               ">, not from the actor of another class");
      return;
    }
    if (!reachable_by_name(record)) {
      report_.error(record->getLocation(),
                    "actor '" + record->getQualifiedNameAsString() +
                        "' must be public, so that generated code can name it");
      return;
    }
    found_actor a{record, wide, {}};
    if (wide) {
      instantiate(record, "lanes");
      enumerate(record, "port");
    }
    instantiate(record, "overflow");
    instantiate(record, "hot");
    if (!handlers(record, a)) {
      report_.error(record->getLocation(), "actor '" + record->getQualifiedNameAsString() +
                                               "' has no handler: " + form(wide));
    }
    runs(record, a);
    actors_.push_back(std::move(a));
  }

  /// The actor's on_run(), or those of the first base that has some, each beside its handler. @return whether there are any.
  bool runs(const CXXRecordDecl* record, found_actor& a) {
    bool any = false;
    for (auto* d : record->decls()) {
      auto* named = llvm::dyn_cast<NamedDecl>(d);
      if (named == nullptr || !named->getIdentifier() || named->getName() != "on_run") continue;
      if (llvm::isa<BaseUsingDecl>(d)) continue;  // what it names stands beside it
      any = true;
      if (auto* shadow = llvm::dyn_cast<UsingShadowDecl>(d)) named = shadow->getTargetDecl();
      auto* m = llvm::dyn_cast<CXXMethodDecl>(named);
      const auto wrong = m == nullptr ? "it is no such function" : wrong_with_run(m, a.wide);
      if (wrong.empty()) {
        run(m, a);
      } else {
        report_.error(
            d->getLocation(),
            "on_run must be 'std::uint32_t on_run(const perdure::run<Message>&)': " + wrong);
      }
    }
    for (const auto& b : record->bases()) {
      const auto* base = b.getType()->getAsCXXRecordDecl();
      if (!any && base != nullptr && base->hasDefinition()) any = runs(base->getDefinition(), a);
    }
    return any;
  }
  void run(CXXMethodDecl* m, found_actor& a) {
    const auto message = run_type(m->getParamDecl(0)->getType());
    const auto beside = std::find_if(
        a.handlers.begin(), a.handlers.end(),
        [&](const found_handler& h) { return context_.hasSameType(h.message, message); });
    if (beside == a.handlers.end()) {
      report_.error(m->getLocation(),
                    "on_run stands beside the handler of its message, and there "
                    "is none: void on(const " +
                        display(message, context_) + "&, perdure::context&)");
      return;
    }
    if (beside->method->getParent()->getCanonicalDecl() != m->getParent()->getCanonicalDecl()) {
      report_.error(m->getLocation(),
                    "on_run does what its class's own handler does, and '" +
                        a.record->getNameAsString() + "' takes that message by another one",
                    {{beside->method->getLocation(), "this one"}});
      return;
    }
    if (is_defined(m, a, "")) beside->together = m;
  }

  /// Whether its body stands in the header, or in a template that is made for it here. @param what  it is, for the error.
  bool is_defined(CXXMethodDecl* m, const found_actor& a, const std::string& what) {
    if (m->isTemplateInstantiation() && !m->isDefined()) {
      sema_.MarkFunctionReferenced(a.record->getLocation(), m);
      sema_.PerformPendingInstantiations();
    }
    if (m->isDefined()) return true;
    report_.error(m->getLocation(),
                  what + "'" + signature(m) + "' is declared but not defined in this header");
    return false;
  }

  /// A base that is a template may give the width or the rule, and nothing has asked for its value yet.
  void instantiate(const CXXRecordDecl* record, llvm::StringRef name) {
    auto* member = const_cast<NamedDecl*>(member_named(record, name));
    auto* v = llvm::dyn_cast_or_null<VarDecl>(member);
    if (v != nullptr && v->getInstantiatedFromStaticDataMember() != nullptr && !v->hasInit())
      sema_.InstantiateVariableDefinition(record->getLocation(), v);
  }

  /// As instantiate(), for an enumeration of a template: unless a handler names a port, nobody has asked for them.
  void enumerate(const CXXRecordDecl* record, llvm::StringRef name) {
    if (auto* e = enumeration_named(record, name))
      sema_.RequireCompleteEnumDecl(e, record->getLocation());
  }

  /// @return false if there is no `on` at all.
  bool handlers(const CXXRecordDecl* record, found_actor& a) {
    bool any = false;
    for (auto* d : record->decls()) {
      const auto* named = llvm::dyn_cast<NamedDecl>(d);
      if (named == nullptr || !named->getIdentifier() || named->getName() != "on") continue;
      if (const auto* shadow = llvm::dyn_cast<UsingShadowDecl>(d)) {
        any = true;
        if (auto* m = llvm::dyn_cast<CXXMethodDecl>(shadow->getTargetDecl()))
          handler(m, shadow->getAccess(), a);
      } else if (auto* m = llvm::dyn_cast<CXXMethodDecl>(d)) {
        any = true;
        handler(m, m->getAccess(), a);
      } else if (llvm::isa<FunctionTemplateDecl>(d)) {
        any = true;
        report_.error(d->getLocation(),
                      "a handler must not be a template; write one overload a message");
      } else if (llvm::isa<FieldDecl, VarDecl>(d)) {
        report_.error(d->getLocation(), "'on' is the name of handlers; name this member otherwise");
      }
    }
    if (any) return true;
    for (const auto& b : record->bases()) {
      const auto* base = b.getType()->getAsCXXRecordDecl();
      if (base != nullptr && base->hasDefinition() && handlers(base->getDefinition(), a))
        return true;
    }
    return false;
  }

  void handler(CXXMethodDecl* m, AccessSpecifier access, found_actor& a) {
    auto wrong = wrong_with(m, a.wide);
    if (wrong.empty() && access != AS_public) wrong = "it is not public";
    if (!wrong.empty()) {
      report_.error(m->getLocation(), "a handler must be '" + form(a.wide) + "': " + wrong);
      return;
    }
    const auto message =
        m->getParamDecl(0)->getType()->getPointeeType().getCanonicalType().getUnqualifiedType();
    auto joins = joined_types(message);
    if (!joins.empty() && !a.wide) {
      report_.error(
          m->getLocation(),
          "perdure::joined takes what comes in at ports, and only a block_actor has ports");
      return;
    }
    for (const auto& other : a.handlers) {
      if (!joins.empty() && !other.joins.empty()) {
        report_.error(m->getLocation(),
                      "two joined handlers in one actor; one takes several types: "
                      "perdure::joined<M, N>",
                      {{other.method->getLocation(), "the other one is here"}});
        return;
      }
      if (other.message != message) continue;
      report_.error(m->getLocation(),
                    "two handlers for message '" + display(message, context_) + "' in one actor",
                    {{other.method->getLocation(), "the other one is here"}});
      return;
    }
    if (!is_defined(m, a, "handler ")) return;
    a.handlers.push_back({m, nullptr, joins.empty() ? message : QualType{}, std::move(joins)});
  }

  ASTContext& context_;
  Sema& sema_;
  const files& files_;
  report& report_;
  std::vector<found_actor> actors_;
  std::set<const CXXRecordDecl*> seen_;
};

}  // namespace

bool is_actor(const CXXRecordDecl* record) { return base_of(record).self != nullptr; }

const NamedDecl* member_named(const CXXRecordDecl* record, llvm::StringRef name) {
  for (const auto* d : record->lookup(&record->getASTContext().Idents.get(name))) {
    if (llvm::isa<BaseUsingDecl>(d))
      continue;  // `using base::lanes;`: what it names stands beside it
    const auto* shadow = llvm::dyn_cast<UsingShadowDecl>(d);
    return shadow == nullptr ? d : shadow->getTargetDecl();
  }
  for (const auto& b : record->bases()) {
    const auto* base = b.getType()->getAsCXXRecordDecl();
    if (base == nullptr || !base->hasDefinition()) continue;
    if (const auto* d = member_named(base->getDefinition(), name)) return d;
  }
  return nullptr;
}

EnumDecl* enumeration_named(const CXXRecordDecl* record, llvm::StringRef name) {
  const auto* type = llvm::dyn_cast_or_null<TypeDecl>(member_named(record, name));
  if (type == nullptr) return nullptr;
  return llvm::dyn_cast_or_null<EnumDecl>(
      record->getASTContext().getTypeDeclType(type)->getAsTagDecl());
}

bool reachable_by_name(const NamedDecl* d) {
  for (const Decl* x = d; x != nullptr; x = llvm::dyn_cast<Decl>(x->getDeclContext())) {
    if (x->getDeclContext() == nullptr) break;
    if (x->getDeclContext()->isFunctionOrMethod()) return false;
    if (x->getAccess() == AS_private || x->getAccess() == AS_protected) return false;
  }
  const auto* tag = llvm::dyn_cast<TagDecl>(d);
  return tag == nullptr || tag->getIdentifier() != nullptr ||
         tag->getTypedefNameForAnonDecl() != nullptr;
}

std::vector<found_actor> find_actors(ASTContext& context, Sema& sema, const files& f, report& to) {
  finder find{context, sema, f, to};
  find.walk(*context.getTranslationUnitDecl());
  auto found = find.take();
  if (found.empty() && !to.any()) {
    const auto& sm = context.getSourceManager();
    to.error(sm.getLocForStartOfFile(sm.getMainFileID()),
             "this header has no actor; an actor is 'struct x : perdure::actor<x>'");
  }
  return found;
}

}  // namespace perdure::codegen::frontend
