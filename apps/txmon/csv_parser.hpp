// apps/txmon/csv_parser.hpp - a line of CSV as a transaction; strict.
// Why: a monitor that guesses at a damaged field raises wrong alerts, or none.
// Invariant: either every mapped field of a line is as expected, or `failure` names file, line, column and why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "accounts.hpp"
#include "column_map.hpp"
#include "source.hpp"
#include "transaction.hpp"

namespace txmon {

class csv_parser {
 public:
  /// @param header  the first line: every mapped column once, in any order; others are ignored.
  /// @param file    what to call the input in messages.
  /// @throws failure
  csv_parser(column_map columns, std::string_view header, std::string file);

  /// Reads one line. Any number of threads.
  /// @param names  gets the account names. @return the kind of fraud it is labelled with, if it is.
  /// @throws failure naming file:line:position, column and what was expected
  std::optional<std::uint8_t> parse(std::string_view line, std::uint64_t number, accounts& names,
                                    transaction& out) const;

 private:
  static constexpr std::size_t columns = 9, most_fields = 64;
  enum column : std::size_t {
    time,
    account,
    counterparty,
    amount,
    type,
    currency,
    country,
    via,
    fraud
  };
  static constexpr std::size_t absent = most_fields;
  struct row;

  const std::string& title(column c) const;
  std::int64_t take_time(const row& r) const;
  void check_name(const row& r, column c) const;

  column_map map_;
  std::string file_;
  std::array<std::size_t, columns> place_{};  // of each column in a line
  std::size_t fields_ = 0;                    // in the header
};

}  // namespace txmon
