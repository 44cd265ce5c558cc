// codegen/frontend/report.cpp - see report.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/report.hpp"

#include <algorithm>

#include "llvm/ADT/SmallString.h"

namespace perdure::codegen::frontend {

void report::error(clang::SourceLocation at, std::string text, std::vector<note> notes) {
  if (!seen_.emplace(at.getRawEncoding(), text).second) return;
  errors_.push_back({at, std::move(text), std::move(notes)});
}

bool report::names_line(clang::SourceLocation at) const {
  const auto& sm = files_.sources();
  const auto where = sm.getPresumedLoc(sm.getExpansionLoc(at));
  return std::any_of(errors_.begin(), errors_.end(), [&](const entry& e) {
    const auto mine = sm.getPresumedLoc(sm.getExpansionLoc(e.at));
    return mine.isValid() && where.isValid() && mine.getLine() == where.getLine() &&
           mine.getFileID() == where.getFileID();
  });
}

void report::flush(clang::DiagnosticsEngine& diagnostics) {
  const auto& sm = files_.sources();
  std::stable_sort(errors_.begin(), errors_.end(), [&](const entry& a, const entry& b) {
    if (a.at.isInvalid() || b.at.isInvalid()) return b.at.isValid();
    return sm.isBeforeInTranslationUnit(a.at, b.at);
  });
  const auto error_id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0");
  const auto note_id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0");
  for (const auto& e : errors_) {
    diagnostics.Report(e.at, error_id) << e.text;
    for (const auto& n : e.notes) diagnostics.Report(n.at, note_id) << n.text;
  }
}

namespace {

constexpr llvm::StringLiteral own_prefix = "perdure: ";

bool own_assert(llvm::StringRef text) {
  return text.starts_with("static assertion failed") && text.contains(own_prefix);
}

}  // namespace

void held_diagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                        const clang::Diagnostic& info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level < clang::DiagnosticsEngine::Error && level != clang::DiagnosticsEngine::Note) return;
  held_.emplace_back(level, info);
  if (level < clang::DiagnosticsEngine::Error) return;
  ++errors_;
  if (!own_assert(held_.back().getMessage())) ++plain_errors_;
}

void held_diagnostics::release(clang::DiagnosticsEngine& to, const files& f,
                               const report& own) const {
  clang::SourceLocation
      caused_by;  // Clang names the user's line once for all errors of one instantiation
  for (std::size_t i = 0; i < held_.size();) {
    std::size_t end = i + 1;
    while (end < held_.size() && held_[end].getLevel() == clang::DiagnosticsEngine::Note) ++end;
    const auto& head = held_[i];
    clang::SourceLocation at = head.getLocation();
    std::size_t first_note = i + 1;
    std::string text = head.getMessage().str();
    if (at.isValid() && f.of(at) == owner::library) {
      if (own_assert(text)) text = text.substr(text.find(own_prefix.data()) + own_prefix.size());
      for (auto n = i + 1; n < end; ++n) {
        if (!held_[n].getLocation().isValid() || !f.user(held_[n].getLocation())) continue;
        caused_by = held_[n].getLocation();
        first_note = n + 1;
        break;
      }
      if (caused_by.isValid()) at = caused_by;
      if (first_note == i + 1 && own_assert(head.getMessage()))
        first_note = end;  // notes on perdure's own lines
    }
    const bool said = at.isValid() && own_assert(head.getMessage()) && own.names_line(at);
    if (!said) {
      to.Report(clang::StoredDiagnostic{head.getLevel(), head.getID(), text,
                                        clang::FullSourceLoc{at, f.sources()}, head.getRanges(),
                                        head.getFixIts()});
      for (auto n = first_note; n < end; ++n) to.Report(held_[n]);
    }
    i = end;
  }
}

}  // namespace perdure::codegen::frontend
