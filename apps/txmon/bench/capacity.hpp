// apps/txmon/bench/capacity.hpp - as many accounts as asked for, all there and all at work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"

namespace txmon::bench {

/// Makes the accounts, sends a stream to them, part by part, and reads every one back: all alerts and all fields of all
/// accounts are the oracle's. The oracle judges slices of the accounts, see sliced_answer.hpp.
/// @return {stream, make_s, made_per_s, make_parts, actors, bytes_an_account, compared, host_peak_bytes}; bytes_an_account:
/// what the system sets aside, over the number of accounts. @throws failure, also where they do not fit
nlohmann::ordered_json capacity(const bench_options& options);

}  // namespace txmon::bench
