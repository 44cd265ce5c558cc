// tools/perdure/baseline_lanes.hpp - rings by hand between host threads and blocks: what inject and
// egress are beside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.hpp"

namespace bench {

/// by_hand_threads_N_many_messages_per_s of each number of threads; {skipped: reason} without a
/// device.
nlohmann::json inject_baselines(const bench_options& options,
                                const std::vector<std::uint32_t>& threads, std::uint32_t actors);
/// by_hand_threads_N_messages_per_s; `senders` of all threads together.
nlohmann::json egress_baselines(const bench_options& options,
                                const std::vector<std::uint32_t>& threads, std::uint32_t senders);

}  // namespace bench
