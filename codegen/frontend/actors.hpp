// codegen/frontend/actors.hpp - finds `struct X : perdure::actor<X>` and block_actor<X>, and their `on` overloads.
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
  const clang::CXXMethodDecl* together =
      nullptr;                         ///< on_run() for the same message, if there is one
  clang::QualType message;             ///< canonical, unqualified; null if the handler is joined
  std::vector<clang::QualType> joins;  ///< what a joined handler takes, as above
};

struct found_actor {
  const clang::CXXRecordDecl* record = nullptr;
  bool wide = false;  ///< a block_actor
  std::vector<found_handler> handlers;
};

/// Reports classes and handlers that break the rules of perdure::actor and block_actor; instantiates handlers of templates.
std::vector<found_actor> find_actors(clang::ASTContext& context, clang::Sema& sema, const files& f,
                                     report& to);

/// Whether the class, which is complete, has a base perdure::actor<> or perdure::block_actor<>.
bool is_actor(const clang::CXXRecordDecl* record);
/// A member of the class, or of the first base that has one of that name; null if there is none.
const clang::NamedDecl* member_named(const clang::CXXRecordDecl* record, llvm::StringRef name);
/// As member_named(), of an enumeration or an alias of one; it need not have been instantiated.
clang::EnumDecl* enumeration_named(const clang::CXXRecordDecl* record, llvm::StringRef name);

/// True if generated code may name `d` from the global namespace.
bool reachable_by_name(const clang::NamedDecl* d);

}  // namespace perdure::codegen::frontend
