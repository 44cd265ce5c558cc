// tools/perdure/chain_shape.hpp - the shapes that `perdure bench graph` runs, and the words that
// their chains carry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench.hpp"
#include "graph_rules.hpp"

namespace bench {

struct chain_shape {
  std::uint32_t chains, length;

  std::string name() const {
    return chains == 1 ? fmt::format("line_{}", length) : fmt::format("{}x{}", chains, length);
  }
};

inline std::vector<chain_shape> shapes_of(const graph_options& options) {
  std::vector<chain_shape> shapes;
  for (const std::uint32_t chains : {1U, options.chains}) {
    for (const std::uint32_t length : options.lengths) shapes.push_back({chains, length});
  }
  return shapes;
}

/// The word of each chain from run to run: each run goes on with what the one before left.
class chain_words {
 public:
  explicit chain_words(const chain_shape& shape) : shape_{shape} {
    for (std::uint32_t c = 0; c < shape.chains; ++c) words_.push_back(mix(c + 1));
  }
  std::uint32_t operator[](std::uint32_t chain) const { return words_[chain]; }
  /// Computes what the next run must give.
  void advance() {
    for (std::uint32_t& w : words_) w = chains::run_through(w, shape_.length);
  }
  void expect(const char* who, std::uint32_t chain, std::uint32_t got) const {
    if (chain < words_.size() && got == words_[chain]) return;
    throw wrong_answer{fmt::format("graph {}: {} left {:#x} in chain {}, not {:#x}", shape_.name(),
                                   who, got, chain,
                                   chain < words_.size() ? words_[chain] : 0xffffffffU)};
  }

 private:
  chain_shape shape_;
  std::vector<std::uint32_t> words_;
};

}  // namespace bench
