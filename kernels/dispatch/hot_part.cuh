// kernels/dispatch/hot_part.cuh - what a part of a hot actor's stream consists of: landed, sorted and taken apart by all lanes.
// Why: while it is prepared the one lane that handles it waits. Where all that stands at the front is the actor's, which is the
//      usual case, its messages have one length, so each lane knows where its own ones stand.
// Invariant: of each message that is taken the words are taken apart where they stand, and `start` says where; messages for
//            others stay as they came, and `late` says which they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/defer.cuh"
#include "kernels/dispatch/message_run.cuh"
#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// Whether a message is for this actor.
inline bool is_for(const on_chip& c, const memory& m, word first, u32 type, u32 index) {
  return abi::receiver_index(first) == index &&
         c[m.handlers_here][abi::handler_of(first)].actor == type;
}

/// What has landed of a part; its first messages are those that were deferred before.
struct landed_part {
  batch taken{0, 0};      ///< behind them
  u32 others = 0;         ///< messages for others, those among them
  u64 clock = 0;          ///< the worker's, past all stamps that are taken
  bool may_sort = false;  ///< nothing is taken, but there is something: see sort_part()
};

/// The worker's clock before a part, which stamps on the wire are near to. Behind a barrier: who leads may have learnt the
/// time at the end of the turn.
inline u64 clock_before_part(const on_chip& c) {
  return merge_clock(c.clock, 0, stamp_at(c.now_ns + static_cast<u64>(c.clock_offset_ns)));
}

/// Sorts what has landed, and takes apart what is hers. All lanes, behind land(). @return nothing taken: it is not worth it.
template <class Block>
landed_part sort_part(Block& b, on_chip& c, const memory& m, batch taken) {
  enum what : u32 { nothing, hers, another };
  const u32 most_others = has_wide(m) ? 0
                          : b.lanes() / lanes_a_deferred < most_deferred
                              ? b.lanes() / lanes_a_deferred
                              : most_deferred;
  const u32 before = c.deferred;
  const u32 all = before + taken.messages;
  const u64 lo = c.stream.lo;
  const u32 type = c[m.handlers_here][abi::handler_of(word{lo, 0})].actor;
  const u64 local = clock_before_part(c);
  // each lane has the messages whose number is its own modulo the lanes: two, as none has less than two words
  static_assert(words_a_lane <= 4);
  typename Block::template per_lane<u32> kinds;
  typename Block::template per_lane<u64> others_before;
  const u64 totals = b.scan_flags(others_before, [&](u32 lane) {
    u32 flags = 0;
    kinds[lane] = 0;
    PERDURE_ROLLED
    for (u32 k = 0; k * b.lanes() + lane < all; ++k) {
      const u32 n = k * b.lanes() + lane;
      const word first = c[m.in][c[m.start][n]];
      what kind = another;
      if (n >= before && first.lo == lo) {
        kind = hers;
      } else if (n >= before && is_for(c, m, first, type, abi::receiver_index(word{lo, 0}))) {
        kind = nothing;
        fetch_min<scope::block>(&c.stream.end, n);
      }
      kinds[lane] |= kind << 8U * k;
      flags |= kind == another ? 1U << k : kind == hers ? 4U << k : 0;
    }
    return flags;
  });
  const auto field = [](u64 packed, u32 k) {
    return static_cast<u32>(packed >> 16U * k) & 0xffffU;
  };
  // nothing is taken, or looked up: it may have been moved
  if (agreed(field(totals, 2) + field(totals, 3) == 0)) return {};
  const u64 received = b.most([&](u32 lane) {
    u64 latest = 0;
    u32 below = 0;
    PERDURE_ROLLED
    for (u32 k = 0; k * b.lanes() + lane < all; ++k) {
      const u32 n = k * b.lanes() + lane;
      const u32 kind = kinds[lane] >> 8U * k & 0xffU;
      if (kind == hers) {
        word* at = c[m.in] + c[m.start][n];
        const u64 stamp = abi::stamp_from_wire(abi::wire_stamp(at[1]), local);
        latest = stamp > latest ? stamp : latest;
        take_apart(at, abi::words_of(word{lo, 0}), m.system);
      } else if (kind == another) {
        const u32 rank = below + field(others_before[lane], k);
        if (rank < most_others) c[m.late][rank] = n;
        if (rank == most_others) fetch_min<scope::block>(&c.stream.end, n);
      }
      below += field(totals, k);
    }
    return latest;
  });
  const u32 others = field(totals, 0) + field(totals, 1);
  return {taken, others < most_others ? others : most_others, merge_clock(local, received, 0),
          false};
}

/// Lands what stands at the front of the ring as long as it is all hers, and takes it apart: each lane has whole messages, so
/// nothing is to be found or sorted. All lanes; there is a stream. Nothing is taken, and nothing was changed, if nothing is
/// there, and where a message for somebody else stands behind few of hers: behind it there may be many.
/// @param whole  they stay as they came, and few are worth it, too: each may send many.
template <class Block>
landed_part land_hers(Block& b, on_chip& c, const memory& m, bool whole = false) {
  // of a lane: two messages of three words; two of two, or one of four, are less
  constexpr u32 most_held = 6;
  struct words_held {
    word at[most_held];
  };
  const u64 lo = c.stream.lo;
  const u32 words = abi::words_of(word{lo, 0});
  const u32 behind = c.deferred_words;
  const u32 before = c.deferred;
  const u32 lanes = b.lanes();
  const u32 most = (m.in_words - behind) / words;
  static_assert(words_a_lane <= 4 && row_words <= 4, "so no lane has more");
  const word_source ring = own_ring(c, m);
  const u64 from = c.ring_head;
  const u64 mask = (u64{1} << ring.shift) - 1;
  const auto part_of = [&](u32 k) { return words == 2 ? k / 2 : words == 3 ? k / 3 : k / 4; };
  const auto message_of = [&](u32 lane, u32 k) { return part_of(k) * lanes + lane; };
  const auto word_of = [&](u32 k) { return k - part_of(k) * words; };
  typename Block::template per_lane<words_held> held;
  // twice the number of the first that is not hers and there, and one more if it is there
  const u32 end = b.least([&](u32 lane) {
    words_held& mine = held[lane];
    u32 first_missing = 2 * most;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < most_held; ++k) {  // all on their way before one is looked at
      const u32 n = message_of(lane, k);
      mine.at[k] = n < most ? load<order::relaxed, scope::device>(
                                  &ring.words[(from + n * words + word_of(k)) & mask])
                            : word{0, 0};
    }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < most_held; ++k) {
      const u32 n = message_of(lane, k);
      if (n >= most) continue;
      const word w = mine.at[k];
      const bool there = abi::is_ready(w, from + n * words + word_of(k), ring.shift);
      const bool hers = word_of(k) != 0 || w.lo == lo;
      const u32 here = 2 * n + (there ? 1 : 0);
      if (!(there && hers) && here < first_missing) first_missing = here;
    }
    return first_missing;
  });
  const u32 count = end / 2;
  const bool few = !whole && (count < least_of_stream(m) || count * 4 < most);
  if (agreed(count == 0 || (end % 2 != 0 && few))) return {{0, 0}, 0, 0, end != 0};
  const u64 local = clock_before_part(c);
  const u64 received = b.most([&](u32 lane) {
    const words_held& mine = held[lane];
    u64 latest = 0;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < most_held; ++k) {
      const u32 n = message_of(lane, k);
      if (n >= count) continue;
      word* const at = c[m.in] + behind + n * words;
      at[word_of(k)] = mine.at[k];
      if (word_of(k) == 1) {
        const u64 stamp = abi::stamp_from_wire(abi::wire_stamp(mine.at[k]), local);
        latest = stamp > latest ? stamp : latest;
      }
      if (word_of(k) + 1 != words) continue;
      if (!whole) take_apart(at, words, m.system);
      c[m.start][before + n] = behind + n * words;
    }
    PERDURE_ROLLED
    for (u32 i = lane; i < before; i += lanes) c[m.late][i] = i;
    return latest;
  });
  return {{count, count * words}, before, merge_clock(local, received, 0), false};
}

}  // namespace perdure::loop
