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
/// `bytes` as the elements of an array initialiser, many a line.
std::string byte_list(const std::string& bytes);

/// What a wide handler is called with: the message at `message`, or a joined<> over `landed`.
std::string wide_argument(const program& p, const handler& h);

}  // namespace perdure::codegen
