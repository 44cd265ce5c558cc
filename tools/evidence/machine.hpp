// tools/evidence/machine.hpp - who measured where and when: what every file of figures begins with.
// Why: a figure without machine, clocks and commit cannot be compared with another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/driver/context.hpp"

namespace evidence {

/// The commit that was configured, with "-dirty" behind it if the tree was not clean; "unknown" without git.
std::string commit();
/// Now, in UTC: "2026-11-21T16:02:07Z".
std::string date();
/// "Intel(R) ..." from /proc/cpuinfo, or the architecture's name.
std::string processor_name();
/// {processor, threads, system, compiler}
nlohmann::json host();
/// {name, uuid, pci, architecture, processors, rated_mhz, rated_memory_mhz, memory_bytes, now: {clocks, power, temperature,
/// driver}}. Never fails.
nlohmann::json describe(const perdure::driver::device_properties& device);
/// The same and cuda_version of a device by its number; null where there is none. Never fails.
nlohmann::json device(int number);
/// "132 blocks x 512 threads on 132 SMs".
std::string residency(std::uint32_t blocks, std::uint32_t threads, const nlohmann::json& device);

}  // namespace evidence
