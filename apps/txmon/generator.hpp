// apps/txmon/generator.hpp - transactions that never were: everyday ones by Zipf's law, and planted frauds, labelled.
// Why: real labelled streams are small and secret; recall by kind of fraud can only be counted where it was planted.
// Invariant: the same settings give the same rows on every machine; each planted fraud has accounts of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "source.hpp"
#include "zipf.hpp"

namespace txmon {

struct generator_settings {
  std::uint64_t rows = 100'000, seed = 1;
  std::uint32_t accounts = 10'000;
  double exponent = 0.99;             ///< of Zipf's law; 0: evenly
  std::uint32_t rows_a_fraud = 1000;  ///< one planted fraud among so many rows; 0: none
  std::uint32_t gap_ms = 5000;        ///< between everyday rows, on average
  std::uint32_t disorder_ms = 0;      ///< event times lie up to so much behind their place

  /// "rows=1000000,accounts=50000,zipf=0.99,fraud=1000,gap=5000,disorder=0,seed=1"; what is left out keeps its default.
  /// @throws failure (usage) naming the key
  static generator_settings parse(const std::string& text);
};

class generator : public source {
 public:
  explicit generator(const generator_settings& s);

  bool claim(piece& out) override;
  void parse(piece& from, block& out) override;
  void seek(const position& at) override;
  std::uint64_t rows() const override { return s_.rows; }

  /// A rule file that names the politically exposed customers among the planted frauds.
  std::string rule_file() const;

 private:
  struct scripted {
    std::int64_t time_ms;
    std::uint64_t order;  ///< among equal times
    transaction row;
    std::uint8_t kind;  ///< the label; 0: none
    bool operator>(const scripted& b) const {
      return time_ms != b.time_ms ? time_ms > b.time_ms : order > b.order;
    }
  };

  static constexpr std::uint32_t scripts = 8;  ///< one a rule, two for geography
  std::uint32_t frauds() const;
  transaction everyday();
  void plant();
  /// Puts a row of a planted fraud `after_ms` from now. @param kind  0, or what the row completes.
  void script(std::int64_t after_ms, transaction row, unsigned kind);
  /// The next row, and its label.
  transaction next(std::uint8_t& kind);

  generator_settings s_;
  random_bits random_;
  zipf draw_;
  std::int64_t now_ms_ = 0;
  std::uint64_t made_ = 0, claimed_ = 0, scripted_ = 0;
  std::uint32_t planted_ = 0;
  std::priority_queue<scripted, std::vector<scripted>, std::greater<>> coming_;
};

}  // namespace txmon
