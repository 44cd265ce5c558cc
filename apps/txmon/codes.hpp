// apps/txmon/codes.hpp - countries, currencies, kinds and channels: text in files, small numbers in records.
// Why: an account compares numbers; a person reads and writes the codes of the ISO lists.
// Invariant: numbers never change within a version of the binary format; 0 is "no country given".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "transaction.hpp"

namespace txmon {

inline constexpr unsigned country_count = 249, currency_count = 181;

/// "DE" to its number, 1 to country_count; nothing if ISO 3166-1 has no such code.
std::optional<std::uint8_t> country_of(std::string_view code);
/// "EUR" to its number, 1 to currency_count; nothing if ISO 4217 has no such code.
std::optional<std::uint8_t> currency_of(std::string_view code);
std::optional<kind> kind_of(std::string_view name);
std::optional<channel> channel_of(std::string_view name);

/// "--" for 0. @param number  at most country_count.
std::string_view country_name(std::uint16_t number);
/// @param number  1 to currency_count.
std::string_view currency_name(std::uint16_t number);
std::string_view name_of(kind k);
std::string_view name_of(channel c);

}  // namespace txmon
