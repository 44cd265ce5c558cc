// runtime/cpu/host_handle.hpp - runs the user's own handlers, compiled by the host compiler, inside the loop.
// Why: on the CPU a handler is an ordinary function, so debuggers, sanitizers and breakpoints work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/call.cuh"
#include "runtime/system/program_index.hpp"

namespace perdure::runtime {

/// The program's handlers as the loop calls them. One per worker; no state of its own.
class host_handle {
 public:
  explicit host_handle(const program_index& index) : index_{&index} {}
  static constexpr loop::u32 private_bytes = 0;  ///< per_lane values lie in memory
  static constexpr bool wide_alike = false;
  void operator()(loop::u32 handler, void* state, const loop::message_view& message,
                  loop::lane_state& call) const;
  /// Handlers of wide actors, ordinary and joined; `Block` is one of block_loops.
  template <class Block>
  void wide(loop::wide_call<Block>& made, loop::u32 handler, const void* message) const;
  template <class Block>
  void joined(loop::wide_call<Block>& made, loop::u32 handler) const {
    wide(made, handler, nullptr);
  }

 private:
  const program_index* index_;
};

}  // namespace perdure::runtime
