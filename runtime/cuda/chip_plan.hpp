// runtime/cuda/chip_plan.hpp - how a thread block of this device is used: its width, and what lies in shared memory.
// Why: the block width and whether all states lie on chip are constants of the compiled loop, so they are known first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/memory.cuh"
#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "runtime/driver/context.hpp"
#include "runtime/system/engine.hpp"

namespace perdure::runtime {

struct chip_plan {
  std::uint32_t lanes = 0;        ///< threads a block
  std::uint32_t bytes = 0;        ///< of shared memory that on_chip may take
  std::uint32_t cluster = 1;      ///< blocks a cluster
  std::uint32_t workers = 0;      ///< blocks, unless options say how many
  std::uint32_t blocks_each = 1;  ///< of a processor: more only if more workers are asked for
  bool states_on_chip = false;    ///< those of all wide actors
  bool states_in_memory = false;  ///< the same: none fits on the chip
  loop::memory m{};               ///< sizes that concern the chip only
};

/// Of the workers that there will be, or of more: the driver may say that fewer are resident at once.
/// @return the plan, or bad_option: a block width that the device or a wide actor does not have, messages without room.
result<chip_plan> plan_chip(const driver::device_properties& device, const program& actors,
                            const options& opts);

/// What choose_sizes() is to keep to, so that a system is laid out as its code was made for; sizes of stocks are left 0.
engine_defaults chip_defaults(const chip_plan& plan);

}  // namespace perdure::runtime
