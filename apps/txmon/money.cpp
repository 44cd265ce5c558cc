// apps/txmon/money.cpp - see money.hpp.
// Invariant: no floating point; value = digits * 10^scale cents, trailing zeros of a fraction are free.
// SPDX-License-Identifier: Apache-2.0
#include "money.hpp"

#include <cstddef>

namespace txmon {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads "E+07" from `at`. @return the exponent, or nothing if it is malformed or beyond two digits.
std::optional<int> parse_exponent(std::string_view text, std::size_t at) {
  ++at;  // the E
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  const std::size_t digits = text.size() - at;
  if (digits < 1 || digits > 2) return std::nullopt;
  int value = 0;
  for (; at < text.size(); ++at) {
    if (!is_digit(text[at])) return std::nullopt;
    value = value * 10 + (text[at] - '0');
  }
  return negative ? -value : value;
}

}  // namespace

std::optional<std::int64_t> parse_cents(std::string_view text) {
  std::int64_t value = 0;
  int scale = 2;          // the value counts 10^scale cents
  int pending_zeros = 0;  // zeros read and not yet multiplied in, so "10.000" is exact and short
  bool after_point = false;
  std::size_t digits_before = 0, digits_after = 0, at = 0;
  for (; at < text.size() && text[at] != 'E' && text[at] != 'e'; ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(text[at])) return std::nullopt;
    ++(after_point ? digits_after : digits_before);
    if (after_point) --scale;
    if (text[at] == '0') {
      if (value != 0) ++pending_zeros;
      continue;
    }
    for (++pending_zeros; pending_zeros > 0; --pending_zeros) {
      if (value > max_cents) return std::nullopt;
      value *= 10;
    }
    value += text[at] - '0';
  }
  if (digits_before == 0 || (after_point && digits_after == 0)) return std::nullopt;
  if (at < text.size()) {
    const auto exponent = parse_exponent(text, at);
    if (!exponent) return std::nullopt;
    scale += *exponent;
  }
  if (value == 0) return 0;
  for (scale += pending_zeros; scale > 0; --scale) {
    if (value > max_cents) return std::nullopt;
    value *= 10;
  }
  if (scale < 0 || value > max_cents)
    return std::nullopt;  // the last digit is not zero: a fraction of a cent
  return value;
}

}  // namespace txmon
