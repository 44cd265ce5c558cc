// codegen/frontend/root_of.hpp - which variable an lvalue is part of.
// Why: what belongs to a handler is a copy of each lane's in a region, so who writes to it there must be found, also by a pointer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/Expr.h"

namespace perdure::codegen::frontend {

/// The variable that an lvalue is part of, as far as it is not a lane's own value; also where a pointer lies between of whose
/// declaration can be told what it points into for good. Null otherwise.
const clang::DeclRefExpr* root_of(const clang::Expr* e);

}  // namespace perdure::codegen::frontend
