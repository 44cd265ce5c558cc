// apps/txmon/zipf.hpp - draws account numbers evenly or by Zipf's law, a table look-up each.
// Source: A. J. Walker's alias method, tables after M. D. Vose (1991); integers only after the tables are made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace txmon {

/// SplitMix64 (Steele et al. 2014): the same numbers on every machine.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
  }
  /// 0 .. n-1; the bias is below n / 2^32.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((*this)() >> 32U) * n >> 32U);
  }

 private:
  std::uint64_t state_;
};

class zipf {
 public:
  /// Rank i of `n` has weight 1 / (i + 1)^exponent; 0 draws evenly.
  zipf(std::uint32_t n, double exponent) : keep_(n), alias_(n) {
    std::vector<double> share(n);
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += share[i] = std::pow(i + 1.0, -exponent);
    std::vector<std::uint32_t> small, large;
    for (std::uint32_t i = 0; i < n; ++i) {
      share[i] *= n / sum;
      (share[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const auto s = small.back(), l = large.back();
      small.pop_back();
      keep_[s] = static_cast<std::uint32_t>(share[s] * 4294967295.0);
      alias_[s] = l;
      share[l] -= 1 - share[s];
      if (share[l] < 1) {
        large.pop_back();
        small.push_back(l);
      }
    }
    for (const auto* rest : {&small, &large})
      for (const auto i : *rest) keep_[i] = 0xffffffffU, alias_[i] = i;
  }
  std::uint32_t operator()(random_bits& random) const {
    const auto i = random.below(static_cast<std::uint32_t>(keep_.size()));
    return static_cast<std::uint32_t>(random()) <= keep_[i] ? i : alias_[i];
  }

 private:
  std::vector<std::uint32_t> keep_, alias_;
};

}  // namespace txmon
