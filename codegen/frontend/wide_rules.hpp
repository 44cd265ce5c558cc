// codegen/frontend/wide_rules.hpp - what a wide actor says of itself: its width, its ports, what lanes keep for themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "clang/AST/DeclCXX.h"
#include "codegen/frontend/report.hpp"
#include "codegen/model/program.hpp"

namespace perdure::codegen::frontend {

/// Its `static constexpr int lanes`, and the definition of its `enum class port`; null if there is none.
const clang::VarDecl* lanes_of(const clang::CXXRecordDecl* record);
const clang::EnumDecl* ports_of(const clang::CXXRecordDecl* record);

/// Fills what is wide of `a`; reports what breaks a rule of perdure::block_actor. @param privates  its per_lane members.
void widen(const clang::CXXRecordDecl* record, std::vector<private_member> privates, actor& a,
           report& to);

}  // namespace perdure::codegen::frontend
