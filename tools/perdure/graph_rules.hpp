// tools/perdure/graph_rules.hpp - what a chain computes, whoever carries it: kernels, small actors
// or wide ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mix.hpp"

namespace chains {

struct baton {
  std::uint32_t word, chain;
};
/// To the host: a chain has been run through.
struct arrived {
  std::uint32_t word, chain;
};

/// What node `number` of a chain makes of the word.
constexpr std::uint32_t mixed(std::uint32_t word, std::uint32_t number) {
  return bench::mix(word + number);
}
/// What a whole chain makes of it.
constexpr std::uint32_t run_through(std::uint32_t word, std::uint32_t nodes) {
  for (std::uint32_t number = 0; number < nodes; ++number) word = mixed(word, number);
  return word;
}

}  // namespace chains
