// tools/perdure/kernel_texts.hpp - the baselines' .cu files, embedded by CMake (kernel_texts.cpp.in).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

extern const std::string baseline_rtt_text;
extern const std::string baseline_route_text;
extern const std::string baseline_route_38_text;  ///< contract.cuh of baseline_route.cu
extern const std::string baseline_route_8_text;   ///< the other one; WORDS is 1 or 2
extern const std::string baseline_hop_text;
extern const std::string baseline_tear_text;
extern const std::string baseline_sync_text;

}  // namespace bench
