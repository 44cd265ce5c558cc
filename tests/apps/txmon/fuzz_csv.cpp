// tests/apps/txmon/fuzz_csv.cpp - libFuzzer on the CSV reader: any bytes are read, or refused by one kind of exception.
// Why: the reader meets whatever people export; it must neither crash nor invent a field.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "csv_parser.hpp"
#include "failure.hpp"
#include "money.hpp"

namespace {

using namespace txmon;

/// What the rest of the program takes for granted.
void require(bool holds) {
  if (!holds) __builtin_trap();
}

void read_as(const column_map& columns, std::string_view text) {
  const auto header = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), header.size() + 1));
  accounts names;
  try {
    const csv_parser parser{columns, header, "fuzz.csv"};
    for (std::uint64_t number = 2; !text.empty(); ++number) {
      const auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const auto known = names.size();
      try {
        transaction t;
        parser.parse(line, number, names, t);
        require(t.account.get() < names.size() && t.counterparty.get() < names.size());
        require(t.amount() >= 0 && t.amount() <= max_cents);
        require(t.when() >= 0 && t.when() <= last_time_ms);
        require(t.currency >= 1 && t.currency <= currency_count && t.country <= country_count);
        require(t.type < kind_count && static_cast<unsigned>(t.via) < channel_count);
      } catch (const failure& e) {
        require(names.size() == known);
        for (const char* at = e.what(); *at != '\0'; ++at) require(*at >= ' ' && *at <= '~');
      }
    }
  } catch (const failure&) {  // the header
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const column_map paysim = column_map::paysim();
  static const column_map full = column_map::parse(
      R"({"time": "t", "account": "a", "counterparty": "b", "amount": "x", "type": "k", "currency": "c",
          "country": "l", "channel": "v", "label": "f"})",
      "map");
  static const std::string paysim_header = "step,type,amount,nameOrig,nameDest,isFraud\n";
  static const std::string full_header = "t,a,b,x,k,c,l,v,f\n";
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  if (size == 0) return 0;
  // The first byte chooses: a header from the input, or a good one, so that rows are reached.
  const std::string rest{text.substr(1)};
  switch (bytes[0] % 3) {
    case 0:
      read_as(paysim, rest);
      break;
    case 1:
      read_as(paysim, paysim_header + rest);
      break;
    default:
      read_as(full, full_header + rest);
      break;
  }
  return 0;
}
