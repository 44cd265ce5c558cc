// runtime/jit/loop_layout.cpp - see loop_layout.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/loop_layout.hpp"

#include "runtime/jit/compile.hpp"

namespace perdure::runtime::jit {

std::vector<std::string> options_of(const loop_layout& layout, std::string_view source) {
  std::vector<std::string> all{"-DPERDURE_LANES=" + std::to_string(layout.lanes)};
  if (layout.blocks_each != 1)
    all.push_back("-DPERDURE_BLOCKS_EACH=" + std::to_string(layout.blocks_each));
  if (layout.states == wide_states::on_chip) all.emplace_back("-DPERDURE_STATES_ON_CHIP=1");
  if (layout.states == wide_states::in_memory) all.emplace_back("-DPERDURE_STATES_IN_MEMORY=1");
  if (layout.counts_traffic) all.emplace_back("-DPERDURE_PLACES=1");
  if (layout.records) all.emplace_back("-DPERDURE_RECORD=1");
  for (auto& more : hot_options(source, layout.lanes * layout.blocks_each))
    all.push_back(std::move(more));
  return all;
}

std::string name_of(const loop_layout& layout, std::string_view source) {
  std::string all;
  for (const auto& option : options_of(layout, source)) all += (all.empty() ? "" : " ") + option;
  return all;
}

}  // namespace perdure::runtime::jit
