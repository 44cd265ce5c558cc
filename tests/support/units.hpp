// tests/support/units.hpp - loads a program's native and lowered unit and makes two programs of them.
// Why: both run under the same system and load; only the code of the handlers differs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "perdure/program.hpp"

namespace perdure::support {

/// A program whose handlers are the user's own, found by dlopen. Never unloaded: its tables are static.
/// Ends the process with a message on stderr and exit code 2 if the library cannot be had.
const program& load_native(const std::string& library);

/// The same tables with the handlers of the lowered text. One a process.
const program& load_lowered(const program& native, const std::string& library);

}  // namespace perdure::support
