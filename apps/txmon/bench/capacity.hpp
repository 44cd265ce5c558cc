// apps/txmon/bench/capacity.hpp - as many accounts as asked for, all there, some of them at work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"

namespace txmon::bench {

/// Makes the accounts, sends a stream to them, reads every one back: those that a row touched are the oracle's, the
/// others saw nothing. @return {stream, make_s, read_s, ...}. @throws failure, also where they do not fit
nlohmann::ordered_json capacity(const bench_options& options);

}  // namespace txmon::bench
