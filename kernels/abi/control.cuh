// kernels/abi/control.cuh - what host and device tell each other outside of messages.
// Why: commands, acknowledgements and counters must not wait behind a queue.
// Invariant: every field has one writer; a worker's block has lines of its own, in host memory. Blocks lie close, since each
//            of the host's pages that a device writes to takes a place where the bus' addresses are looked up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/dead_letter.cuh"
#include "kernels/abi/ref_bits.cuh"

namespace perdure::abi {

/// What the host wants; the low byte of a command. The rest is the epoch, which rises by one a command.
enum class command : u32 { run = 0, pause = 1, halt = 2, park = 3 };
constexpr u64 make_command(u64 epoch, command what) { return epoch << 8U | static_cast<u64>(what); }
constexpr command command_of(u64 bits) { return static_cast<command>(bits & 0xffU); }
constexpr u64 epoch_of(u64 bits) { return bits >> 8U; }

/// Counters of one worker, all monotone.
enum class counter : u32 {
  sent,  ///< messages to actors that this worker's actors and timers sent
  handled,
  batches,
  rounds,
  wraps,
  spilled,
  outbox_overflow,
  unasked,
  replies,
  to_host,  ///< messages to mailboxes
  failed,
  stopped,
  timers_set,
  timers_fired,
  from_host,   ///< messages taken from host lanes
  fired,       ///< joined handlers called
  link_sent,   ///< messages committed to links
  link_taken,  ///< messages taken from links
  link_lost,   ///< committed where there was no room, by an ordinary handler; dead letters, too
  could_fire,  ///< not a sum of events: 1 if a linked actor had all its messages when the worker was asked
  exhausted_pair,  ///< not a sum: sender type << 8 | receiver type of the last exhausted message
  overflow_pair,   ///< as that, of the last one that had no room and whose receiver's type fails
  dead,            ///< dead_reasons counters from here
  count_ = dead + dead_reasons
};
inline constexpr u32 counters = static_cast<u32>(counter::count_);

struct alignas(512) control_page {
  // read together at a look
  u64 command;     ///< host writes, release; worker reads, acquire
  u64 lanes_used;  ///< host writes: host lanes 0..lanes_used - 1 may hold messages; only rises
  long long
      clock_offset_ns;  ///< host writes: wall clock since 2026 minus the worker's steady clock
  u64 question;  ///< host writes: number of its last question for the time; beside the offset
  alignas(128) u64
      acknowledged;  ///< worker writes, release, after the counters: epoch of the last command done
  u64 heartbeat;     ///< worker writes: looks at the command word, now and then: see leave_sign()
  // one word of 16 bytes: the clock was read after the question had been seen
  u64 answered;  ///< worker writes: number of the last question that it has seen
  u64 clock_ns;  ///< worker writes: its steady clock then or later; the host aligns clocks by it
  u64 resting;  ///< worker writes: 1 if between its last two looks it did nothing; a hint for who waits for rest
  u64 due_ns;  ///< worker writes before it acknowledges `park`: its steady clock when it must be back, ~0 never
  u64 undelivered;      ///< worker writes before `acknowledged`: 1 if what was sent had no room yet
  u64 count[counters];  ///< worker writes before `acknowledged`
};
static_assert(sizeof(control_page) == 512 &&
              __builtin_offsetof(control_page, clock_offset_ns) % 16 == 0 &&
              __builtin_offsetof(control_page, answered) % 16 == 0);

}  // namespace perdure::abi
