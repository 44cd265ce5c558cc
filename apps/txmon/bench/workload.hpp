// apps/txmon/bench/workload.hpp - a stream in host memory, and a source that hands it out in blocks.
// Why: what is measured begins with transactions that are there; reading files and drawing numbers are other costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "made_row.hpp"
#include "source.hpp"

namespace txmon::bench {

/// How accounts are drawn, both ends of a transaction alike.
enum class draw {
  even,  ///< all equally often
  zipf,  ///< by Zipf's law with exponent 0.99
  one    ///< one account is both ends of all of them
};
const char* name_of(draw by);

struct workload {
  draw by = draw::even;
  std::uint32_t accounts = 0;
  row_shape shape;
  std::vector<transaction> rows;  ///< in the order of their times
};

/// @param accounts  there are; with draw::one all but the first stay unused. @param seed  of amounts and accounts.
/// Event time runs so that the busiest account sees four postings in ten minutes on average: rule 1 fires seldom.
workload make_workload(draw by, std::uint32_t accounts, std::uint64_t rows, std::uint64_t seed);

/// Gives the rows of a workload as they lie there; it must outlive what they are sent by.
class memory_source final : public source {
 public:
  explicit memory_source(const workload& from) : memory_source{from, 0, from.rows.size()} {}
  /// Rows [begin, end) alone.
  memory_source(const workload& from, std::uint64_t begin, std::uint64_t end)
      : from_{from}, at_{begin}, end_{end} {
    names().number(from.accounts);
  }
  bool claim(piece& out) override;
  void parse(piece& from, block& out) override;
  void seek(const position& at) override { at_ = at.rows; }
  std::uint64_t rows() const override { return end_; }

 private:
  const workload& from_;
  std::uint64_t at_, end_, claimed_ = 0;
};

}  // namespace txmon::bench
