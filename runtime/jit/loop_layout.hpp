// runtime/jit/loop_layout.hpp - what of a loop's layout is a constant of its compiled code.
// Why: a build that embeds code and a start that looks for it say by the same words what it was made for; what differs in
//      any of it is other code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::runtime::jit {

/// Where the states of a program's wide actors are while they are handled.
enum class wide_states : std::uint8_t {
  varied,     ///< some here, some there; or there are no wide actors
  on_chip,    ///< all on the chip
  in_memory,  ///< none fits there
};

struct loop_layout {
  std::uint32_t lanes = 0;        ///< threads a block
  std::uint32_t blocks_each = 1;  ///< of a processor
  wide_states states = wide_states::varied;
  bool counts_traffic = false;  ///< so that actors may be moved
  bool records = false;         ///< options.record
};

/// What a program's unit is compiled with for a layout, besides what every unit is: compile_options::extra.
/// @param source  the unit.
std::vector<std::string> options_of(const loop_layout& layout, std::string_view source);

/// The same in one line, which an embedded cubin stands under.
std::string name_of(const loop_layout& layout, std::string_view source);

}  // namespace perdure::runtime::jit
