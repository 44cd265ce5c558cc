// tools/evidence/nvml.hpp - what a device runs at now: clocks, power, temperature, the driver's release.
// Why: a figure without clocks and power cannot be compared; only the management library knows them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace evidence {

/// {driver_release, sm_mhz, memory_mhz, power_watts, power_limit_watts, celsius} of the device with that UUID,
/// or {missing: reason}. Never fails.
nlohmann::json device_state(const std::string& uuid);

}  // namespace evidence
