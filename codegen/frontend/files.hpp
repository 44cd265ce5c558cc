// codegen/frontend/files.hpp - which files are the user's, which the system's, which perdure's own.
// Why: only the user's declarations are sliced; the device unit has its own std and its own perdure.
// Invariant: a location in a macro expansion belongs to the file of the expansion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

namespace perdure::codegen::frontend {

enum class owner { user, system, library, tool };

class files {
 public:
  /// @param library_roots  directories that hold `perdure/` and `kernels/`.
  files(const clang::SourceManager& sources, std::vector<std::string> library_roots);

  owner of(clang::SourceLocation at) const;
  bool user(clang::SourceLocation at) const { return of(at) == owner::user; }
  const clang::SourceManager& sources() const { return sources_; }
  /// Absolute path of the file that holds `at` after expansion.
  std::string path(clang::SourceLocation at) const;

 private:
  owner classify(clang::FileID file) const;

  const clang::SourceManager& sources_;
  std::vector<std::string> roots_;
  mutable llvm::DenseMap<clang::FileID, owner> cache_;
};

/// Absolute path without "." and ".." where the file exists; the path itself otherwise.
std::string real_path(llvm::StringRef path);

}  // namespace perdure::codegen::frontend
