// kernels/dispatch/defer.cuh - messages that are left to the next batch, since another one for the same actor is in this one.
// Why: a lane that handles two messages of a chain makes its warp, and with it the whole block, wait for one more handler.
//      A few such messages in a large batch cost as much as the batch; at the front of the next one they cost nothing.
// Invariant: they are the first messages of the next batch, in their order, so a pair's order holds; between two turns they
//            stand where `in` begins, and nothing but the next batch is put there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/states.cuh"

namespace perdure::loop {

/// So many lanes move a message, some of them two words of it.
inline constexpr u32 lanes_a_deferred = 16, most_deferred = 32;
static_assert(abi::max_words <= 2 * lanes_a_deferred);

/// Whether a batch leaves its late messages to the next one: if they are few beside the others, and so many lanes are at
/// work that the next batch is likely to be large, too. Wide actors land their messages where these would stand.
/// @param messages  of the batch. @param late  of them, those behind another one of their slot in the claim table.
template <class Block>
bool defers(const Block& b, const memory& m, u32 messages, u32 late) {
  return !has_wide(m) && late != 0 && late <= most_deferred &&
         late * lanes_a_deferred <= b.lanes() && late * 8 < messages && messages * 2 > m.lanes;
}

/// Behind the handlers, all lanes: moves the late messages to where the next batch begins. Ends behind a barrier.
/// @param count  of memory::late, each with its message below.
template <class Block>
void defer(Block& b, on_chip& c, const memory& m, u32 count) {
  struct part {
    word words[2];
    u32 has;  ///< of those
  };
  const auto begin_of = [&](u32 i) { return c[m.start][c[m.late][i] & 0xffffU]; };
  const auto words_of = [&](u32 i) { return i < count ? abi::words_of(c[m.in][begin_of(i)]) : 0U; };
  const auto message_of = [](u32 lane) { return lane / lanes_a_deferred % most_deferred; };
  typename Block::template per_lane<u32> begins;
  const u32 all = b.sum_below(begins, message_of, words_of);
  typename Block::template per_lane<part> parts;
  b.region([&](u32 lane) {
    const u32 k = lane % lanes_a_deferred;
    const u32 words = lane < count * lanes_a_deferred ? words_of(message_of(lane)) : 0;
    part& p = parts[lane];
    p.has = k >= words ? 0 : k + lanes_a_deferred >= words ? 1 : 2;
    if (p.has == 0) return;
    const word* from = c[m.in] + begin_of(message_of(lane)) + k;
    p.words[0] = from[0];
    if (p.has == 2) p.words[1] = from[lanes_a_deferred];
  });
  b.region([&](u32 lane) {
    const part& p = parts[lane];
    if (p.has == 0) return;
    const u32 k = lane % lanes_a_deferred;
    word* to = c[m.in] + begins[lane] + k;
    to[0] = p.words[0];
    if (p.has == 2) to[lanes_a_deferred] = p.words[1];
    if (k == 0) c[m.start][message_of(lane)] = begins[lane];
    if (lane != 0) return;
    c.deferred = count;
    c.deferred_words = all;
  });
}

/// Where parked workers come back: the words are there again, and say where each message begins. Lane 0.
inline void find_deferred(on_chip& c, const memory& m) {
  u32 at = 0;
  PERDURE_ROLLED
  for (u32 i = 0; i < c.deferred; ++i) {
    c[m.start][i] = at;
    at += abi::words_of(c[m.in][at]);
  }
}

}  // namespace perdure::loop
