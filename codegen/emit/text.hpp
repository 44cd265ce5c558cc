// codegen/emit/text.hpp - small pieces of C++ text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "codegen/model/program.hpp"

namespace perdure::codegen {

/// `text` as a C++ string literal with its quotes.
std::string quoted(const std::string& text);
/// The first two lines of every generated file.
std::string banner(const program& p, const std::string& extension);
/// static_asserts of every size, alignment and offset; the same text serves both compilers.
std::string layout_asserts(const program& p);
/// `bytes` as string literals, one a line, for an array that they and a zero initialise: a compiler reads them 25 times as
/// fast as a list of numbers.
std::string byte_text(const std::string& bytes);

/// What a wide handler is called with: the message at `message`, or a joined<> over `landed`.
std::string wide_argument(const program& p, const handler& h);

}  // namespace perdure::codegen
