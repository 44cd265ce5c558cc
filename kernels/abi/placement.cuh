// kernels/abi/placement.cuh - where actors sit once the host has moved some, and what they were seen to send each other.
// Why: a place is arithmetic of an index; who was moved has another index's place, and only types with such pay for a table.
// Invariant: a type's table is a permutation, so every worker keeps as many slots as it had; it changes while all workers
//            rest and nothing is queued. On the wire stands the index, never the place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/ref_bits.cuh"

namespace perdure::abi {

/// Of one actor type: index i < count sits where arithmetic puts at[i], any other where it puts the index itself.
struct place_table {
  const u32* at;
  u32 count;  ///< 0: nobody of it was ever moved
};

/// How far a message goes: from where its sender sits to where its receiver does.
enum class distance : u32 { own_worker, own_cluster, elsewhere };
inline constexpr u32 distances = 3;

/// What one worker tells of its traffic when it follows a command; in its own memory, for the host to copy.
struct alignas(128) traffic_page {
  u64 sent
      [distances];  ///< messages to actors that have a place in an inbox, since the host began to count anew
  u64 taken;  ///< samples since then; the ring keeps the last ones
  u64 clock;  ///< its hybrid logical clock
};

/// A message that was seen on its way. One of 2^shift was, in the upper 8 bits of `sender`; both as in an envelope.
struct alignas(16) traffic_sample {
  u64 sender;
  u64 receiver;
};
/// Samples that a worker keeps: 2^samples_shift. Each time the ring has been filled half as many are taken, up to one of
/// 2^rarest_shift.
inline constexpr u32 samples_shift = 12;
inline constexpr u32 samples_kept = 1U << samples_shift;
inline constexpr u32 rarest_shift = 8;

/// Host writes while the workers rest.
struct traffic_restart {
  u64 number;  ///< when it rises, counting begins anew
  u64 clock;   ///< every worker's clock is past this one: whoever was moved has had stamps up to it
};

}  // namespace perdure::abi
