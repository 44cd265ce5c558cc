// codegen/frontend/files.cpp - see files.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/files.hpp"

#include "clang/Basic/FileEntry.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

namespace perdure::codegen::frontend {

std::string real_path(llvm::StringRef path) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real)) return path.str();
  return real.str().str();
}

files::files(const clang::SourceManager& sources, std::vector<std::string> library_roots)
    : sources_{sources} {
  for (const auto& root : library_roots) roots_.push_back(real_path(root));
}

owner files::classify(clang::FileID file) const {
  const auto entry = sources_.getFileEntryRefForID(file);
  if (!entry) return owner::tool;  // built-in macros, the command line
  const auto path = real_path(entry->getName());
  for (const auto& root : roots_) {
    const llvm::StringRef p{path};
    if (p.starts_with(root + "/perdure/") || p.starts_with(root + "/kernels/"))
      return owner::library;
  }
  const auto start = sources_.getLocForStartOfFile(file);
  return sources_.isInSystemHeader(start) ? owner::system : owner::user;
}

owner files::of(clang::SourceLocation at) const {
  if (at.isInvalid()) return owner::tool;
  const auto file = sources_.getFileID(sources_.getExpansionLoc(at));
  const auto [found, fresh] = cache_.try_emplace(file, owner::tool);
  if (fresh) found->second = classify(file);
  return found->second;
}

std::string files::path(clang::SourceLocation at) const {
  const auto entry =
      sources_.getFileEntryRefForID(sources_.getFileID(sources_.getExpansionLoc(at)));
  return entry ? real_path(entry->getName()) : std::string{};
}

}  // namespace perdure::codegen::frontend
