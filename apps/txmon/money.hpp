// apps/txmon/money.hpp - decimal text to cents, exactly.
// Why: 9839.64 has no exact double; sums of cents must not depend on rounding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txmon {

/// Largest amount taken, cents: a million of them still fit into an int64 balance.
inline constexpr std::int64_t max_cents = 9'000'000'000'000;

/// Digits, optionally `.` and digits, optionally `E` with a sign and digits: "181", "9839.64", "1.92E+07".
/// @return cents, or nothing if the text is not such a number, is negative, has a fraction of a cent,
///         or exceeds max_cents.
std::optional<std::int64_t> parse_cents(std::string_view text);

}  // namespace txmon
