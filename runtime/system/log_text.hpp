// runtime/system/log_text.hpp - the line of a ctx.log() from what travels of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "perdure/program.hpp"

namespace perdure::runtime {

/// A text that the program's table does not have is shown by its hash.
/// @param values  `count` of them, at most 12. @param kinds  4 bits each: detail::log_kind().
std::string log_text(const program& actors, std::uint64_t key, std::uint32_t count,
                     std::uint64_t kinds, const std::uint64_t* values);

}  // namespace perdure::runtime
