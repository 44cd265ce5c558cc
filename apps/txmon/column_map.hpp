// apps/txmon/column_map.hpp - which column of a CSV file is what, from a small JSON file.
// Why: every bank names its columns differently; the reader should not have to be changed for that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "codes.hpp"

namespace txmon {

/// An empty column name: the input has no such column, and the default holds.
struct column_map {
  std::string time, account, counterparty, amount;      ///< needed
  std::string type, currency, country, channel, label;  ///< may be absent
  std::int64_t time_unit_ms = 1;                        ///< what one of the time column is
  std::uint8_t default_currency = 0;
  struct meaning {
    kind what;
    bool reversed;  ///< money moves from the counterparty to the account
  };
  std::map<std::string, meaning, std::less<>> types;  ///< text in the file to what it means
  std::map<std::string, txmon::channel, std::less<>> channels;

  /// PaySim's columns; `data/paysim.columns.json` says the same.
  static column_map paysim();
  /// @throws failure (usage) naming the file and the key: unknown, missing or of the wrong type.
  static column_map read(const std::string& path);
  static column_map parse(std::string_view text, const std::string& name);

  /// What was parsed, without its white space: the same for maps that say the same in the same words.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace txmon
