// tools/perdure/kernel_texts.hpp - the baselines' .cu files, embedded by CMake
// (kernel_texts.cpp.in).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

extern const std::string baseline_rtt_text;
extern const std::string baseline_route_text;
extern const std::string baseline_route_38_text;  ///< what baseline_route.cu includes if WORDS is 4
extern const std::string baseline_route_8_text;   ///< if WORDS is 1 or 2
extern const std::string baseline_hop_text;
extern const std::string baseline_tear_text;
extern const std::string baseline_sync_text;
extern const std::string baseline_lanes_text;
extern const std::string baseline_hot_text;
extern const std::string baseline_graph_text;

}  // namespace bench
