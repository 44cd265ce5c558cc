// apps/common/json_file.hpp - JSON that people write: rules, a map of columns, a scene.
// Why: JSON's own reader keeps the last of two equal keys, so that a rule is gone in silence, and what nests without end
//      takes a running program with it.
// Invariant: what is given back has no key twice in one object, and nests `deepest` times at most.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace apps {

inline constexpr int deepest = 16;  ///< objects and arrays within each other

/// The text of a file. @throws failure (usage) naming the file, also for a directory
std::string read_text(const std::string& path);

/// @param name  what to call the text in messages.  @param comments  as in C++ are passed over
/// @throws failure (usage) naming it, the keys on the way and what is wrong: no JSON, a number that no double holds, a
/// key that stands twice, too deep
nlohmann::json parse_json(std::string_view text, const std::string& name, bool comments = false);

}  // namespace apps
