// kernels/dispatch/memory.cuh - where everything of a system lies; filled by the host before the loop starts.
// Why: nothing is allocated while the loop runs, so all places are known to all workers from the start.
// Invariant: constant while the loop runs, except what the pointers point to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/actor_slot.cuh"
#include "kernels/abi/control.cuh"
#include "kernels/abi/envelope.cuh"
#include "kernels/abi/link.cuh"
#include "kernels/abi/placement.cuh"
#include "kernels/abi/record.cuh"
#include "kernels/platform/atomics.cuh"
#include "kernels/platform/builtins.cuh"

namespace perdure::loop {

/// A counter in a line of its own, so that polls of one do not disturb another.
struct alignas(128) line_counter {
  u64 value;
};

/// Places of memory::buffer_ends.
inline constexpr u32 buffers_taken = 0, buffers_given = 1, buffers_left = 2;

/// One message in an outbox, beside its first unit. words == 0: written, or not the first unit of its message.
struct outbox_entry {
  u32 offset = 0;  ///< words from the start of the batch's reservation at `dst`
  u32 dst = 0;     ///< worker, or `workers` for the host ring
  u32 words = 0;

  u64 bits() const { return u64{offset} << 32U | dst << 8U | words; }
  static outbox_entry of(u64 bits) {
    const u32 low = static_cast<u32>(bits);
    return {static_cast<u32>(bits >> 32U), low >> 8U, low & 0xffU};
  }
};
/// Room in an outbox is given in units: a message takes as many as it needs, one after another.
inline constexpr u32 unit_words = 4;
constexpr u32 units_for(u32 words) { return (words + unit_words - 1) / unit_words; }

/// An array behind on_chip, by its distance from it: on a GPU that is a constant of the launch, and the compiler knows
/// that what lies there is shared memory, which it would not of a pointer.
template <class T>
struct chip_array {
  u32 offset;
};

/// Words of one port of the held actor that stand in a row: what a group of lanes looks at or writes together. A lane reads all
/// of it at once, field by field it would wait for each.
struct run_of_words {
  u64 at;  ///< its first word in slot 0: an address of this launch; who is parked holds nobody
  u32 slot_bytes;  ///< from slot to slot
  u32 slot_mask;   ///< slots - 1
  u32 piece;       ///< 32-bit piece of `in` where its data lands, or of `stage` where it is filled
  u32 stamp;       ///< piece, as above, where its message's stamp stands: in this run or another
  u16 words;       ///< of the run
  u8 end;          ///< of memory::ends
  u8 stamp_lane[2];  ///< of the group: whose word has the stamp's first piece, and its second one

  static constexpr u8 no_lane = 255;

  /// As it lies on chip.
  struct packed {
    word first, second;
  };
  packed pack() const {
    const u64 lanes = u64{stamp_lane[0]} << 24U | u64{stamp_lane[1]} << 32U;
    return {{at, slot_bytes | u64{slot_mask} << 32U},
            {piece | u64{stamp} << 32U, words | u64{end} << 16U | lanes}};
  }
  static run_of_words unpack(const packed& of) {
    const word a = of.first, b = of.second;
    return {a.lo,
            static_cast<u32>(a.hi),
            static_cast<u32>(a.hi >> 32U),
            static_cast<u32>(b.lo),
            static_cast<u32>(b.lo >> 32U),
            static_cast<u16>(b.hi),
            static_cast<u8>(b.hi >> 16U),
            {static_cast<u8>(b.hi >> 24U), static_cast<u8>(b.hi >> 32U)}};
  }
};
static_assert(sizeof(run_of_words::packed) == 32);

/// Where a message's words go when that is plain memory.
struct memory_place {
  word* words;
  void put(u32 k, word w) const { words[k] = w; }
};

struct traffic_meter;

/// Units of the outbox that hold messages that are staged, all of one actor: see stage.cuh.
struct staged_run {
  u64 sender;      ///< reference
  u64 stamp;       ///< of the sender's last event before
  u32 first, end;  ///< from `first` up to `end`
};

/// A wide actor that is not held and yet on chip: see kernels/wide/cached.cuh.
struct alignas(16) cached_actor {
  u32 type;  ///< 0: none
  u32 index;
  u32 in_runs;  ///< of its table of runs, as on_chip has it of the one that is held
  u32 runs;
};

/// A message that waits for its time.
struct timer_slot {
  u64 due_ns;    ///< 0: free
  u64 stamp;     ///< of the call of after(): ties are fired in this order
  u64 receiver;  ///< reference
  u64 padding;
  word data[abi::max_words];
};

struct memory {
  u32 workers;
  u32 lanes;
  u32 system;  ///< 8 bits of every reference
  u32 host_lane_count;
  u64 seed;
  u64 worker_magic;  ///< ceil(2^64 / workers), for index / workers
  u64 stall_ns;
  u32 control_shift;  ///< 2^control_shift ns lie between two looks at the command word while busy

  word* rings;          ///< [workers][2^ring_shift]
  line_counter* tails;  ///< [workers] words reserved by senders
  line_counter* heads;  ///< [workers] words taken by the owner
  u32 ring_shift;
  u32 spill_shift;
  word* spills;  ///< [workers][2^spill_shift]

  word*
      out_words;  ///< [workers][out_units][unit_words]: the part of an outbox that does not fit on chip
  u64* out_entries;  ///< [workers][out_units] outbox_entry
  u32 out_units;
  u32 chip_units;     ///< of those, on chip
  u32 claim_slots;    ///< power of two
  u32 in_words;       ///< a batch at the most: lane_words_in * lanes
  u32 lane_words_in;  ///< words of a batch a lane lands, at most words_a_lane

  u32 overflow_rules;  ///< 1: some type of the program does not let its senders wait
  u32 state_pitch;  ///< bytes from copy to copy of slots of small actors on chip; 0: none is brought there

  // wide actors; all 0 where the program has none
  u32 wide;         ///< whether it has some
  u32 held_bytes;   ///< largest state that is brought on chip
  u32 run_most;     ///< runs of words of an actor's joined and opened messages, at the most
  u32 whole_links;  ///< 1, GPU only: messages of links lie whole in memory and take no room on chip
  u32 land_bytes;   ///< largest set of joined messages, or a whole_messages; they land in `in`
  u32 stage_bytes;  ///< of the messages that are open: first one place for those that nothing is linked to
  u32 stage_spare;  ///< of these, that place: the largest message that a handler opens
  u32 link_bytes;   ///< on chip, for links within a block cluster
  u32 cluster;      ///< workers a block cluster
  u32 linked_most;
  abi::linked_actor* linked;  ///< [workers][linked_most]
  abi::awaited* awaited;      ///< [workers][noted_actors][noted_ports], of the list's first actors
  u32* linked_count;          ///< [workers]; changed by the host while the workers are paused
  u32* region_order;          ///< [workers][2][out_units] scratch: order of what a region sends

  // what lies behind on_chip; set by lay_out_chip()
  chip_array<word> in;  ///< [in_words] a batch as it came
  chip_array<abi::type_row>
      types_here;  ///< [type_count + 1] copies, a trip to memory less for each message
  chip_array<void*> chunks_here;  ///< [type_count + 1][chunks_each] the first chunks of each type
  u32 chunks_each;
  chip_array<abi::handler_entry> handlers_here;  ///< [handler_count]
  chip_array<u32> start;  ///< [in_words / 2 + 1] word where each message begins
  chip_array<u32> claim;  ///< [claim_slots] atomic: round and first message of an actor
  chip_array<u32> group;  ///< [groups] atomic: messages of the batch in each group of handlers
  chip_array<u64> home;  ///< [lanes] see states.cuh: slots whose copies go back when the batch ends
  chip_array<u16> copy;  ///< [lanes] the copy of the state that a message's handler works on
  chip_array<char> states;  ///< [lanes][state_pitch] the copies
  chip_array<u16> order;    ///< [order_places()] messages that begin the chains of lanes
  chip_array<u16> next;     ///< [lanes] the message behind each in its chain
  chip_array<u32> late;  ///< [lanes] slot of the claim table and message, of those that begin none
  chip_array<u32> out_count;   ///< [destinations()] atomic: words for each destination
  chip_array<u64> out_base;    ///< [destinations()] reserved position
  chip_array<u32> granted;     ///< [workers] atomic: of the words that do not wait, those with room
  chip_array<u64> known_head;  ///< [workers + 1] last head seen of each destination
  chip_array<u64> entry;       ///< [chip_units] outbox_entry
  chip_array<word> out;        ///< [chip_units][unit_words]
  chip_array<staged_run> staged;   ///< [1]
  chip_array<abi::link_end> ends;  ///< [2][max_ports] of the actor that is held, in-ports first
  chip_array<run_of_words::packed>
      runs;                     ///< [run_most] how lanes share the words of the held actor's links
  chip_array<u32> landed;       ///< [max_ports] where its joined messages land, in bytes from `in`
  chip_array<char> message;     ///< [256] an ordinary message, unpacked
  chip_array<char> scratch;     ///< [32][64] for reduce()
  chip_array<char> stage;       ///< [stage_bytes] messages that are open
  chip_array<char> held;        ///< [held_bytes] its state
  chip_array<char> link_words;  ///< [link_bytes] messages of links within the block cluster
  u32 chip_bytes;               ///< on_chip and all of these

  timer_slot* timers;  ///< [workers][timer_capacity]
  u32* timer_free;     ///< [workers][timer_capacity]: a stack of free slots
  u32 timer_capacity;
  u32 host_shift;  ///< words of a ring to the host: 2^host_shift
  u32 lane_shift;

  word* host_rings;          ///< [workers][ring_pitch(host_shift)], host memory
  line_counter* host_heads;  ///< [workers], host memory: words the host has taken
  word*
      lane_words;  ///< [host_lane_count][workers][ring_pitch(lane_shift)], host memory: a host thread's way in
  line_counter*
      lane_heads;  ///< [host_lane_count][workers], host memory: words the worker has taken
  abi::control_page* control;  ///< [workers], host memory
  u64* pressure;               ///< workers whose spill is over half full
  u64* in_flight;  ///< [workers][lanes]: receiver index and handler of the call under way, 0 none

  char*
      parked;  ///< [workers][chip_bytes]: what those had on chip that have left to come back; null: nobody does

  const abi::type_row* types;  ///< [actor types + 1]
  const abi::handler_entry* handlers;
  u32 type_count;
  u32 handler_count;

  /// [buffer_count + host_buffer_count][buffer_bytes] pooled buffers for large messages, then copies of the host's
  char* buffers;
  u32* buffer_sequence;  ///< of each: how often it was published; of a copy which filling it is of
  u64* buffer_free;      ///< [2^buffer_shift] a ring of those that nobody has, see buffers.cuh
  line_counter* buffer_ends;  ///< [3] tickets to take and to give, and how many are left
  u32 buffer_shift;
  u32 buffer_count;
  u32 buffer_bytes;

  // counted placement, see traffic.cuh; null where it is fixed. What few programs have comes behind all else, so that without it
  // no place changes
  u32 counts_traffic;
  abi::place_table* places;      ///< [type_count + 1]; changed by the host while all rest
  abi::traffic_page* traffic;    ///< [workers]
  abi::traffic_sample* samples;  ///< [workers][samples_kept]
  const abi::traffic_restart* restart;
  chip_array<abi::place_table> places_here;  ///< [type_count + 1] copies
  chip_array<traffic_meter> meter;           ///< [1]

  // as above, of programs that have on_run()
  u32 lands_ahead;  ///< 1: a host lane's next batch is brought while one is handled, see ahead.cuh
  chip_array<word> ahead;  ///< [in_words] words of it

  // as above, of programs whose wide actors have small states: see kernels/wide/cached.cuh
  u32 cache_ways;                   ///< a power of two; 0: none is cached
  chip_array<cached_actor> cached;  ///< [cache_ways] whose each way is
  chip_array<char> ways;            ///< [cache_ways][way_bytes()]; the last on chip

  // as above, of programs with messages over 240 bytes: those that the host sends, see host_buffers.cuh
  u32 host_buffer_count;
  const char* host_buffers;  ///< [host_buffer_count][buffer_bytes], host memory
  const u32* host_filled;    ///< [host_buffer_count], host memory: how often the host has filled it
  u32* host_given;  ///< [host_buffer_count], host memory: the last of these that was given back

  // as above, of runs that are recorded: see record.cuh
  u64 record_slots;              ///< entries a worker; 0: none is recorded
  word* records;                 ///< [workers][record_slots][2] abi::record_entry, host memory
  abi::record_end* record_ends;  ///< [workers]
};

/// Whether the program has wide actors; on the device known to the compiler, so that a loop without them has no code
/// for them.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_WIDE)
#define PERDURE_WIDE 0
#endif
/// Whether a handler of the program can call after(); else a device's loop has no code for timers.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_TIMERS)
#define PERDURE_TIMERS 0
#endif
/// Whether a type of the program does not let its senders wait; else a device's loop has no code for that.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_OVERFLOW)
#define PERDURE_OVERFLOW 0
#endif
/// Whether the program has actors that many send to at once; else a device's loop has no code for runs of their messages.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_HOT)
#define PERDURE_HOT 0
#endif
/// Whether some types of the program have on_run(); else a device's loop has no code for it.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_RUNS)
#define PERDURE_RUNS 0
#endif
/// Whether an ordinary handler of the program takes messages over 240 bytes, which the host may send; else a device's loop has
/// no code for the host's buffers.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_HOST_BUFFERS)
#define PERDURE_HOST_BUFFERS 0
#endif
/// Whether the program sends a host messages over 240 bytes; else a device's loop has no code for that.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_LONG_LETTERS)
#define PERDURE_LONG_LETTERS 0
#endif
/// Whether traffic is counted and actors may be moved; else a device's loop has no code for that.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_PLACES)
#define PERDURE_PLACES 0
#endif
/// Whether runs are recorded; else a device's loop has no code for that. Those that are have their messages handled one by one.
#if defined(__CUDACC_RTC__) && !defined(PERDURE_RECORD)
#define PERDURE_RECORD 0
#endif
#if defined(__CUDACC_RTC__)
inline constexpr bool records_are_built = PERDURE_RECORD != 0;
inline constexpr bool wide_is_built = PERDURE_WIDE != 0;
inline constexpr bool timers_are_built = PERDURE_TIMERS != 0;
inline constexpr bool overflow_is_built = PERDURE_OVERFLOW != 0;
inline constexpr bool hot_is_built = PERDURE_HOT != 0 && !records_are_built;
inline constexpr bool runs_are_built = PERDURE_RUNS != 0 && !records_are_built;
inline constexpr bool host_buffers_are_built = PERDURE_HOST_BUFFERS != 0;
inline constexpr bool long_letters_are_built = PERDURE_LONG_LETTERS != 0;
inline constexpr bool places_are_built = PERDURE_PLACES != 0;
#else
inline constexpr bool records_are_built = true;
inline constexpr bool wide_is_built = true;
inline constexpr bool timers_are_built = true;
inline constexpr bool overflow_is_built = true;
inline constexpr bool hot_is_built = true;
inline constexpr bool runs_are_built = true;
inline constexpr bool host_buffers_are_built = true;
inline constexpr bool long_letters_are_built = true;
inline constexpr bool places_are_built = true;
#endif
inline bool records(const memory& m) {
#if defined(__CUDACC_RTC__)
  (void)m;
  return records_are_built;
#else
  return m.record_slots != 0;
#endif
}
inline bool counts_traffic(const memory& m) {
#if defined(__CUDACC_RTC__)
  (void)m;
  return places_are_built;
#else
  return m.counts_traffic != 0;
#endif
}
inline bool has_wide(const memory& m) {
#if defined(__CUDACC_RTC__)
  (void)m;
  return PERDURE_WIDE != 0;
#else
  return m.wide != 0;
#endif
}

/// The worker that owns actors with this place; it is their index unless they were moved.
inline u32 quotient(const memory& m, u32 index) {
  return m.workers == 1 ? index : static_cast<u32>(multiply_high(m.worker_magic, index));
}
inline u32 worker_of(const memory& m, u32 place) { return place - quotient(m, place) * m.workers; }

/// Destinations of an outbox: the workers, the host, and, if a type of the program drops what finds no room, the workers
/// once more for messages that do not wait.
constexpr u32 destinations(const memory& m) {
  return m.workers + 1 + (m.overflow_rules != 0 ? m.workers : 0);
}
/// Whether messages to this destination wait for room.
inline bool waits(const memory& m, u32 dst) {
  if constexpr (!overflow_is_built) return true;
  return dst <= m.workers;
}
/// The worker behind a destination whose messages do not wait.
inline u32 worker_behind(const memory& m, u32 dst) { return dst - m.workers - 1; }

/// The slot of actor `local` of its worker, in the chunk that begins at `base`; null if there is no such chunk.
inline char* slot_in(const memory& m, const abi::type_row& row, void* base, u32 index, u32 local) {
  if (base == nullptr) return nullptr;
  const u32 owner = index - local * m.workers;
  const u32 place = (owner << row.chunk_shift) + (local & ((1U << row.chunk_shift) - 1));
  return static_cast<char*>(base) + static_cast<u64>(place) * row.stride;
}
/// The slot of an actor that was not moved, or null if there is no such slot yet.
inline char* slot_of(const memory& m, const abi::type_row& row, u32 index) {
  const u32 local = quotient(m, index);
  const u32 chunk = local >> row.chunk_shift;
  return slot_in(m, row, chunk < row.chunk_count ? row.chunks[chunk] : nullptr, index, local);
}

}  // namespace perdure::loop
