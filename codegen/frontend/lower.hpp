// codegen/frontend/lower.hpp - from Clang's tree of a header to the model of a program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/Tooling/Syntax/Tokens.h"
#include "codegen/frontend/report.hpp"
#include "codegen/model/program.hpp"

namespace clang {
class Sema;
}

namespace perdure::codegen::frontend {

/// Fills actors, messages, handlers, layouts, formats and the slice; errors go to `to`.
void lower(clang::ASTContext& context, clang::Sema& sema, const clang::syntax::TokenBuffer& tokens,
           const files& f, report& to, program& out);

}  // namespace perdure::codegen::frontend
