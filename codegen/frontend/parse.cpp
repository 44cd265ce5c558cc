// codegen/frontend/parse.cpp - runs Clang over one header.
// Why: the header is parsed as a header (-x c++-header), so that its #pragma once and its lines stay as they are.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/frontend/parse.hpp"

#include <algorithm>
#include <filesystem>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Sema/Sema.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "clang/Tooling/Tooling.h"
#include "codegen/frontend/lower.hpp"

namespace perdure::codegen::frontend {
namespace {

/// Directories of the files that perdure's own headers were read from, beside those given.
std::vector<std::string> library_roots(const clang::SourceManager& sources,
                                       std::vector<std::string> roots) {
  for (auto f = sources.fileinfo_begin(); f != sources.fileinfo_end(); ++f) {
    const auto path = real_path(f->first.getName());
    for (const llvm::StringRef tail :
         {"/perdure/actor.hpp", "/perdure/system.hpp", "/kernels/abi/ref_bits.cuh"}) {
      if (llvm::StringRef{path}.ends_with(tail))
        roots.push_back(path.substr(0, path.size() - tail.size()));
    }
  }
  return roots;
}

llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> print_options(const parse_options& options) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> print{new clang::DiagnosticOptions};
  print->ShowColors = options.color;
  return print;
}

class action : public clang::ASTFrontendAction {
 public:
  action(const parse_options& options, held_diagnostics& held, program& out, bool& failed)
      : options_{options}, held_{held}, out_{out}, failed_{failed} {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }
  void ExecuteAction() override {
    auto& ci = getCompilerInstance();
    clang::syntax::TokenCollector collector{ci.getPreprocessor()};
    ci.getDiagnostics().setClient(&held_, false);
    ASTFrontendAction::ExecuteAction();
    auto tokens = std::move(collector).consume();
    auto& sources = ci.getSourceManager();
    const files f{sources, library_roots(sources, options_.include_dirs)};
    report own{f};
    if (held_.only_perdure_asserts() && ci.hasSema()) {
      tokens.indexExpandedTokens();
      lower(ci.getASTContext(), ci.getSema(), tokens, f, own, out_);
    }
    for (auto i = sources.fileinfo_begin(); i != sources.fileinfo_end(); ++i) {
      const std::string path = real_path(i->first.getName());
      if (!path.empty() && std::filesystem::exists(path)) out_.dependencies.push_back(path);
    }
    std::sort(out_.dependencies.begin(), out_.dependencies.end());
    failed_ = own.any() || held_.any_error();
    if (!failed_) return;
    const auto printing = print_options(options_);
    clang::TextDiagnosticPrinter printer{llvm::errs(), printing.get()};
    auto& diagnostics = ci.getDiagnostics();
    diagnostics.setClient(&printer, false);
    diagnostics.Reset();
    printer.BeginSourceFile(ci.getLangOpts(), &ci.getPreprocessor());
    own.flush(diagnostics);
    held_.release(diagnostics, f, own);
    const auto n = printer.getNumErrors();
    printer.EndSourceFile();
    held_.clear();  // or Clang would count once more
    diagnostics.setClient(&held_, false);
    llvm::errs() << n << (n == 1 ? " error" : " errors") << "; nothing was written\n";
  }

 private:
  const parse_options& options_;
  held_diagnostics& held_;
  program& out_;
  bool& failed_;
};

std::vector<std::string> command_line(const parse_options& o) {
  std::vector<std::string> line{"clang++",     "-x", "c++-header",      "-fsyntax-only",
                                "-std=c++20",  "-w", "-ferror-limit=0", "-resource-dir",
                                o.resource_dir};
  for (const auto& dir : o.include_dirs) {
    line.push_back("-isystem");
    line.push_back(dir);
  }
  line.insert(line.end(), o.arguments.begin(), o.arguments.end());
  line.push_back(real_path(o.header));
  return line;
}

}  // namespace

std::optional<program> parse(const parse_options& options) {
  program out;
  out.header = real_path(options.header);
  out.name = options.name;
  held_diagnostics held;
  const llvm::IntrusiveRefCntPtr<clang::FileManager> manager{
      new clang::FileManager{clang::FileSystemOptions{}}};
  bool failed = true;
  const auto printing = print_options(options);
  clang::TextDiagnosticPrinter printer{llvm::errs(), printing.get()};
  clang::tooling::ToolInvocation invocation{
      command_line(options), std::make_unique<action>(options, held, out, failed), manager.get()};
  invocation.setDiagnosticConsumer(&printer);
  invocation.run();
  // what is wrong with the command line itself is told before anything is parsed, and ends nothing
  if (failed || printer.getNumErrors() != 0) return std::nullopt;
  return out;
}

}  // namespace perdure::codegen::frontend
