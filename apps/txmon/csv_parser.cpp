// apps/txmon/csv_parser.cpp - see csv_parser.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "csv_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "codes.hpp"
#include "failure.hpp"
#include "money.hpp"

namespace txmon {
namespace {

/// Text of the input made fit for a one-line message.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 48)) out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 48 ? out + "..." : out;
}

template <class Map>
std::string keys_of(const Map& map) {
  std::string out;
  for (const auto& [key, value] : map) out += (out.empty() ? "" : ", ") + key;
  return out;
}

/// Cuts a line at its commas. @return how many fields it has, counting on beyond those that fit.
template <std::size_t N>
std::size_t split(std::string_view line, std::array<std::string_view, N>& fields) {
  for (std::size_t n = 0;; ++n) {
    const auto comma = line.find(',');
    if (n < N) fields[n] = line.substr(0, comma);
    if (comma == std::string_view::npos) return n + 1;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

/// One line, cut into fields.
struct csv_parser::row {
  const csv_parser& by;
  std::string_view line;
  std::uint64_t number;
  std::array<std::string_view, most_fields> fields{};

  std::string_view field(column c) const { return fields[by.place_[c]]; }
  [[noreturn]] void refuse(column c, std::string_view expected) const {
    const auto at = field(c).data() - line.data() + 1;
    throw failure{fmt::format("{}:{}:{}: column '{}': expected {}, found '{}'", by.file_, number,
                              at, by.title(c), expected, shown(field(c)))};
  }
};

csv_parser::csv_parser(column_map columns_named, std::string_view header, std::string file)
    : map_{std::move(columns_named)}, file_{std::move(file)} {
  if (header.starts_with("\xEF\xBB\xBF")) header.remove_prefix(3);
  std::array<std::string_view, most_fields> titles{};
  fields_ = split(header, titles);
  if (fields_ > most_fields)
    throw failure{
        fmt::format("{}:1: expected at most {} columns, found {}", file_, most_fields, fields_)};
  const auto begin = titles.begin(), end = begin + static_cast<std::ptrdiff_t>(fields_);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string& wanted = title(static_cast<column>(c));
    place_[c] = absent;
    if (wanted.empty()) continue;
    const auto times = std::count(begin, end, wanted);
    if (times != 1) {
      throw failure{fmt::format("{}:1: expected one column '{}', found {}; the header is '{}'",
                                file_, wanted, times == 0 ? "none" : std::to_string(times),
                                shown(header))};
    }
    place_[c] = static_cast<std::size_t>(std::find(begin, end, wanted) - begin);
  }
}

const std::string& csv_parser::title(column c) const {
  const std::array<const std::string*, columns> titles = {
      &map_.time,     &map_.account, &map_.counterparty, &map_.amount, &map_.type,
      &map_.currency, &map_.country, &map_.channel,      &map_.label};
  return *titles[c];
}

std::optional<std::uint8_t> csv_parser::parse(std::string_view line, std::uint64_t number,
                                              accounts& names, transaction& out) const {
  row r{*this, line, number};
  const std::size_t found = split(line, r.fields);
  if (found != fields_) {
    throw failure{fmt::format("{}:{}: expected {} fields as in the header, found {}: '{}'", file_,
                              number, fields_, found, shown(line))};
  }
  out = {};
  out.time_ms = wide64::of(static_cast<std::uint64_t>(take_time(r)));
  const auto cents = parse_cents(r.field(amount));
  if (!cents) {
    r.refuse(amount,
             fmt::format("a decimal number from 0 to {} in whole cents, such as 181 or 9839.64",
                         max_cents / 100));
  }
  out.cents = wide64::of(static_cast<std::uint64_t>(*cents));
  bool reversed = false;
  if (place_[type] != absent) {
    const auto meaning = map_.types.find(r.field(type));
    if (meaning == map_.types.end()) r.refuse(type, "one of " + keys_of(map_.types));
    out.type = static_cast<std::uint8_t>(meaning->second.what);
    reversed = meaning->second.reversed;
  }
  out.currency = map_.default_currency;
  if (place_[currency] != absent) {
    const auto code = currency_of(r.field(currency));
    if (!code) r.refuse(currency, "a currency of ISO 4217, such as EUR");
    out.currency = *code;
  }
  if (place_[country] != absent && !r.field(country).empty()) {
    const auto code = country_of(r.field(country));
    if (!code) r.refuse(country, "a country of ISO 3166-1, such as DE, or nothing");
    out.country = *code;
  }
  if (place_[via] != absent) {
    const auto meaning = map_.channels.find(r.field(via));
    if (meaning == map_.channels.end()) r.refuse(via, "one of " + keys_of(map_.channels));
    out.via = meaning->second;
  }
  std::optional<std::uint8_t> labelled;
  if (place_[fraud] != absent) {
    if (r.field(fraud) != "0" && r.field(fraud) != "1") r.refuse(fraud, "0 or 1");
    if (r.field(fraud) == "1") labelled = 0;
  }
  // The names last: a line that is refused leaves no account behind.
  check_name(r, account);
  check_name(r, counterparty);
  std::uint32_t from = names.id_of(r.field(account)), to = names.id_of(r.field(counterparty));
  if (reversed) std::swap(from, to);
  out.account = wide32::of(from);
  out.counterparty = wide32::of(to);
  return labelled;
}

std::int64_t csv_parser::take_time(const row& r) const {
  const auto text = r.field(time);
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::int64_t last = last_time_ms / map_.time_unit_ms;
  if (code != std::errc{} || stop != text.data() + text.size() || value < 0 || value > last)
    r.refuse(time,
             fmt::format("a whole number of {} ms each, from 0 to {}", map_.time_unit_ms, last));
  return value * map_.time_unit_ms;
}

void csv_parser::check_name(const row& r, column c) const {
  if (!is_account_name(r.field(c))) r.refuse(c, account_name_rule());
}

}  // namespace txmon
