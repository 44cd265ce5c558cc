// kernels/dispatch/states.cuh - the states of a batch's receivers, on chip while their messages are handled.
// Why: a handler that reads its state from memory waits for one member after another, and each lane for lines of its own;
//      brought for all messages of a batch at once, by lanes side by side, that is one trip, which passes while the batch
//      is being sorted.
// Invariant: a copy is brought before any handler of the batch runs and goes back when all have run, so that between
//            batches memory is the truth; one actor has one copy that is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

inline constexpr u32 nobody = 0xffff;

/// Whether two messages of the batch are for the same slot.
inline bool same_receiver(const on_chip& c, const memory& m, u32 one, u32 other) {
  const word a = c[m.in][c[m.start][one]];
  const word b = c[m.in][c[m.start][other]];
  return abi::receiver_index(a) == abi::receiver_index(b) &&
         c[m.handlers_here][abi::handler_of(a)].actor ==
             c[m.handlers_here][abi::handler_of(b)].actor;
}

/// A slot's address with its size in words of 16 bytes; 0: none.
struct slot_home {
  static constexpr u32 size_shift = 58;
  u64 bits;

  static slot_home of(const char* slot, u32 bytes) {
    return {reinterpret_cast<u64>(slot) | static_cast<u64>(bytes / sizeof(word)) << size_shift};
  }
  char* at() const { return reinterpret_cast<char*>(bits & ((u64{1} << size_shift) - 1)); }
  u32 pieces() const { return static_cast<u32>(bits >> size_shift); }
};

/// Of a slot that stays in memory all lines are asked for, up to so many bytes: a handler that finds one missing waits for
/// a trip to memory, and for the next one again.
inline constexpr u32 prefetched_most = 1024, prefetched_line = 128;
inline void prefetch_slot(const char* slot, u32 bytes) {
  const u32 most = bytes < prefetched_most ? bytes : prefetched_most;
  PERDURE_ROLLED
  for (u32 at = 0; at < most; at += prefetched_line) prefetch(slot + at);
  prefetch(slot + most - 1);  // it seldom begins where a line does
}

/// Notes where the state of message `n` lies, and whether it comes on chip.
template <bool InMemory>
void note_home(on_chip& c, const memory& m, u32 n, word first) {
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  const abi::type_row& row = c[m.types_here][type];
  const char* slot = slot_of(c, m, type, abi::receiver_index(first));
  const bool comes = m.state_pitch != 0 && slot != nullptr && row.on_chip != 0;
  if (slot != nullptr && !comes) {
    if constexpr (InMemory) {
      prefetch_slot(slot, row.stride);
    } else {
      prefetch(slot);
    }
  }
  if (m.state_pitch == 0) return;
  c[m.home][n] = comes ? slot_home::of(slot, row.stride).bits : 0;
  c[m.copy][n] = static_cast<u16>(comes ? n : nobody);
}

/// f(copy, home) for each 16-byte word of each state that the lanes beside `lane` have noted: lanes side by side have those
/// that lie side by side. @tparam Pieces  of the largest slot.
template <u32 Pieces, class Block, class F>
void each_piece(const Block& b, on_chip& c, const memory& m, u32 lane, u32 messages, F f) {
  if constexpr (Pieces != 0) {
    const u32 first = lane / Block::side_by_side * Block::side_by_side;
    const u32 width = b.beside(lane);
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < Pieces; ++k) {
      const u32 i = k * width + lane - first;
      const u32 n = first + i / Pieces;
      if (n >= messages) continue;
      const slot_home home{c[m.home][n]};
      const u32 piece = i % Pieces;
      if (piece >= home.pieces()) continue;
      f(reinterpret_cast<word*>(c[m.states] + n * m.state_pitch) + piece,
        reinterpret_cast<word*>(home.at()) + piece);
    }
  }
}

/// Sets states on their way; they are there behind async_wait() and a barrier. All lanes, behind a barrier after
/// note_home().
template <u32 Pieces, class Block>
void bring_states(Block& b, on_chip& c, const memory& m, u32 messages) {
  if (m.state_pitch == 0) return;
  b.each([&](u32 lane) {
    each_piece<Pieces>(b, c, m, anew(lane), messages,
                       [](word* copy, const word* home) { async_copy_16(copy, home); });
  });
}
/// All lanes, behind the barrier after the handlers.
template <u32 Pieces, class Block>
void put_back_states(Block& b, on_chip& c, const memory& m, u32 messages) {
  if (m.state_pitch == 0) return;
  b.each([&](u32 lane) {
    each_piece<Pieces>(b, c, m, anew(lane), messages,
                       [](const word* copy, word* home) { store_16(home, get_here(copy)); });
  });
}

/// The copy of a slot that is empty does not go back: the host may be making an actor there meanwhile.
/// @param status  of message `n`'s receiver, before its handler.
inline void keep_empty(on_chip& c, const memory& m, u32 n, u32 status) {
  if (status != abi::slot_empty || m.state_pitch == 0 || c[m.copy][n] == nobody) return;
  c[m.home][c[m.copy][n]] = 0;
}

/// The slot of message `n`'s receiver for its handler: the copy, or where it lies in memory, or null.
inline char* slot_in_use(on_chip& c, const memory& m, u32 n, word first) {
  const u32 copy = m.state_pitch == 0 ? nobody : c[m.copy][n];
  if (copy != nobody) return c[m.states] + copy * m.state_pitch;
  return slot_of(c, m, c[m.handlers_here][abi::handler_of(first)].actor,
                 abi::receiver_index(first));
}

}  // namespace perdure::loop
