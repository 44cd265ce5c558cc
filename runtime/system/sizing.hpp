// runtime/system/sizing.hpp - turns options into the sizes of every stock, or says which option is wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/system/engine.hpp"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

/// Fills the size fields of `m`; pointers are left null. @return bad_option naming the option and its bounds.
result<void> choose_sizes(loop::memory& m, const options& opts, const engine_defaults& defaults,
                          const program& actors);

}  // namespace perdure::runtime
