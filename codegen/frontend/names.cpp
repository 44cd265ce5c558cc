// codegen/frontend/names.cpp - see names.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/names.hpp"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"
#include "codegen/frontend/files.hpp"

namespace perdure::codegen::frontend {
namespace {

clang::PrintingPolicy policy(const clang::ASTContext& context) {
  clang::PrintingPolicy p{context.getLangOpts()};
  p.SuppressTagKeyword = true;
  p.SuppressUnwrittenScope = true;
  p.SuppressInlineNamespace = true;
  p.SplitTemplateClosers = false;
  p.UsePreferredNames = false;
  return p;
}

std::string without_anonymous(std::string text) {
  for (const llvm::StringRef part : {"(anonymous namespace)::", "(anonymous)::"}) {
    for (auto at = text.find(part.data()); at != std::string::npos;
         at = text.find(part.data(), at)) {
      text.erase(at, part.size());
    }
  }
  return text;
}

std::string qualified(clang::QualType type, const clang::ASTContext& context, bool global) {
  const auto canonical = context.getCanonicalType(type).getUnqualifiedType();
  return without_anonymous(
      clang::TypeName::getFullyQualifiedName(canonical, context, policy(context), global));
}

}  // namespace

std::string spelling(clang::QualType type, const clang::ASTContext& context) {
  return qualified(type, context, true);
}
std::string display(clang::QualType type, const clang::ASTContext& context) {
  return qualified(type, context, false);
}

std::string signature(const clang::FunctionDecl* function) {
  std::string text;
  llvm::raw_string_ostream out{text};
  auto p = policy(function->getASTContext());
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method != nullptr && method->getParent()->isLambda()) {
    out << "lambda";
  } else {
    function->getNameForDiagnostic(out, p, true);
  }
  out << '(';
  for (unsigned i = 0; i < function->getNumParams(); ++i) {
    if (i != 0) out << ", ";
    function->getParamDecl(i)->getType().print(out, p);
  }
  out << ')';
  if (method != nullptr && method->isConst()) out << " const";
  out.flush();
  return without_anonymous(text);
}

std::string top_name(const clang::NamedDecl* declaration) {
  const clang::NamedDecl* top = declaration;
  const clang::DeclContext* context = declaration->getDeclContext();
  while (context != nullptr && !context->isFileContext()) {
    if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(context)) top = named;
    context = context->getParent();
  }
  std::string name = top->getNameAsString();
  for (; context != nullptr && !context->isTranslationUnit(); context = context->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context);
    if (space == nullptr || space->isInline() || space->isAnonymousNamespace()) continue;
    name = space->getNameAsString() + "::" + name;
  }
  return name;
}

bool in_namespace(const clang::Decl* declaration, llvm::StringRef space) {
  const clang::NamespaceDecl* outer = nullptr;
  for (const auto* c = declaration->getDeclContext(); c != nullptr; c = c->getParent()) {
    if (const auto* n = llvm::dyn_cast<clang::NamespaceDecl>(c)) outer = n;
  }
  return outer != nullptr && outer->getName() == space;
}

bool is_perdure(const clang::Decl* declaration, llvm::StringRef name) {
  const auto* named = llvm::dyn_cast_or_null<clang::NamedDecl>(declaration);
  if (named == nullptr || !named->getIdentifier() || named->getName() != name) return false;
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(named->getDeclContext());
  return space != nullptr && space->getName() == "perdure" &&
         space->getParent()->isTranslationUnit();
}

place place_of(clang::SourceLocation at, const clang::SourceManager& sources) {
  const auto where = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (where.isInvalid()) return {};
  return {real_path(where.getFilename()), where.getLine(), where.getColumn()};
}

}  // namespace perdure::codegen::frontend
