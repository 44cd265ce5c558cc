// tools/perdure/kernel_texts.hpp - the baselines' .cu files, embedded by CMake (kernel_texts.cpp.in).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

extern const std::string baseline_rtt_text;
extern const std::string baseline_route_text;
extern const std::string baseline_graph_text;

}  // namespace bench
