// apps/txmon/source.hpp - where transactions come from, in blocks that several threads parse side by side.
// Why: claiming a piece of the input must be cheap and in order; reading its fields need not be.
// Invariant: pieces are claimed by one thread at a time; piece i + 1 begins where piece i ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "accounts.hpp"
#include "failure.hpp"
#include "transaction.hpp"

namespace txmon {

inline constexpr std::size_t block_rows = 4096;

/// Where to go on reading: after so many rows and lines.
struct position {
  std::uint64_t rows = 0, lines = 0;
  std::uint64_t crc =
      0;  ///< of what was read up to here, so that another input is told; 0: not known
};

/// A transaction that the input says is fraud. `row` counts from 0 in a block, else it is a number.
struct label {
  std::uint64_t row = 0;
  std::uint8_t kind =
      0;  ///< 0: fraud of any kind; else the number of the rule, from 1, it was planted for
};

/// A claimed stretch of the input, not yet read as fields.
struct piece {
  std::uint64_t index = 0;  ///< 0, 1, ... in the order of claims
  position begin, end;
  std::string text;               ///< whole lines, for sources of text
  std::vector<transaction> rows;  ///< for sources that make records
  std::vector<label> labels;
};

/// Behind a row of a block.
struct place {
  position after;             ///< where reading goes on
  std::uint64_t skipped = 0;  ///< malformed lines of the block up to there
};

/// Rows of one piece, in the order of the input.
struct block {
  bool wants_places = false;  ///< asks parse() for them
  std::vector<place> places;  ///< by row; sources that cannot tell leave it empty
  std::vector<transaction> rows;
  /// In place of `rows`: where they lie already, in memory that stays as it is until the last of them has been sent.
  std::span<const transaction> in_place;
  std::vector<label> labels;
  std::uint64_t skipped = 0;         ///< malformed lines left out (lenient)
  std::vector<std::string> reasons;  ///< of the first few of them
};

class source {
 public:
  source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  virtual ~source() = default;

  /// The next piece; false at the end. One thread at a time. @throws failure
  virtual bool claim(piece& out) = 0;
  /// Reads the fields; any number of threads. @throws failure naming file, line or row, field and what was expected; then
  /// `out` has the rows before that one, and from.end lies behind the last of them.
  virtual void parse(piece& from, block& out) = 0;
  /// Goes on after `at`, before the first claim. @throws failure if the input is shorter, has something else up to there, or
  /// cannot be read twice.
  virtual void seek(const position& at) = 0;
  /// What the `crc` of a checkpoint at `at` is: asked rarely, for sources to which it costs more than reading does.
  virtual std::uint64_t crc_at(const position& at) const { return at.crc; }
  /// Rows in all, or 0 if that is not known.
  virtual std::uint64_t rows() const { return 0; }

  accounts& names() { return names_; }

 private:
  accounts names_;
};

/// For seek(): what stands up to `unit` number `at` is not what was read when the checkpoint was made.
failure another_input(const std::string& name, const char* unit, std::uint64_t at);

}  // namespace txmon
