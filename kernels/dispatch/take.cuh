// kernels/dispatch/take.cuh - the step "take": lands a run of whole messages on chip.
// Why: all words come in with one trip, each saying for itself whether it is there; no fence, no count to wait for.
// Invariant: only the ready prefix is taken, cut at a message's end; messages keep the order of the ring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// A turn reads at least so many words of a host lane, so that the longest message fits, and a warp has something to do.
inline constexpr u32 least_lane_want = 32;
static_assert(least_lane_want >= abi::max_words);

/// What a batch consists of; the same for all lanes.
struct batch {
  u32 messages;
  u32 words;  ///< taken from the source
};

/// Where a batch comes from.
struct batch_source {
  enum place : u32 { nowhere, ring, spill, lane };
  place from = nowhere;
  u32 lane_number = 0;  ///< of the host lane
};

/// Its words. One type for all, so that landing is one piece of code.
struct word_source {
  enum kind_type : u32 { ring, host, spill, chip };
  kind_type kind;
  u32 shift;          ///< of the ring that the laps belong to
  const word* words;  ///< 2^shift of them; chip: those from where they are asked for
  u64 end;            ///< but for a ring: the first position that is not there, or not asked for

  /// Reads `most` words from `from + lane` on that are `lanes` apart, all under way before the first is looked at; the others
  /// are empty.
  void fetch(word (&w)[words_a_lane], u64 from, u32 lane, u32 lanes, u32 most) const {
    const u64 mask = (u64{1} << shift) - 1;
    const u64 pos = from + lane;
    if constexpr (runs_are_built) {  // else there are none
      if (kind == chip) {
        return each([&](u32 k) {
          w[k] = k >= most || pos + k * lanes >= end ? word{0, 0} : words[lane + k * lanes];
        });
      }
    }
    // relaxed: a word carries its lap, so seeing it is seeing all of it
    if (kind == ring) {
      each([&](u32 k) {
        w[k] = k >= most ? word{0, 0}
                         : load<order::relaxed, scope::device>(&words[(pos + k * lanes) & mask]);
      });
    } else if (kind == host) {
      each([&](u32 k) {
        const u64 at = pos + k * lanes;
        w[k] = k >= most || at >= end ? word{0, 0}
                                      : load<order::relaxed, scope::system>(&words[at & mask]);
      });
    } else {
      each([&](u32 k) {
        const u64 at = pos + k * lanes;
        w[k] = k >= most || at >= end ? word{0, 0} : words[at & mask];
      });
    }
  }
  /// One of them, for one lane.
  word one(u64 pos) const {
    const u64 mask = (u64{1} << shift) - 1;
    if (kind == ring) return load<order::relaxed, scope::device>(&words[pos & mask]);
    if (pos >= end) return word{0, 0};
    if (kind == host) return load<order::relaxed, scope::system>(&words[pos & mask]);
    return words[pos & mask];
  }
  bool ready(word w, u64 pos) const {
    if (kind != ring && pos >= end) return false;
    return kind == spill || abi::is_ready(w, pos, shift);
  }

 private:
  template <class F>
  static void each(F f) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < words_a_lane; ++k) f(k);
  }
};

/// As land(), on one thread: it stops at the first word that is not there.
inline batch land_in_order(on_chip& c, const memory& m, u64 from, u32 most,
                           const word_source& source) {
  u32 ready = 0;
  batch taken{0, 0};
  u32 start = 0;
  u32 next = 0;  // behind the message under way
  for (; ready < m.in_words && taken.messages < most; ++ready) {
    const word w = source.one(from + ready);
    if (!source.ready(w, from + ready)) break;
    c[m.in][ready] = w;
    if (ready >= next) {
      start = ready;
      next = ready + (abi::is_first(w) ? abi::words_of(w) : 0);
    }
    if (ready + 1 != next) continue;
    c[m.start][taken.messages++] = start;
    taken.words = next;
  }
  if (ready == m.in_words || taken.messages == most) c.crowded = 1;
  return taken;
}

/// Lands up to in_words words, behind those of messages that were deferred, and finds the messages in them:
/// start[deferred..deferred + messages).
/// @param most  messages at the most, with those deferred.
template <class Block>
PERDURE_OUT_OF_LINE batch land(Block b, on_chip& chip, const memory& mem, u64 from, u32 most,
                               const word_source source) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 lanes = b.lanes();
  const u32 behind = c.deferred_words;
  const u32 deferred = c.deferred;
  if constexpr (Block::in_order) return land_in_order(c, m, from, most, source);
  typename Block::template per_lane<u32>
      sizes;  // a byte for each of the lane's words: words of the message it begins
  const u32 room =
      m.lane_words_in * lanes < m.in_words - behind ? m.lane_words_in * lanes : m.in_words - behind;
  const u32 ready = b.least([&](u32 lane) {
    word w[words_a_lane];
    const u32 most_words = m.lane_words_in;
    source.fetch(w, from, lane, lanes, most_words);
    u32 first_missing = room;
    sizes[lane] = 0;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < words_a_lane; ++k) {
      if (k >= most_words) break;
      const u32 i = k * lanes + lane;
      if (i < room) c[m.in][behind + i] = w[k];
      if (abi::is_first(w[k])) sizes[lane] |= abi::words_of(w[k]) << 8U * k;
      if (!source.ready(w[k], from + i) && i < first_missing) first_missing = i;
    }
    return first_missing;
  });
  if (ready == 0) {
    b.region([](u32) {});
    return batch{0, 0};
  }
  b.lead([&] {
    if (ready == room) c.crowded = 1;
  });

  // word k * lanes + lane begins a message that is wholly there
  auto complete = [&](u32 lane, u32 k) {
    const u32 words = sizes[lane] >> 8U * k & 0xffU;
    return words != 0 && k * lanes + lane + words <= ready;
  };
  typename Block::template per_lane<u64> before;
  const u64 totals = b.scan_flags(before, [&](u32 lane) {
    u32 flags = 0;
    for (u32 k = 0; k < words_a_lane; ++k) flags |= complete(lane, k) ? 1U << k : 0;
    return flags;
  });
  auto field = [](u64 packed, u32 k) { return static_cast<u32>(packed >> 16U * k) & 0xffffU; };
  const u32 found = field(totals, 0) + field(totals, 1) + field(totals, 2) + field(totals, 3);
  if (found == 0 || most <= deferred) return batch{0, 0};
  const u32 messages = found < most - deferred ? found : most - deferred;
  b.region([&](u32 lane) {
    u32 base = 0;
    for (u32 k = 0; k < words_a_lane; ++k) {
      if (complete(lane, k))
        c[m.start][deferred + base + field(before[lane], k)] = behind + k * lanes + lane;
      base += field(totals, k);
    }
  });
  const u32 last = c[m.start][deferred + messages - 1];
  return batch{messages, last - behind + abi::words_of(c[m.in][last])};
}

inline word_source own_ring(const on_chip& c, const memory& m) {
  return {word_source::ring, m.ring_shift, m.rings + (static_cast<u64>(c.worker) << m.ring_shift),
          0};
}
/// 1 + the host lane of which enough words for a turn have been brought on chip, see ahead.cuh; 0 none. The same for all lanes,
/// behind a barrier.
inline u32 lane_ahead(const on_chip& c, const memory& m) {
  if (!runs_are_built || m.lands_ahead == 0 || c.ahead.lane == 0) return 0;
  const bool enough = 2 * c.ahead.words >= m.in_words;
  return enough && c.ahead.from == c.lane_head[c.ahead.lane - 1] ? c.ahead.lane : 0;
}
/// 1 + the host lane whose turn is next by what an idle warp has seen and brought: another one that has something first.
inline u32 next_ahead(const on_chip& c, const memory& m) {
  if (!runs_are_built || m.lands_ahead == 0) return 0;
  return c.ahead.others > 1 ? c.ahead.others - 1 : lane_ahead(c, m);
}
/// The next words of a host lane: as many as it is likely to hold.
inline word_source own_lane(const on_chip& c, const memory& m, u32 lane) {
  const u64 which = static_cast<u64>(lane) * m.workers + c.worker;
  return {word_source::host, m.lane_shift, m.lane_words + abi::ring_start(which, m.lane_shift),
          c.lane_head[lane] + c.lane_want[lane]};
}
inline word_source words_spilled(const word* spill, u32 shift, u64 tail) {
  return {word_source::spill, shift, spill, tail};
}
inline word* own_spill(const on_chip& c, const memory& m) {
  return m.spills + (static_cast<u64>(c.worker) << m.spill_shift);
}

/// Tells the senders how much of the ring has been passed. One lane, after a barrier behind the reads.
/// @memory  release, device: pairs with the acquire in limit_of(); a sender must not overwrite what is still read.
inline void tell_head(on_chip& c, const memory& m) {
  c.ring_told = c.ring_head;
  store<order::release, scope::device>(&m.heads[c.worker].value, c.ring_head);
}
/// Passes `words` words of the ring, likewise. The senders are told when an eighth of the ring has been passed: while the
/// ring is emptied, the lowest place that waits is never further than that from the room it needs.
inline void advance_ring(on_chip& c, const memory& m, u32 words) {
  const u64 laps = c.ring_head >> m.ring_shift;
  c.ring_head += words;
  c.count[static_cast<u32>(abi::counter::wraps)] += (c.ring_head >> m.ring_shift) - laps;
  if (c.ring_head - c.ring_told < (u64{1} << m.ring_shift) / 8) return;
  tell_head(c, m);
}

/// Whether the next turn is for a host lane that has lately had more than one warp lands. Lane 0.
inline bool lane_has_much(const on_chip& c, const memory& m) {
  return c.lane_ready != 0 && c.lane_want[c.lane_ready - 1] > 32 * m.lane_words_in;
}

/// Tells the host, by quarters, how much of a lane has been read. One lane, after a barrier behind the reads.
/// @memory  behind the reads: pairs with the host's acquire of the head; the words were read.
inline void tell_lane(on_chip& c, const memory& m, u32 lane, u64 head) {
  if (head - c.lane_told[lane] < (u64{1} << m.lane_shift) / 4) return;
  c.lane_told[lane] = head;
  store_behind_reads(&m.lane_heads[static_cast<u64>(lane) * m.workers + c.worker].value, head);
}
/// Passes words of a host lane, once they are handled. One lane, after a barrier behind the reads.
inline void advance_lane(on_chip& c, const memory& m, u32 lane, batch taken) {
  const u64 head = c.lane_head[lane] + taken.words;
  store<order::relaxed, scope::block>(&c.lane_head[lane],
                                      head);  // a scout may be looking: scouts.cuh
  c.count[static_cast<u32>(abi::counter::from_host)] += taken.messages;
  const u32 of_warp = 32 * m.lane_words_in;
  // a warp lands 32 messages at the most: of short ones there may be more, however few words they had
  const u32 likely =
      taken.messages >= 32 && taken.words * 2 <= of_warp ? of_warp + 1 : 2 * taken.words;
  c.lane_want[lane] = static_cast<u16>(likely < least_lane_want ? least_lane_want
                                       : likely < m.in_words    ? likely
                                                                : m.in_words);
  tell_lane(c, m, lane, head);
}

}  // namespace perdure::loop
