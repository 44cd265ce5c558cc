// tools/perdure/baseline_hot.hpp - the hot counter by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.hpp"

namespace bench {

/// by_hand_hot_messages_per_s, and by_hand_32_at_once_hot_messages_per_s, count and sum checked;
/// {skipped: reason} without a device.
nlohmann::json hot_baselines(const bench_options& options);

}  // namespace bench
