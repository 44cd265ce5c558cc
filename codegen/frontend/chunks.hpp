// codegen/frontend/chunks.hpp - the preprocessed token stream, cut into declarations.
// Why: slices are token for token what the user wrote, so declarations are kept or dropped as ranges.
// Invariant: chunks of one context do not overlap; `int a, b;` is one chunk that two declarations share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clang/AST/DeclBase.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "codegen/frontend/files.hpp"

namespace perdure::codegen::frontend {

struct chunk {
  unsigned first = 0, last = 0;  ///< indices of tokens, both inclusive
  std::vector<const clang::Decl*> declarations;
  bool space = false;           ///< a namespace or a linkage specification: only its children count
  std::vector<chunk> children;  ///< declarations inside the braces of a namespace or of a class
};

/// The declaration that stands for `d` in the text: templates by their templated declaration, canonical.
const clang::Decl* text_key(const clang::Decl* d);

class chunk_table {
 public:
  chunk_table(const clang::syntax::TokenBuffer& tokens, const clang::ASTContext& context,
              const files& f);

  /// Declarations that share a chunk with `key`, itself included; empty if it is not in a user file.
  const std::vector<const clang::Decl*>& siblings(const clang::Decl* key) const;
  /// Calls `visit` for every user declaration at namespace or class scope, in source order.
  void each(const std::function<void(const clang::Decl*)>& visit) const;
  /// The text of all chunks for which `keep` says true of one declaration, with #line directives.
  std::string text(const std::function<bool(const clang::Decl*)>& keep) const;

 private:
  std::vector<chunk> cut(const clang::DeclContext& context) const;
  bool range(const clang::Decl* d, chunk& out) const;
  int index_of(clang::SourceLocation at) const;
  unsigned widen_back(unsigned first) const;
  int scan(unsigned from, clang::tok::TokenKind kind) const;
  void remember(const std::vector<chunk>& chunks);
  bool any_kept(const std::vector<chunk>& chunks,
                const std::function<bool(const clang::Decl*)>& keep) const;
  void mark(const std::vector<chunk>& chunks, const std::function<bool(const clang::Decl*)>& keep,
            std::vector<char>& kept) const;

  llvm::ArrayRef<clang::syntax::Token> tokens_;
  const clang::SourceManager& sources_;
  const files& files_;
  llvm::DenseMap<unsigned, unsigned> index_;
  std::vector<chunk> chunks_;
  llvm::DenseMap<const clang::Decl*, unsigned> group_of_;
  std::vector<std::vector<const clang::Decl*>> groups_;
};

/// Prints the tokens marked in `kept` with the user's own spacing where it can be known.
std::string print_tokens(llvm::ArrayRef<clang::syntax::Token> tokens, const std::vector<char>& kept,
                         const clang::SourceManager& sources);

}  // namespace perdure::codegen::frontend
