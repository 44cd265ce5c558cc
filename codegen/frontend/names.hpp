// codegen/frontend/names.hpp - how declarations are spelled in generated text and in messages.
// Why: generated code names the user's types from outside; messages name them as the user does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "codegen/model/program.hpp"

namespace perdure::codegen::frontend {

/// From the global namespace, anonymous namespaces left out: "::bank::box<::bank::deposit>".
std::string spelling(clang::QualType type, const clang::ASTContext& context);
/// The same without the leading "::", for people.
std::string display(clang::QualType type, const clang::ASTContext& context);
/// "account::on(const deposit &, perdure::context &)".
std::string signature(const clang::FunctionDecl* function);
/// "std::chrono::duration" for any declaration in it; inline and anonymous namespaces left out.
std::string top_name(const clang::NamedDecl* declaration);
/// True if the innermost namespaces of `declaration` are `space` (a top-level namespace's name).
bool in_namespace(const clang::Decl* declaration, llvm::StringRef space);
/// A class template specialization or class `perdure::<name>`.
bool is_perdure(const clang::Decl* declaration, llvm::StringRef name);
place place_of(clang::SourceLocation at, const clang::SourceManager& sources);

}  // namespace perdure::codegen::frontend
