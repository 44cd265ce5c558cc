// codegen/frontend/print_tokens.cpp - writes kept tokens as text that compilers map to the user's lines.
// Why: an error of NVRTC or of the host compiler in a slice must name the user's file and line.
// Invariant: every line of output stands under a #line that makes it the line of its first token.
// SPDX-License-Identifier: Apache-2.0
#include "clang/Basic/CharInfo.h"
#include "codegen/frontend/chunks.hpp"

namespace perdure::codegen::frontend {
namespace {

/// Line gaps up to this are bridged by empty lines; longer ones get a #line of their own.
constexpr unsigned bridge_lines = 4;

class printer {
 public:
  explicit printer(const clang::SourceManager& sources) : sources_{sources} {}

  void add(const clang::syntax::Token& token) {
    const auto at = token.location();
    const auto where = sources_.getPresumedLoc(sources_.getExpansionLoc(at));
    const std::string file = real_path(where.getFilename());
    const unsigned line = where.getLine();
    if (file != file_ || line < line_ || line > line_ + bridge_lines) {
      if (!text_.empty() && text_.back() != '\n') text_ += '\n';
      text_ += "#line " + std::to_string(line) + " \"" + file + "\"\n";
      file_ = file;
      line_ = line;
      fresh_ = true;
    } else if (line > line_) {
      text_.append(line - line_, '\n');
      line_ = line;
      fresh_ = true;
    }
    if (fresh_) {
      text_.append(at.isMacroID() ? 0 : where.getColumn() - 1, ' ');
    } else {
      space(token);
    }
    const auto spelled = token.text(sources_);
    text_ += spelled;
    for (const char c : spelled) line_ += c == '\n' ? 1 : 0;
    fresh_ = false;
    previous_ = &token;
  }
  std::string take() {
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    return std::move(text_);
  }

 private:
  void space(const clang::syntax::Token& token) {
    if (previous_->location().isMacroID() || token.location().isMacroID()) {
      text_ += ' ';
      return;
    }
    const auto [file, from] = sources_.getDecomposedLoc(previous_->endLocation());
    const auto [other, to] = sources_.getDecomposedLoc(token.location());
    if (file != other || to < from) {
      text_ += ' ';
    } else {  // the user's own spaces; a comment or dropped text between becomes one
      const auto gap = sources_.getBufferData(file).substr(from, to - from);
      const bool plain = gap.find_first_not_of(' ') == llvm::StringRef::npos;
      text_ += plain ? gap.str() : std::string{" "};
    }
  }

  const clang::SourceManager& sources_;
  std::string text_, file_;
  unsigned line_ = 0;
  bool fresh_ = true;
  const clang::syntax::Token* previous_ = nullptr;
};

}  // namespace

std::string print_tokens(llvm::ArrayRef<clang::syntax::Token> tokens, const std::vector<char>& kept,
                         const clang::SourceManager& sources) {
  printer out{sources};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (kept[i] != 0 && tokens[i].kind() != clang::tok::eof) out.add(tokens[i]);
  }
  return out.take();
}

}  // namespace perdure::codegen::frontend
