// codegen/frontend/run_parts.hpp - what of perdure::run and per_message all lanes call together, and what is each lane's.
// Why: where one lane alone calls what makes all meet, a GPU waits for ever, and a host does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clang/AST/ExprCXX.h"

namespace perdure::codegen::frontend {

/// What is handed to a function of a run, by what it may do with the actor.
enum class run_part {
  none,
  reads,   ///< each(), which(), gather()
  writes,  ///< write(), in_order()
  once,    ///< with no message in hand
  makes,   ///< of no run: what makes messages of send_n() or send_in_place()
};

/// Of a call of a run's function that is handed what lanes do each for its own message: which argument that is.
std::optional<unsigned> body_of_run(const clang::CXXMemberCallExpr* e);
/// Of a context's call that is handed what makes its messages.
struct made_messages {
  unsigned at;           ///< which argument that is
  std::string_view by;   ///< what it is, for diagnostics
  std::string_view why;  ///< it may change nothing else
  bool uniform;          ///< all lanes of a wide actor's handler call it, outside regions
};
std::optional<made_messages> messages_made(const clang::CXXMemberCallExpr* e);
/// Whether what is bound to it can be written through it.
bool is_written_through(clang::QualType type);
/// The per_lane member whose value an lvalue is part of, or null.
const clang::MemberExpr* per_lane_in(const clang::Expr* e);
/// `*this` of an actor, or what a region calls it.
bool is_actor_itself(const clang::Expr* object);
inline constexpr std::string_view may_be_written = "may be written (bind it as const to read it)";
/// The lambda that is written there, or null.
const clang::LambdaExpr* as_lambda(const clang::Expr* e);
/// Whether `outer` is `inner` or around it.
bool encloses(const clang::DeclContext* outer, const clang::DeclContext* inner);
/// What is wrong with a write or a call there. @param what  is done to it: "is written", "is called".
std::string not_in_make(const made_messages& in, const std::string& name, std::string_view what);
/// Whether all lanes must call this: a run's functions but size() and sender(), and of() and put() of a value.
bool has_lanes_meet(const clang::CXXMethodDecl* method);
/// Whether it is a per_message's [], or a run's sender(), which are of the message in hand.
bool is_own_value(const clang::CXXOperatorCallExpr* e);
bool is_own_value(const clang::CXXMethodDecl* method);

/// Whether it is a value of each lane's, or an array or a class with such.
bool holds_own_values(clang::QualType type);
/// Whether it is std's way to what an object holds, as front() and []: of what is not const it is not const, and is read by.
bool is_std_accessor(const clang::CXXMethodDecl* method);
/// The actor's member that an lvalue is part of, or null; null for one of a copy that the function has.
const clang::MemberExpr* state_in(const clang::Expr* e);

/// Of a local that what lanes do must not write to, behind "'x' belongs to ".
inline constexpr std::string_view shared_by_run =
    "on_run(); every lane has a copy of it, so what is handed to a function of the run must not "
    "write to it (each() gives a value for each message)";

/// Of an actor's member that all lanes write to.
std::string written_by_all(const std::string& member);

}  // namespace perdure::codegen::frontend
