// apps/txmon/rules_file.hpp - thresholds from a JSON file, and back into the report.
// Why: a misspelt key that is silently ignored is a rule that never fires.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "rules.hpp"

namespace txmon {

/// Reads an object whose keys are the members of `rules`; what it leaves out keeps its default.
/// @throws failure (usage) naming the file and the key: unknown, of the wrong type, or out of bounds.
rules read_rules(const std::string& path);

/// The same keys and values, for result.json.
nlohmann::ordered_json to_json(const rules& r);

}  // namespace txmon
