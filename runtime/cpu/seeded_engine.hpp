// runtime/cpu/seeded_engine.hpp - all workers on the caller's thread, picked by a seed; time is virtual.
// Why: one seed gives one schedule, so that a failure can be replayed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "runtime/system/engine.hpp"

namespace perdure::runtime {

result<std::unique_ptr<engine>> make_seeded_engine(const program& actors, const options& opts);

}  // namespace perdure::runtime
