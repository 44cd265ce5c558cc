// codegen/frontend/layout.hpp - sizes, offsets and flattened fields of messages and states, as Clang sees them.
// Why: host, tool and device must agree on every byte; the schema prints states and messages.
// Invariant: a type that passes here is trivially copyable and holds nothing but values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "codegen/frontend/report.hpp"
#include "codegen/model/program.hpp"

namespace perdure::codegen::frontend {

enum class role { message, state, wide_state };

struct layout_result {
  std::vector<field> fields;
  std::vector<private_member> privates;  ///< of a wide state; places are not given yet
  std::vector<const clang::EnumDecl*> enums;
  std::vector<const clang::CXXRecordDecl*> records;  ///< user classes inside, outermost first
  std::vector<clang::QualType> mailbox_messages;     ///< of perdure::host<...> in references
};

/// @param actor_id  id of an actor's class, or 0.
/// @param used_at   where the type is used, for a note.
layout_result lay_out(clang::QualType type, role as, const clang::ASTContext& context,
                      const files& f,
                      const std::function<unsigned(const clang::CXXRecordDecl*)>& actor_id,
                      clang::SourceLocation used_at, report& to);

/// Size, alignment and nameable members of one class.
layout assert_layout(const clang::CXXRecordDecl* record, const clang::ASTContext& context);

}  // namespace perdure::codegen::frontend
