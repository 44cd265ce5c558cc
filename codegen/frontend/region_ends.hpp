// codegen/frontend/region_ends.hpp - at the ends of which of a function's regions the block does not meet.
// Why: what is sent in such a region is lost on a device, and arrives on a host, where lanes are loops.
// Invariant: a region that keeps to groups on some way through the function counts as one; what is said of a region is
//            said in the function that it stands in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"

namespace perdure::codegen::frontend {

struct region_ends {
  std::set<const clang::CXXMemberCallExpr*> apart;  ///< calls that begin such a region
  std::set<const clang::CXXMemberCallExpr*>
      astray;  ///< keeps_to_groups() behind which no region need follow here
};

/// Whether a function of block_context by that name forms a region.
bool is_region(llvm::StringRef name);
/// The call's region-forming function of block_context, or null.
const clang::CXXMethodDecl* region_method(const clang::CXXMemberCallExpr* e);

/// @param f  a definition, no template.
region_ends region_ends_of(const clang::FunctionDecl* f);

}  // namespace perdure::codegen::frontend
