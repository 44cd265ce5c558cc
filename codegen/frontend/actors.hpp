// codegen/frontend/actors.hpp - finds `struct X : perdure::actor<X>` and its `on` overloads.
// Invariant: actors stand in order of definition; handlers in order of declaration in their class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "clang/AST/DeclCXX.h"
#include "codegen/frontend/report.hpp"

namespace clang {
class Sema;
}

namespace perdure::codegen::frontend {

struct found_handler {
  const clang::CXXMethodDecl* method = nullptr;
  clang::QualType message;  ///< canonical, unqualified
};

struct found_actor {
  const clang::CXXRecordDecl* record = nullptr;
  std::vector<found_handler> handlers;
};

/// Reports classes and handlers that break the rules of perdure::actor; instantiates handlers of templates.
std::vector<found_actor> find_actors(clang::ASTContext& context, clang::Sema& sema, const files& f,
                                     report& to);

/// True if generated code may name `d` from the global namespace.
bool reachable_by_name(const clang::NamedDecl* d);

}  // namespace perdure::codegen::frontend
