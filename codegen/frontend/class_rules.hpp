// codegen/frontend/class_rules.hpp - what an actor type says of itself by constants: its overflow rule, whether it is hot.
// Why: a rule that is misspelt would silently be none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "clang/AST/DeclCXX.h"
#include "codegen/frontend/report.hpp"

namespace perdure::codegen::frontend {

/// The enumerator of perdure::overflow that the class or a base of it names, as in
/// `static constexpr auto overflow = perdure::overflow::drop_newest;`. Empty: it waits, or there was an error.
/// @param name  of the actor, for errors.
std::string overflow_rule(const clang::CXXRecordDecl* record, bool wide, const std::string& name,
                          report& to);

/// Whether the class or a base of it says that many send to one actor at once: `static constexpr bool hot = true;`.
/// @param name  of the actor, for errors.
bool says_hot(const clang::CXXRecordDecl* record, bool wide, const std::string& name, report& to);

}  // namespace perdure::codegen::frontend
