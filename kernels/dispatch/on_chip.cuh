// kernels/dispatch/on_chip.cuh - what the lanes of one worker share: shared memory on a GPU, heap on a CPU.
// Why: a batch lands here, is handled from here, and its sends are gathered here.
// Invariant: plain members are written by one lane at a time, mostly lane 0, and any lane may read them if a barrier lies between that and the
//            write before, and another one between that and the write after; those named "atomic" by any lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/memory.cuh"
#include "kernels/platform/bulk.cuh"

namespace perdure::loop {

inline constexpr u32 words_a_lane = 4;  ///< of a batch a lane lands at most so many
inline constexpr u32 max_host_lanes = 64;
inline constexpr u32 first_claim_round = 0xfffe;
inline constexpr u32 groups = 32;  ///< handlers h, h + groups, ... are one group
/// Places of memory::order: each group begins at a multiple of as many lanes as work side by side.
constexpr u32 order_places(const memory& m) { return m.lanes + groups * 31; }

/// Of a host lane a poll reads so many words: few, since all workers poll theirs over one bus, but more than the usual
/// message has, so that it sees whether another one stands behind it.
inline constexpr u32 scout_words = 6;
inline constexpr u32 scout_lanes = 5;  ///< host lanes of one look
inline constexpr u32 scout_leave = ~0U;
inline constexpr u32 most_scouts = 1;  ///< see scouts.cuh
/// Each warp that polls has so many words behind those of a batch, for a message that comes quite alone.
inline constexpr u32 lone_words = 32;

/// The receiver of a message that came alone: what its first word leads to. It stays true until the worker obeys a command.
struct alignas(16) known_receiver {
  u64 lo;  ///< of that word: receiver, generation and handler; 0 none
  char* slot;
  abi::handler_entry entry;
  u64 offset;  ///< of the state
};
inline constexpr u32 known_shift = 4;  ///< 2^known_shift of them: see known_place()
inline constexpr u32 known_receivers = 1U << known_shift;

/// Messages that came alone, and those that have joined them since: see few.cuh. One lane's, which reads and writes it as a
/// whole.
struct alignas(16) few_in_hand {
  u32 room;      ///< so many more that this call sends to this worker may join
  u32 messages;  ///< in hand
  u32 words;     ///< of memory::in, up to which they stand
  u32 most;      ///< messages that may be in hand with those that join; 0: none may any more
};

/// What a worker has sent since the host began to count anew: see traffic.cuh.
struct traffic_meter {
  u32 tally[abi::distances];  ///< atomic: what lanes have counted since it was moved into `sent`
  u32 taken;                  ///< atomic: samples
  u64 sent[abi::distances];   ///< lane 0's
  u64 restart;                ///< the last one seen
};

/// From state_halted on it leaves the loop; one that is parked comes back: see park.cuh.
enum worker_state : u32 { state_running, state_paused, state_halted, state_parked };

/// What all lanes know of the actor that its worker is firing; lane 0 writes it. Not in registers: those that live through
/// a handler are kept in memory, and where a state takes the chip there is no cache for that.
struct firing {
  u64 self;  ///< reference
  u64 sent;  ///< messages committed to links
  u32 handler;
  abi::actor_header header;
  u32 ports, in_ports;     ///< of its type; of those, in-ports that are linked
  u32 out_ports;           ///< bit: linked
  u32 tries, least, most;  ///< see visit()
  u32 fired;
  u32 last;   ///< the firing in hand is the visit's last one
  u32 looks;  ///< lane 0 looks around before the next one
};

/// A batch of a hot actor between two parts of a turn, see message_run.cuh. Lane 0 writes it.
struct hot_batch {
  u64 clock;  ///< before the handlers, then behind them
  u32 messages, words;
  u32 from, lane_number;  ///< its source
  u16 places;             ///< of memory::order
  u16 late;               ///< of memory::late, if some chains may go together; else 0
  u16 is_one_chain;  ///< it is few messages, all of one chain: one lane handles them in any case
  u16 left;          ///< of that chain, to the next batch
};

/// A hot actor whose messages are taken without a turn for each batch, see hot_stream.cuh. Lane 0 writes it, but for what is
/// atomic.
struct hot_stream {
  u64 lo;  ///< of its messages' envelopes: receiver and handler; 0: there is none. Atomic in a batch
  u32 end;     ///< atomic: the first message that is not taken
  u32 others;  ///< messages for others
  u16 on;      ///< it is what a turn was left for
  u16 more;    ///< another part is likely to be as large
  u16 vain;    ///< parts in a row that were not worth it
  u16 rests;   ///< the next turn is not left for it
};

/// What an idle warp has seen of host lanes while a batch is handled, and brought of one of them, see ahead.cuh. Lane 0 writes
/// it, but for what that warp writes.
struct words_ahead {
  u64 from;   ///< position in the lane of the first of them
  u32 lane;   ///< 1 + host lane, 0 none
  u32 words;  ///< that warp's
  u32 idle;   ///< atomic: warps that have nothing more to do
  u32 used;   ///< batches that were taken from here: for tests
  u32 others;  ///< that warp's: 0 it has not looked, 1 no other lane has anything, else 2 + one that has
};

struct on_chip {
  u32 baton;        ///< atomic: who may take and handle messages, see baton.cuh
  u32 poll;         ///< the number of the first warp's poll, which is not 0 behind the first one
  u32 scout_ask;    ///< atomic: what the scouts are to do
  u32 turn_wanted;  ///< atomic: a scout wants the first warp, for a turn or what is handed over
  u32 handed;       ///< what a scout has landed for the first warp, see hand_over(); 0 none
  u32 out_top;      ///< atomic: units of the outbox in use; no fewer than there are if it is spent
  u32 longest;      ///< atomic: most messages of one chain in the batch
  u32 next_places;  ///< atomic: the next part of memory::order that lanes side by side take
  u32 timer_top;    ///< atomic: free slots left on the timer stack
  u32 samples;      ///< atomic: dead letters reported to the host in this batch
  u32 dead_now;     ///< atomic: messages of the batch whose receiver is gone
  u32 claim_round;  ///< falls by one a batch; in the upper half of a claim
  u32 state;        ///< worker_state
  u32 pending;      ///< messages of the outbox not yet written
  u32 deferred;     ///< messages that the batch before has left to the next one: see defer.cuh
  u32 deferred_words;  ///< of those: they stand where `in` begins
  u32 may_drop;        ///< atomic: the outbox holds messages that do not wait: see overflow.cuh
  hot_batch hot;
  hot_stream stream;
  u32 refused;  ///< the message that could not be placed found no room and does not wait

  u32 worker;
  u64 now_ns;     ///< steady clock at the start of the turn
  u64 clock;      ///< hybrid logical clock: the last stamp given
  u64 ring_head;  ///< words taken from the ring
  u64 ring_told;  ///< of those, what the senders know of
  u64 spill_head;
  u64 spill_tail;
  u64 host_tail;    ///< words put into the host ring
  u64 told_tail;    ///< atomic: the same when the poll in force began
  u64 timer_due;    ///< atomic: earliest due time, ~0 if none
  u64 stall_since;  ///< 0: moving
  u64 control_at;   ///< next look at the command word
  u64 heartbeat;    ///< looks at the command word
  u64 work_seen;    ///< batches and firings at the last look
  u32 commanded;    ///< a look has seen a command that is not done yet
  u32 rest_told;    ///< control_page::resting as the host knows it; 2: it was not told
  u64 seen;         ///< the command word as obey() read it
  u64 epoch;        ///< of the last command done
  long long clock_offset_ns;
  u64 question;    ///< of the host for the time: the last one seen
  u32 attentive;   ///< looks at the command word that are to follow at once
  u32 over_half;   ///< this worker is counted in memory::pressure
  u32 lanes_used;  ///< host lanes to look at
  u32 next_lane;   ///< of those, the one to look at first
  u32 look_wait;   ///< busy turns until the next look at a host lane
  u32 lane_ready;  ///< 1 + host lane that the next turn takes from, 0 none
  words_ahead ahead;
  u64 lane_head[max_host_lanes];  ///< words of each host lane that are handled
  u64 lane_told[max_host_lanes];  ///< so many the host may write over: those in hand are on chip
  u16 lane_want
      [max_host_lanes];  ///< so many a turn for it reads: reading the host's memory is slow
  u32 crowded;           ///< a batch of this turn filled all that it could: more may be waiting
  u32 arrivals;          ///< since the last whole turn, see poll_for_work()
  u32 straight;          ///< one lane is at work, whose sends need no outbox; see emit.cuh
  few_in_hand few;
  abi::actor_header nobody;  ///< stands for an actor that there is not: never alive
  known_receiver known[known_receivers];
  u64 own_tail;  ///< of the ring: behind the last message of this worker to itself
  // wide actors; see kernels/wide
  u32 held_type;  ///< the actor whose link ends, and state if it has room here, are on chip; 0 none
  u32 held_index;
  u32 held_saved;   ///< its state as it is here is in memory, or on its way: see save_held()
  bulk_gate gate;   ///< of its state
  u32 linked;       ///< actors of this worker that something is linked to
  u32 next_linked;  ///< of those, the one to ask first, where they are asked in turn
  u32 visits;       ///< of linked actors, also vain ones: tells which one was left longest ago
  u32 gathers_anew;  ///< an actor gathers messages for another number of firings than it did: see gather_for()
  u32 in_runs;  ///< of the actor that is held: those of its in-ports
  u32 runs;     ///< and all
  u32 leave;    ///< lane 0 has seen that something else is to be done
  firing fire;
  u32 host_look_every;  ///< firings from look to look at the host's memory, see pace_looks(): a power of two
  u64 host_looked_at;  ///< when a firing last did
  u64 fire_clock;      ///< the clock before a firing, without what its messages bring
  u64 fire_looked;     ///< lane 0's: the block's cycles when it last looked around between firings
  u64 count[abi::counters];  ///< lane 0's
  u32 tally
      [abi::
           counters];  ///< atomic: what lanes have counted since; fold_tally() moves it into `count`
  u32 came;  ///< 1 + the place of a linked actor for which all has come while nothing else was to do; 0: none
  u32 most_awaited;  ///< things that any linked actor was ever noted to wait for, the most; 1 at least

  /// An array behind this, as memory lays them out.
  template <class T>
  T* operator[](chip_array<T> a) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(this) + a.offset);
  }
  template <class T>
  const T* operator[](chip_array<T> a) const {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(this) + a.offset);
  }
};

#if defined(__CUDACC_RTC__)
/// What the host sets before the launch.
extern "C" {
__constant__ memory perdure_memory;
}
/// In a function that is not inlined: what every lane means by these, from where the compiler knows the memory's kind.
inline const memory& here(const memory&) { return perdure_memory; }
inline on_chip& chip_of_block() {
  extern __shared__ uint4 chip_memory[];
  return *reinterpret_cast<on_chip*>(chip_memory);
}
/// The same, and the compiler keeps the address in a register: it would ask for the block's place in its cluster at each use,
/// which takes longer than to read.
inline on_chip& kept(on_chip& c) {
  u32 at = static_cast<u32>(__cvta_generic_to_shared(&c));
  asm volatile("" : "+r"(at));
  return *static_cast<on_chip*>(__cvta_shared_to_generic(at));
}
inline on_chip& here(on_chip&) {
  if constexpr (wide_is_built) return chip_of_block();  // their handlers have no register to spare
  return kept(chip_of_block());
}
#else
inline const memory& here(const memory& m) { return m; }
inline on_chip& here(on_chip& c) { return c; }
inline on_chip& kept(on_chip& c) { return c; }
#endif

/// Of chunk tables, so much is on chip: a trip to memory less on the way to a state.
inline constexpr u32 chunks_on_chip = 1024, most_chunks_each = 128;

/// Bytes of a way of the cache of wide actors: what stands between `ends` and `message`, and a state behind it.
constexpr u32 way_bytes(const memory& m) { return m.message.offset - m.ends.offset + m.held_bytes; }

/// Places the arrays behind on_chip, each aligned to 16 bytes; all sizes of `m` must be known.
constexpr void lay_out_chip(memory& m) {
  m.in_words = m.lane_words_in * m.lanes;
  u32 at = 0;
  auto up = [](u32 n) { return (n + 15) / 16 * 16; };
  auto place = [&]<class T>(chip_array<T>& a, u32 count) {
    a.offset = at;
    at += up(count * static_cast<u32>(sizeof(T)));
  };
  at = up(sizeof(on_chip));
  const u32 land_words = m.land_bytes / static_cast<u32>(sizeof(word));
  // from here to `claim` all is a batch's, and is not kept when the worker parks: see park.cuh; `ahead` is forgotten then
  const u32 with_lone = m.in_words + (m.wide != 0 ? 0 : lone_words * (1 + most_scouts));
  place(m.in, with_lone > land_words ? with_lone : land_words);
  place(m.start, m.in_words / 2 + 1);
  if (m.lands_ahead != 0) place(m.ahead, m.in_words);
  if (m.state_pitch != 0) {
    place(m.home, m.lanes);
    place(m.copy, m.lanes);
    place(m.states, m.lanes * m.state_pitch);
  }
  place(m.order, order_places(m));
  place(m.next, m.lanes);
  place(m.late, m.lanes);
  place(m.group, groups);
  place(m.claim, m.claim_slots);
  place(m.types_here, m.type_count + 1);
  const u32 each = chunks_on_chip / (m.type_count + 1);
  m.chunks_each = m.wide != 0 ? 0 : each < most_chunks_each ? each : most_chunks_each;
  place(m.chunks_here, (m.type_count + 1) * m.chunks_each);
  place(m.handlers_here, m.handler_count);
  place(m.out_count, destinations(m));
  place(m.out_base, destinations(m));
  if (m.overflow_rules != 0) place(m.granted, m.workers);
  place(m.known_head, m.workers + 1);
  place(m.entry, m.chip_units);
  place(m.out, m.chip_units * unit_words);
  place(m.staged, 1);
  if (m.wide != 0) {
    place(m.ends, 2 * abi::max_ports);
    place(m.runs, m.run_most);
    place(m.landed, abi::max_ports);
    place(m.message, 256);
    place(m.scratch, 32 * 64);
    place(m.stage, m.stage_bytes);
    at = abi::wide_up(at);
    place(m.held, m.held_bytes);
    place(m.link_words, m.link_bytes);
  }
  if (m.counts_traffic != 0) {
    place(m.places_here, m.type_count + 1);
    place(m.meter, 1);
  }
  place(m.cached, m.cache_ways);
  place(m.ways, m.cache_ways * way_bytes(m));
  m.chip_bytes = at;
}

/// Where an actor sits: the index at which arithmetic finds its worker and its slot.
inline u32 place_of(const on_chip& c, const memory& m, u32 type, u32 index) {
  if (!counts_traffic(m)) return index;
  const abi::place_table table = c[m.places_here][type];
  return index < table.count ? table.at[index] : index;
}
/// As slot_of(), by way of what is on chip, and wherever the actor was moved.
inline char* slot_of(const on_chip& c, const memory& m, u32 type, u32 index) {
  const abi::type_row& row = c[m.types_here][type];
  index = place_of(c, m, type, index);
  const u32 local = quotient(m, index);
  const u32 chunk = local >> row.chunk_shift;
  void* base = nullptr;
  if (chunk < m.chunks_each) {
    base = c[m.chunks_here][type * m.chunks_each + chunk];
  } else if (chunk < row.chunk_count) {
    base = row.chunks[chunk];
  }
  return slot_in(m, row, base, index, local);
}
/// Lanes lane, lane + lanes, ...: brings the tables of chunks on chip, which grow when actors are spawned; the worker
/// then sees a command before anybody has a reference to them.
inline void bring_chunks(on_chip& c, const memory& m, u32 lane, u32 lanes) {
  PERDURE_ROLLED
  for (u32 i = lane; i < (m.type_count + 1) * m.chunks_each; i += lanes) {
    const abi::type_row& row = m.types[i / m.chunks_each];
    const u32 chunk = i % m.chunks_each;
    c[m.chunks_here][i] = chunk < row.chunk_count ? row.chunks[chunk] : nullptr;
  }
}

/// Any lane: adds to a counter.
inline void count(on_chip& c, abi::counter which, u32 times = 1) {
  fetch_add<scope::block>(&c.tally[static_cast<u32>(which)], times);
}
inline void count_dead(on_chip& c, abi::dead_reason why) {
  fetch_add<scope::block>(&c.tally[static_cast<u32>(abi::counter::dead) + static_cast<u32>(why)],
                          1U);
}

/// Tables of assign() as they are between two batches, but for claim_round. Lanes lane, lane + lanes, ...
inline void forget_claims(on_chip& c, const memory& m, u32 lane, u32 lanes) {
  PERDURE_ROLLED
  for (u32 i = lane; i < m.claim_slots; i += lanes) c[m.claim][i] = ~0U;
  PERDURE_ROLLED
  for (u32 i = lane; i < groups; i += lanes) c[m.group][i] = 0;
}

/// From now on none joins those in hand: it would overtake what this worker has sent to itself through the ring, or what
/// has been kept. The one lane that is at work.
inline void close_few(on_chip& c) { c.few.room = c.few.most = 0; }

/// Where is kept what the first word of a message leads to: by its receiver and handler. The actors of one worker are a whole
/// number of workers apart, so low bits alone would send them all to one place. The factor was searched for: 16 of them in a
/// row stand in 5 places at least, as a rule in 12, for one, two or four workers on the processors that lone_test lists.
inline known_receiver& known_place(on_chip& c, word first) {
  constexpr u32 factor = 0x195b9333U;
  // by_now(), or a compiler multiplies 64 bits
  const u32 mixed = by_now(abi::receiver_index(first) + static_cast<u32>(first.lo >> 48U)) * factor;
  return c.known[mixed >> (32U - known_shift)];
}
/// What was known of receivers may no longer hold. One lane.
inline void forget_receivers(on_chip& c) {
  PERDURE_ROLLED
  for (u32 i = 0; i < known_receivers; ++i) c.known[i].lo = 0;
}

/// Moves the lanes' tally into the counters; often enough that 32 bits suffice: lane 0, while no other counts.
inline void fold_tally(on_chip& c) {
  PERDURE_ROLLED
  for (u32 i = 0; i < abi::counters; ++i) {
    c.count[i] += c.tally[i];
    c.tally[i] = 0;
  }
}
inline constexpr u32 batches_a_fold = 1U << 16U;

}  // namespace perdure::loop
