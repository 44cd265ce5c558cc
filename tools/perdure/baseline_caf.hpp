// tools/perdure/baseline_caf.hpp - the same Savina programs by CAF on this machine's cores, in a
// process of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench.hpp"
#include "savina_options.hpp"

namespace bench {

/// One entry a program: {best: {threads, variant, seconds, messages_per_s, ...}, tried: [...]}; or,
/// where there is no CAF program, {skipped: reason}. Runs of one program and thread count follow
/// each other in one process.
nlohmann::json caf_baselines(const bench_options& options, const savina_options& savina,
                             const std::vector<std::string>& programs);

/// What CAF's main branch reached on the host of an H200, messages a second; null for a program not
/// measured there.
nlohmann::json caf_main_figure(const std::string& program);

}  // namespace bench
