// kernels/wide/post.cuh - sending what a handler has filled and committed at its out-ports.
// Why: messages are filled on chip, where lanes write as they like, and leave in whole words, as many of them at once as
//      registers hold.
// Invariant: a slot is written only when the message that had it was taken; a word publishes itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ports.cuh"

namespace perdure::loop {

/// Where the stamp of a message stands that is filled at `message`: behind its bytes, so that both go the same way.
inline u32* stamp_behind(char* message, u32 bytes) {
  return reinterpret_cast<u32*>(message) + abi::link_pieces(bytes);
}
inline void put_stamp(u32* at, u64 stamp) {
  at[0] = static_cast<u32>(stamp);
  at[1] = static_cast<u32>(stamp >> 32U);
}

/// What a lane sends of one run: up to Most words, a group's width apart.
template <u32 Most>
struct words_to_send {
  u64 at = 0;      ///< of the first: an address, or an offset on chip
  u32 filled = 0;  ///< where its data stands
  u32 number = 0;  ///< of the message
  u32 words = 0;
  u32 rank = 0;
  bool near = false;
#if defined(__CUDACC_RTC__)
  word w[Most];
#else
  word w[Most] = {};  // compilers do not see that send() looks at what read() has set
#endif

  template <class Groups>
  void begin(on_chip& c, const memory& m, const Groups& of, const run_of_words& r, u32 committed) {
    const abi::link_end& out = c[m.ends][r.end];
    at = word_in_run(r, of.lane, out.count);
    filled = r.piece + of.lane * abi::link_word_pieces;
    number = static_cast<u32>(out.count) + 1;
    near = r.near != 0;
    rank = out.rank;
    const bool goes = (committed >> (r.end - abi::max_ports) & 1U) != 0 && of.lane < r.words;
    words = goes ? (r.words - of.lane - 1) / of.width + 1 : 0;
  }
  void read(const u32* stage, u32 width) {
    each([&](u32 j) {
      const u32* p = stage + filled + j * width * abi::link_word_pieces;
      w[j] = abi::link_word(p[0], p[1], p[2], number);
    });
  }
  void send(on_chip& c, u32 width) const {
    // relaxed: a word publishes itself
    if (near) {
      word* to = near_word(c, at);
      each([&](u32 j) { store_near(to + j * width, rank, w[j]); });
    } else {
      word* to = reinterpret_cast<word*>(at);
      each([&](u32 j) { store<order::relaxed, scope::device>(to + j * width, w[j]); });
    }
  }

 private:
  template <class F>
  void each(F f) const {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 j = 0; j < Most; ++j) {
      if (j < words) f(j);
    }
  }
};

/// Writes what was committed into the links, a long run and a short one at a time. All lanes, behind a barrier; counted by
/// count_sent() or the next take_from_ports(). Not where messages are filled in their links (whole.cuh).
/// @param committed  bit: out-port.
template <class Block>
void write_links(Block& b, on_chip& c, const memory& m, u32 committed) {
  const u32* stage = reinterpret_cast<const u32*>(c[m.stage]);
  const run_of_words* all = c[m.runs] + c.in_runs;
  const u32 runs = c.runs - c.in_runs;
  b.each([&](u32 lane) {
    using groups = run_groups<Block>;
    const groups of{b, lane};
    for (u32 k = 0; of.nth(k) < runs; ++k) {
      words_to_send<groups::most> some;
      words_to_send<1> few;
      some.begin(c, m, of, all[of.nth(k)], committed);
      if (const u32 next = of.nth(k + 1); next < runs && all[next].words <= of.width) {
        few.begin(c, m, of, all[next], committed);
        ++k;
      }
      some.read(stage, of.width);
      few.read(stage, of.width);
      some.send(c, of.width);
      few.send(c, of.width);
    }
  });
}

/// The same where it is rare, so that it is not inlined there.
template <class Block>
PERDURE_OUT_OF_LINE void write_links_now(Block b, on_chip& chip, const memory& mem, u32 committed) {
  write_links(b, here(chip), here(mem), committed);
}

}  // namespace perdure::loop
