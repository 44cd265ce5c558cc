// apps/txmon/paysim_reader.hpp - PaySim's CSV as transactions; strict.
// Why: a monitor that guesses at a damaged field raises wrong alerts, or none.
// Invariant: either every field of a line is as expected, or `failure` names file, line, column and why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "accounts.hpp"
#include "line_source.hpp"
#include "transaction.hpp"

namespace txmon {

class paysim_reader {
 public:
  /// Opens the input and reads its header line: PaySim's columns, in any order, others ignored.
  /// @param names  gets every account name that appears; outlives the reader.
  /// @throws failure
  paysim_reader(const std::string& path, accounts& names);

  /// The next transaction. A CASH_IN moves money to nameOrig; every other type moves it away.
  /// @return false at the end. @throws failure naming file:line:position, column and what was expected.
  bool next(transaction& out);

 private:
  static constexpr std::size_t columns = 11, most_fields = 64;
  enum column : std::size_t {
    step,
    type,
    amount,
    name_orig,
    old_orig,
    new_orig,
    name_dest,
    old_dest,
    new_dest,
    fraud,
    flagged
  };
  static constexpr std::array<const char*, columns> titles = {
      "step",     "type",           "amount",         "nameOrig", "oldbalanceOrg", "newbalanceOrig",
      "nameDest", "oldbalanceDest", "newbalanceDest", "isFraud",  "isFlaggedFraud"};

  void read_header();
  /// Cuts `line` into fields_. @return how many there are, counting on beyond most_fields.
  std::size_t split(std::string_view line);
  std::string_view field(column c) const { return fields_[place_[c]]; }

  std::int64_t take_step();
  bool take_type() const;
  std::int64_t take_cents(column c) const;
  std::uint32_t take_name(column c);
  bool take_flag(column c) const;
  [[noreturn]] void refuse(column c, std::string_view expected) const;

  line_source lines_;
  accounts& names_;
  std::array<std::size_t, columns> place_{};  // of each column in a line
  std::size_t header_fields_ = 0;
  std::array<std::string_view, most_fields> fields_{};
  std::string_view line_;
  std::int64_t last_step_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace txmon
