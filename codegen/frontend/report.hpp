// codegen/frontend/report.hpp - perdure's refusals, printed the way Clang prints its own errors.
// Why: a refusal must name file, line and column, show the line, and say how the handler got there.
// Invariant: one message a place; nothing is printed before flush(), which sorts by place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "codegen/frontend/files.hpp"

namespace perdure::codegen::frontend {

struct note {
  clang::SourceLocation at;
  std::string text;
};

class report {
 public:
  explicit report(const files& f) : files_{f} {}

  void error(clang::SourceLocation at, std::string text, std::vector<note> notes = {});
  bool any() const { return !errors_.empty(); }
  /// True if one of perdure's own errors names this line.
  bool names_line(clang::SourceLocation at) const;
  /// Gives all errors to Clang's printer, in order of place.
  void flush(clang::DiagnosticsEngine& diagnostics);

 private:
  struct entry {
    clang::SourceLocation at;
    std::string text;
    std::vector<note> notes;
  };
  const files& files_;
  std::vector<entry> errors_;
  std::set<std::pair<unsigned, std::string>> seen_;
};

/// Holds Clang's diagnostics back until perdure's checks have run.
/// An error inside perdure's own headers is moved to the user's line that caused it.
class held_diagnostics : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;

  /// True if every error is a static_assert of perdure's headers, so that the tree is still whole.
  bool only_perdure_asserts() const { return plain_errors_ == 0; }
  bool any_error() const { return errors_ != 0; }
  /// Prints what was held, except what `own` already says at the same line.
  void release(clang::DiagnosticsEngine& to, const files& f, const report& own) const;

 private:
  std::vector<clang::StoredDiagnostic> held_;
  unsigned errors_ = 0, plain_errors_ = 0;
};

}  // namespace perdure::codegen::frontend
