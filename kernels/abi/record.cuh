// kernels/abi/record.cuh - an entry of a recording: one thing that an actor took, and when.
// Why: what each actor handled, and in which order, is all of a run that its handlers do not say themselves: with that and
//      what the host sent it can be gone through again (docs/recording.md).
// Invariant: two whole words; an entry whose kind is `none` was not written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/envelope.cuh"

namespace perdure::abi {

enum class record_kind : unsigned char {
  none,
  message,  ///< `actor` handled the message that `from` sent at `what`
  firing,   ///< a joined handler of `actor` took the next message of each in-port
  ports,  ///< of the wide actor whose message follows with the same stamp: its out-ports in `what`
  timer,  ///< a message of after() was sent: `actor` had called that at `what`; from now on it was sent at `stamp`
};

struct record_entry {
  u64 actor;  ///< reference; of a timer as a sender field
  u64 stamp;  ///< of the event
  u64 from;   ///< sender field, 56 bits: an actor, an ask, or 0. The kind above
  u64 what;  ///< 56 bits of a stamp, as they travel; of ports: linked ones, and << 16 those that have room; of a firing: linked
             ///< out-ports, and << 16 in-ports

  constexpr record_kind kind() const { return static_cast<record_kind>(from >> 56U); }
  constexpr u64 sender() const { return from & data_mask; }
  constexpr word first() const { return {actor, stamp}; }
  constexpr word second() const { return {from, what}; }
};
static_assert(sizeof(record_entry) == 2 * sizeof(word));

constexpr record_entry make_record(record_kind kind, u64 actor, u64 stamp, u64 from, u64 what) {
  return {actor, stamp, (from & data_mask) | static_cast<u64>(kind) << 56U, what};
}

/// How far a worker's part of a recording goes.
struct alignas(16) record_end {
  u64 next;     ///< entries that were to be written
  u64 missing;  ///< ~ the least stamp of those that found no room; 0: all did
};

}  // namespace perdure::abi
