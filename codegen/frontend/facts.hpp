// codegen/frontend/facts.hpp - what one declaration refers to, and what in it the device cannot run.
// Why: reachability and refusals are decided later, by who is reached; this is only what stands in the text.
// Invariant: the facts of a declaration depend on nothing but its own tree, so they are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "codegen/frontend/files.hpp"

namespace perdure::codegen::frontend {

/// Where a call stands, seen from the regions of a wide handler, or of on_run(): the later, the less it may do.
enum class side {
  outside,
  inside,
  apart,  ///< inside a region at whose end the block does not meet
};

struct edge {
  const clang::Decl* to = nullptr;
  clang::SourceLocation at;  ///< where in the referring declaration
  bool runtime = false;      ///< evaluated when the handler runs, not only by the compiler
  bool structural = false;   ///< same declaration in another guise: no step in the chain of calls
  side in = side::outside;   ///< whether within the body of a region
};

struct violation {
  clang::SourceLocation at;
  std::string text;
  const clang::Decl* about = nullptr;  ///< declared there, for a note
};

/// A call of context::send, reply, after, or log, or of block_context::open, with its types.
struct context_call {
  std::string name;
  clang::QualType actor, message;
  clang::SourceLocation at;
  std::string text;  ///< log: the format
  int port = -1;     ///< open, and get of a joined: its number, if that is a constant
};

/// A call of context::stop or fail.
struct context_end {
  std::string name;
  clang::SourceLocation at;
};

/// A use of block_context or per_lane, or of run or per_message, that is not legal everywhere.
struct region_use {
  clang::SourceLocation at;
  std::string name;          ///< of the function, or of the per_lane member
  bool only_inside = false;  ///< otherwise only outside
  bool needs_end = false;    ///< or that: anywhere but in a region at whose end nobody meets
  bool begins_region = false;
  bool writes_state = false;   ///< an actor's member is written: what all lanes of a run would do
  bool passes_in_run = false;  ///< what follows is no fault in a run
  const clang::Decl* owner = nullptr;  ///< of a local that a lambda writes to: its function
};

struct facts {
  std::vector<edge> edges;
  std::vector<violation> violations;
  std::vector<context_call> calls;
  std::vector<context_end> ends;
  std::vector<region_use> uses;  ///< those outside regions, as far as this declaration shows
  std::vector<std::vector<const clang::Decl*>>
      lookups;                                   ///< dependent names: one of these must be declared
  std::vector<std::string> opaque;               ///< types of std that are named but never made
  std::vector<clang::DeclarationName> required;  ///< members that requirements ask for by name
};

/// The facts of `d`: a function, class, enum, variable, alias, concept, field or using-declaration.
facts facts_of(const clang::Decl* d, const files& f);

/// "std::string cannot be used on the device: ..." or empty if `d` (found through `found`) is there.
std::string refuse_name(const clang::NamedDecl* d, const clang::NamedDecl* found, const files& f);

/// The user-declared class or enum types that `type` is made of, through arguments of templates too.
std::vector<const clang::TagDecl*> tags_in(clang::QualType type);

}  // namespace perdure::codegen::frontend
