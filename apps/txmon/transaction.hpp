// apps/txmon/transaction.hpp - the record of 38 bytes: in binary files, in host memory, and as the message to an account.
// Why: with its envelope it is one slot of 64 bytes, so it is copied as it is from the file to the actor.
// Invariant: no padding, alignment 2 and little-endian order, so the bytes of a file are the record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace txmon {

enum class kind : std::uint8_t { payment, transfer, cash_out, cash_in, debit };
inline constexpr unsigned kind_count = 5;

enum class channel : std::uint8_t { unknown, online, mobile, branch, atm, card };
inline constexpr unsigned channel_count = 6;
/// The customer was there in person.
constexpr bool is_presence(channel c) { return c >= channel::branch; }

/// Which way the money goes at the account that gets the record.
enum class side : std::uint8_t { debit, credit };

/// A 64-bit number of alignment 2.
struct wide64 {
  std::array<std::uint16_t, 4> part;
  constexpr std::uint64_t get() const {  // by halves: a device's compiler sees that they are words
    const std::uint32_t low = part[0] | std::uint32_t{part[1]} << 16U;
    const std::uint32_t high = part[2] | std::uint32_t{part[3]} << 16U;
    return low | std::uint64_t{high} << 32U;
  }
  static constexpr wide64 of(std::uint64_t v) {
    return {{static_cast<std::uint16_t>(v), static_cast<std::uint16_t>(v >> 16U),
             static_cast<std::uint16_t>(v >> 32U), static_cast<std::uint16_t>(v >> 48U)}};
  }
};
/// A 32-bit number of alignment 2.
struct wide32 {
  std::array<std::uint16_t, 2> part;
  constexpr std::uint32_t get() const {
    return std::uint32_t{part[0]} | std::uint32_t{part[1]} << 16U;
  }
  static constexpr wide32 of(std::uint32_t v) {
    return {{static_cast<std::uint16_t>(v), static_cast<std::uint16_t>(v >> 16U)}};
  }
};

struct transaction {
  wide64 number;           ///< global sequence number, from 1; given at ingest
  wide32 account;          ///< dense id of the account the money leaves
  wide32 counterparty;     ///< dense id of the account it reaches
  wide64 cents;            ///< amount in the currency's hundredths, 0 .. max_cents
  std::uint16_t currency;  ///< codes.hpp, from 1
  std::uint16_t country;   ///< codes.hpp; 0: not given
  std::uint8_t type;       ///< of enum kind; top bit: this copy is for the account that is credited
  channel via;
  wide64 time_ms;  ///< event time since the input's own zero, 0 .. last_time_ms

  static constexpr std::uint8_t credit_bit = 0x80;
  constexpr side direction() const { return (type & credit_bit) != 0 ? side::credit : side::debit; }
  constexpr kind what() const { return static_cast<kind>(type & 0x7fU); }
  constexpr std::int64_t when() const { return static_cast<std::int64_t>(time_ms.get()); }
  constexpr std::int64_t amount() const { return static_cast<std::int64_t>(cents.get()); }
};
static_assert(sizeof(transaction) == 38 && alignof(transaction) == 2);

/// Event times end here: about the year 10889 of a clock that counts from 1970.
inline constexpr std::int64_t last_time_ms = std::int64_t{1} << 48U;

}  // namespace txmon
