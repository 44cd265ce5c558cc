// apps/txmon/paysim_reader.cpp - see paysim_reader.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "paysim_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "failure.hpp"
#include "money.hpp"

namespace txmon {
namespace {

constexpr std::int64_t ms_a_step = 3'600'000;
constexpr std::int64_t last_possible_step = 10'000'000;  // more than a thousand years of hours
constexpr std::size_t longest_name = 40;

/// Text of the input made fit for a one-line message.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 48)) out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 48 ? out + "..." : out;
}

bool is_name_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

paysim_reader::paysim_reader(const std::string& path, accounts& names)
    : lines_{path}, names_{names} {
  read_header();
}

void paysim_reader::read_header() {
  if (!lines_.next(line_)) {
    throw failure{fmt::format("{}:1: the input is empty; expected a header line with column 'step'",
                              lines_.name())};
  }
  if (line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
  header_fields_ = split(line_);
  if (header_fields_ > most_fields) {
    throw failure{fmt::format("{}:1: expected at most {} columns, found {}", lines_.name(),
                              most_fields, header_fields_)};
  }
  const auto begin = fields_.begin(),
             end = fields_.begin() + static_cast<std::ptrdiff_t>(header_fields_);
  for (std::size_t c = 0; c < columns; ++c) {
    const auto times = std::count(begin, end, titles[c]);
    if (times != 1) {
      throw failure{fmt::format("{}:1: expected one column '{}', found {}; the header is '{}'",
                                lines_.name(), titles[c],
                                times == 0 ? "none" : std::to_string(times), shown(line_))};
    }
    place_[c] = static_cast<std::size_t>(std::find(begin, end, titles[c]) - begin);
  }
}

std::size_t paysim_reader::split(std::string_view line) {
  std::size_t n = 0;
  for (;; ++n) {
    const auto comma = line.find(',');
    if (n < most_fields) fields_[n] = line.substr(0, comma);
    if (comma == std::string_view::npos) return n + 1;
    line.remove_prefix(comma + 1);
  }
}

bool paysim_reader::next(transaction& out) {
  if (!lines_.next(line_)) return false;
  const std::size_t found = split(line_);
  if (found != header_fields_) {
    throw failure{fmt::format("{}:{}: expected {} fields as in the header, found {}: '{}'",
                              lines_.name(), lines_.number(), header_fields_, found, shown(line_))};
  }
  out.time_ms = take_step() * ms_a_step;
  const bool orig_receives = take_type();
  out.cents = take_cents(amount);
  for (const column balance : {old_orig, new_orig, old_dest, new_dest}) take_cents(balance);
  out.fraud = take_flag(fraud);
  take_flag(flagged);
  const auto orig = take_name(name_orig), dest = take_name(name_dest);
  out.debtor = orig_receives ? dest : orig;
  out.creditor = orig_receives ? orig : dest;
  out.sequence = ++sequence_;
  return true;
}

std::int64_t paysim_reader::take_step() {
  const auto text = field(step);
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || stop != text.data() + text.size() || value < 0 ||
      value > last_possible_step) {
    refuse(step, fmt::format("a whole number of hours from 0 to {}", last_possible_step));
  }
  if (value < last_step_)
    refuse(step, fmt::format("at least {}, the step of the line before", last_step_));
  return last_step_ = value;
}

bool paysim_reader::take_type() const {
  const auto text = field(type);
  if (text == "CASH_IN") return true;
  for (const char* other : {"CASH_OUT", "DEBIT", "PAYMENT", "TRANSFER"}) {
    if (text == other) return false;
  }
  refuse(type, "CASH_IN, CASH_OUT, DEBIT, PAYMENT or TRANSFER");
}

std::int64_t paysim_reader::take_cents(column c) const {
  if (const auto cents = parse_cents(field(c))) return *cents;
  refuse(c, fmt::format("a decimal number from 0 to {} in whole cents, such as 181 or 9839.64",
                        max_cents / 100));
}

std::uint32_t paysim_reader::take_name(column c) {
  const auto text = field(c);
  if (text.empty() || text.size() > longest_name ||
      !std::all_of(text.begin(), text.end(), is_name_char)) {
    refuse(c, fmt::format("an account name of 1 to {} letters and digits, such as C1231006815",
                          longest_name));
  }
  return names_.id_of(text);
}

bool paysim_reader::take_flag(column c) const {
  const auto text = field(c);
  if (text != "0" && text != "1") refuse(c, "0 or 1");
  return text == "1";
}

void paysim_reader::refuse(column c, std::string_view expected) const {
  const auto at = field(c).data() - line_.data() + 1;
  throw failure{fmt::format("{}:{}:{}: column '{}': expected {}, found '{}'", lines_.name(),
                            lines_.number(), at, titles[c], expected, shown(field(c)))};
}

}  // namespace txmon
