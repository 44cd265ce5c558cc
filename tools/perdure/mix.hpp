// tools/perdure/mix.hpp - scrambles 32 bits: answers and walks that nobody gets right by luck.
// Source: Ellis, hash prospector, "lowbias32", 2018.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bench {

constexpr std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  return x ^ x >> 16U;
}

}  // namespace bench
