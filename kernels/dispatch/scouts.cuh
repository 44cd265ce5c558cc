// kernels/dispatch/scouts.cuh - a warp that looks at the host lanes while the first one polls the ring.
// Why: a load over the bus takes five times as long as one from the ring, and the loads of one warp come back in order;
//      so who polls the ring must not look at the host.
// Invariant: `ask` is written by the first warp only, the box by the scout only. An answer counts if it names the ask in
//            force, so a look that was under way when the host lanes moved on says nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// The first warp's side; one lane of it calls. A new ask: host lanes have moved on, or the first warp has come back.
/// @memory  release, block: pairs with the acquire in read_ask(); the scout sees how far the host lanes were handled.
inline void ask_scout(on_chip& c) {
  c.scout_turn = c.scout_turn % (scout_leave - 1) + 1;  // never 0, and never the word to leave
  store<order::release, scope::block>(&c.scout_ask, c.scout_turn);
}
inline void rest_scout(on_chip& c) { store<order::release, scope::block>(&c.scout_ask, 0U); }
/// It goes to the block's barrier, as soon as its looks are back.
inline void call_scout(on_chip& c) {
  store<order::release, scope::block>(&c.scout_ask, scout_leave);
}
/// Whether the scout has found something.
/// @memory  acquire, block: pairs with the release in answer_ask(); then its box may be read, until ask_scout().
inline bool has_answered(const on_chip& c) {
  return load<order::acquire, scope::block>(&c.scout.answer) == c.scout_turn;
}

/// The scout's side. @return the ask in force; 0: it rests.
inline u32 read_ask(const on_chip& c) { return load<order::acquire, scope::block>(&c.scout_ask); }
/// One lane, behind a barrier of the scout after its words.
inline void answer_ask(on_chip& c, u32 ask, u32 ready) {
  c.scout.ready = ready;
  store<order::release, scope::block>(&c.scout.answer, ask);
}

/// Bits of scout_box::ready: those of the first words of its host lanes, and of all words of the first lane.
inline constexpr u32 scout_firsts =
    1U | 1U << scout_words | 1U << 2 * scout_words | 1U << 3 * scout_words | 1U << 4 * scout_words;
inline constexpr u32 scout_one_lane = (1U << scout_words) - 1;
/// Bit of scout_box::ready: the look came right behind the ask, so who writes there writes one message after another;
/// whoever waits for a reply cannot have it yet.
inline constexpr u32 scout_in_a_row = 1U << 31U;
static_assert(scout_lanes == 5 && scout_lanes * scout_words <= 31);

/// What a look at a host lane, all of whose words were there, is to be followed by. A message that fills the look is handled
/// where it has landed, one that is longer is read to its end, for a whole turn takes several times as long; but where
/// there are many, a turn has them sooner than a poll.
enum class lane_find : u32 { alone, longer, many };
/// @param found  what is whole of the words in hand.  @param there  words in hand, from the first one on.
constexpr lane_find what_fills_a_look(batch found, u32 there, bool in_a_row) {
  if (in_a_row) return lane_find::many;
  if (found.messages == 0) return lane_find::longer;
  return found.messages == 1 && found.words == there ? lane_find::alone : lane_find::many;
}

#if defined(__CUDACC_RTC__)

/// What each lane of the scout's warp knows of its looks.
struct scout_looks {
  const on_chip& c;
  const memory& m;
  u32 lane;        ///< of the warp
  u32 base = 0;    ///< the first host lane of a look
  u32 groups = 1;  ///< host lanes of a look
  u32 which = 0;   ///< this lane's host lane
  u64 at = 0;      ///< position in it
  const word* word_at = nullptr;
  u32 there = 0;  ///< bit l: the word of the warp's lane l is there, as the last look has it

  /// Where the looks that follow look.
  void aim(u32 used) {
    groups = used < scout_lanes ? used : scout_lanes;
    base = base < used ? base : 0;
    const bool mine = lane / scout_words < groups;
    const u32 own = base + (mine ? lane / scout_words : 0);
    which = own < used ? own : own - used;
    at = load<order::relaxed, scope::block>(&c.lane_head[which]) + (mine ? lane % scout_words : 0);
    const u64 ring = (static_cast<u64>(which) * m.workers + c.worker) << m.lane_shift;
    word_at = m.lane_words + ring + (at & ((u64{1} << m.lane_shift) - 1));
  }
  word look() const { return load<order::relaxed, scope::system>(word_at); }
  /// Whether a look has found a message.
  bool see(word brought) {
    there =
        __ballot_sync(~0U, lane / scout_words < groups && abi::is_ready(brought, at, m.lane_shift));
    return (there & scout_firsts) != 0;
  }
};

/// A worker that has found nothing for so many looks looks less often: all of them share the bus, and a line that is read
/// has to be fetched again by the host thread that writes it.
inline constexpr u32 looks_until_slow = 32;
inline constexpr long long cycles_between_slow_looks = 3000;

/// Lets time pass without the bus, as long as the ask is in force.
inline void pass_cycles(const on_chip& c, u32 ask, long long n) {
  const long long until = clock64() + n;
  while (__any_sync(~0U, clock64() >= until || read_ask(c) != ask) == 0) {
  }
}

/// The scout's warp until it is called.
inline void scout(on_chip& c, const memory& m, u32 lane) {
  scout_looks looks{c, m, lane};
  u32 in_vain = 0;
  u32 last = 0;
  for (;;) {
    // what lane 0 has read decides for all, and what it has acquired is all lanes'
    const u32 ask = __shfl_sync(~0U, read_ask(c), 0);
    const u32 used = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.lanes_used), 0);
    const u32 answered = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.scout.answer), 0);
    __syncwarp();
    if (ask == scout_leave) return;
    if (ask == 0 || used == 0 || answered == ask) continue;
    if (ask != last) {  // there was something to do; whose turn it is now, the first warp knows
      in_vain = 0;
      looks.base = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.next_lane), 0);
    }
    last = ask;
    if (in_vain >= looks_until_slow) {
      pass_cycles(c, ask, cycles_between_slow_looks);
      if (__shfl_sync(~0U, read_ask(c), 0) != ask) continue;
    }
    looks.aim(used);
    const word found = looks.look();
    if (!looks.see(found)) {
      looks.base += looks.groups;
      ++in_vain;
      continue;
    }
    if (lane < scout_lanes * scout_words) c.scout.words[lane] = found;
    if (lane % scout_words == 0 && lane / scout_words < scout_lanes)
      c.scout.which[lane / scout_words] = looks.which;
    __syncwarp();
    // of all host lanes in use this was the first look
    const u32 row = in_vain <= (used - 1) / scout_lanes ? scout_in_a_row : 0;
    if (lane == 0) answer_ask(c, ask, looks.there | row);
    __syncwarp();
  }
}

#endif

}  // namespace perdure::loop
