// runtime/replay/replay.cpp - see perdure/replay.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/replay.hpp"

#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/replay/machine.hpp"
#include "runtime/system/names_by.hpp"

namespace perdure {

result<replay_report> replay(const program& actors, const std::filesystem::path& recording,
                             const replay_options& opts) {
  std::error_code none;
  if (!opts.trace.empty() && std::filesystem::equivalent(opts.trace, recording, none))
    return error{errc::cannot_write, recording.string() + ": it is the recording itself"};
  const runtime::program_index index{actors};
  std::unique_ptr<runtime::recording> read;
  std::unique_ptr<runtime::machine> machine;
  try {
    auto found = runtime::recording::read(recording, actors);
    if (!found) return found.error();
    read = std::make_unique<runtime::recording>(std::move(*found));
    machine = std::make_unique<runtime::machine>(index, *read, opts);
  } catch (const std::bad_alloc&) {
    return error{errc::out_of_memory, recording.string() + ": it is read as a whole"};
  }
  const runtime::names_by names{read->head.system, index};
  return machine->run();
}

}  // namespace perdure
