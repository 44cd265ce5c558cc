// tests/generated/processes.hpp - runs one program many times, a few processes at a time.
// Why: a header's programs take a compile and a resident loop of their own; a process each uses all cores, and a
//      fault of one of them leaves the others alone.
// Threads: call it before the process has started any: it forks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace perdure::generated {

/// @param which  index into the list
/// @param code   exit status, 128 + signal if it was killed, 127 if it could not be executed
/// @param text   all that it wrote to both streams
using on_end = std::function<void(std::size_t which, int code, const std::string& text)>;

/// Starts `program` once a list of arguments, in order, never more than `jobs` at the same time; `ended` is called
/// on this thread as each comes to its end. They die with this process.
/// @throws std::runtime_error if a process cannot be made or no longer be waited for.
void run_processes(const std::string& program,
                   const std::vector<std::vector<std::string>>& argument_lists, unsigned jobs,
                   const on_end& ended);

}  // namespace perdure::generated
