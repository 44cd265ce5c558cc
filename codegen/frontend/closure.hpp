// codegen/frontend/closure.hpp - everything that handlers, actors and messages need, and nothing else.
// Why: a header also holds what only the host uses; the device unit must not see it.
// Invariant: a declaration is kept if a root reaches it; what is reached at run time is also kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <set>

#include "codegen/frontend/chunks.hpp"
#include "codegen/frontend/facts.hpp"
#include "codegen/frontend/report.hpp"

namespace perdure::codegen::frontend {

class closure {
 public:
  closure(const chunk_table& chunks, const files& f) : chunks_{chunks}, files_{f} {}

  /// Adds a root; `runtime` for handlers, which the loop calls.
  void root(const clang::Decl* d, bool runtime);
  /// Reaches everything from the roots. To be called once all roots are known; may be called again.
  void run();
  /// Reports violations and recursion among what was reached.
  void judge(report& to) const;
  /// Reports what a wide handler, or on_run(), reaches on the wrong side of a region's border.
  void judge_regions(const clang::Decl* handler, bool is_run, report& to) const;

  /// Is this chunk's declaration part of the slice?
  bool keep(const clang::Decl* d) const;
  /// Calls of the context that `handler` can reach at run time, each once.
  std::vector<context_call> calls_from(const clang::Decl* handler) const;
  /// Where `from` can end its actor at run time.
  std::vector<context_end> ends_from(const clang::Decl* from) const;
  /// All calls of the context in what was reached, in source order.
  std::vector<context_call> all_calls() const;
  /// Types of std that were named without being used.
  std::set<std::string> opaque() const;
  std::vector<note> chain(const clang::Decl* d) const;

 private:
  struct node {
    const clang::Decl* decl = nullptr;
    const clang::Decl* parent = nullptr;  ///< who reached it first
    clang::SourceLocation via;
    int level = 0;  ///< 0 not reached, 1 in the text, 2 run by a handler
    bool structural = false, known = false;
    facts what;
  };
  /// f(facts) of what `handler` runs, itself first.
  template <class F>
  void each_from(const clang::Decl* handler, F f) const;
  node& at(const clang::Decl* d);
  node& analysed(const clang::Decl* d);
  void reach(const clang::Decl* d, int level, const clang::Decl* from, clang::SourceLocation via,
             bool structural);
  void drain();
  void keep_text(const clang::Decl* d);
  bool try_optional(const clang::Decl* d);
  bool settle_lookups();
  bool settle_required();
  bool settle_specials();
  void settle_assertions();
  void judge_recursion(report& to) const;

  const chunk_table& chunks_;
  const files& files_;
  llvm::DenseMap<const clang::Decl*, unsigned> index_;
  std::deque<node> nodes_;
  std::deque<const clang::Decl*> work_;
  llvm::DenseSet<const clang::Decl*> kept_;
  std::set<const clang::Decl*> refused_, records_done_;
  llvm::DenseSet<const clang::Decl*> assertions_, spaces_;
  std::set<clang::DeclarationName> required_;
};

}  // namespace perdure::codegen::frontend
