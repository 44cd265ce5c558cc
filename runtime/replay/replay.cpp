// runtime/replay/replay.cpp - see perdure/replay.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/replay.hpp"

#include "runtime/replay/machine.hpp"
#include "runtime/system/names_by.hpp"

namespace perdure {

result<replay_report> replay(const program& actors, const std::filesystem::path& recording,
                             const replay_options& opts) {
  auto read = runtime::recording::read(recording, actors);
  if (!read) return read.error();
  const runtime::program_index index{actors};
  const runtime::names_by names{read->head.system, index};
  runtime::machine machine{index, *read, opts};
  return machine.run();
}

}  // namespace perdure
