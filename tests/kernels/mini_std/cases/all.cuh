// tests/kernels/mini_std/cases/all.cuh - every group of cases by number; the device unit and the
//   host program share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "algorithms.cuh"
#include "numbers.cuh"
#include "types.cuh"
#include "values.cuh"

inline constexpr int groups = 5;
inline constexpr int exact_groups = 4;  // the first ones: equal on host and device, bit for bit

inline void run_group(int group, sink& out) {
  switch (group) {
    case 0:
      types::run(out);
      break;
    case 1:
      values::run(out);
      break;
    case 2:
      algorithms::run(out);
      break;
    case 3:
      numbers::run(out);
      break;
    case 4:
      numbers::inexact(out);
      break;
    default:
      break;
  }
}
