// tests/support/random.hpp - a small seeded generator whose numbers are the same on every machine.
// Why: a failed run is replayed by its seed; the standard's distributions differ between libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace perdure::support {

/// @source Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014 (SplitMix64).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_{seed} {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
  }
  /// Below `n`, which is not 0.
  std::uint64_t below(std::uint64_t n) { return (bits() >> 11U) % n; }

 private:
  std::uint64_t state_;
};

/// Folds `value` into the hash `h`; order matters.
constexpr std::uint64_t fold(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0xff51afd7ed558ccdU;
  return h ^ h >> 32U;
}

}  // namespace perdure::support
