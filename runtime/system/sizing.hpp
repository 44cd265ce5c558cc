// runtime/system/sizing.hpp - turns options into the sizes of every stock, or says which option is wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/system/engine.hpp"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

/// Fills the size fields of `m`; pointers are left null. @return bad_option naming the option and its bounds.
result<void> choose_sizes(loop::memory& m, const options& opts, const engine_defaults& defaults,
                          const program& actors);

/// Sizes what wide actors need on chip and decides whose state is brought there; `m` is laid out then.
/// @param chip_bytes  what on_chip may take, 0: no limit, and states stay in memory.  @param port_messages  see options
/// @param states_in_memory  none is brought, even if it had room.
/// @return largest state that has room on chip, or bad_option if not even messages have.
result<std::uint32_t> plan_wide(loop::memory& m, const program& actors, std::uint32_t chip_bytes,
                                std::uint32_t port_messages = 0, bool states_in_memory = false);

/// Words of a batch that a lane lands: fewer in broad blocks, whose batches would take the room of states, above all
/// where wide actors handle them one after another.
constexpr std::uint32_t lane_words_in(std::uint32_t lanes, bool has_wide) {
  return lanes > 512 || (lanes > 256 && has_wide) ? 2 : 4;
}

/// Bytes from one small actor's state to the next where those of a batch lie on chip, 0 if none does.
std::uint32_t state_pitch(const program& actors);

/// Whether some type drops or fails what finds no room.
bool has_overflow_rules(const program& actors);

/// Whether some small actor has on_run().
bool has_runs(const program& actors);

/// The block width that a program's wide actors ask for, 0 if it has none.
std::uint32_t widest(const program& actors);

}  // namespace perdure::runtime
