// kernels/wide/post.cuh - sending what a handler has filled and committed at its out-ports.
// Why: messages are filled on chip, where lanes write as they like, and leave in whole words, as many of them at once as
//      registers hold; or they were filled in their links (whole.cuh), and only that is said.
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

/// The hybrid times of a call's messages, until they go: alike on all lanes, and but for the first one constants where
/// nothing happens between the commits. The lanes that send the words behind a message's bytes put it there.
struct commit_stamps {
  static constexpr u32 in_stage = 15;  ///< in place of a rank: the stamp stands behind the message
  u64 first = 0;
  u64 ranks = 0;  ///< 4 bits a port: events behind the first commit
  u32 ports = 0;

  /// @return false if it comes too many events behind the first one: then it is to be put behind its message.
  bool note(u32 port, u64 stamp) {
    if (ports == 0) first = stamp;
    const u32 behind = static_cast<u32>(stamp) - static_cast<u32>(first);
    const u32 rank = behind < in_stage ? behind : in_stage;
    ports |= 1U << port;
    ranks |= u64{rank} << 4 * port;
    return rank != in_stage;
  }
  u32 rank(u32 port) const { return static_cast<u32>(ranks >> 4 * port) & 15U; }
};
static_assert(4 * abi::max_ports <= 64);

/// What a lane sends of one run: up to Most words, a group's width apart.
template <u32 Most>
struct words_to_send {
  u64 at;      ///< of the first
  u32 filled;  ///< where its data stands
  u32 number;  ///< of the message
  u32 words;

  /// The lanes that send a message's stamp put it behind the message first: what a lane has written it reads.
  template <class Groups>
  words_to_send(on_chip& c, const memory& m, const Groups& of, const run_of_words& r, bool sends,
                u32 committed, const commit_stamps& stamps, u32* stage) {
    const u32 port = r.end - abi::max_ports;
    const u32 count = static_cast<u32>(c[m.ends][r.end].count);
    const u32 own = of.lane < r.words ? of.lane : 0;
    at = word_in_run(r, own, count);
    filled = r.piece + own * abi::link_word_pieces;
    number = count + 1;
    const bool goes = sends && (committed >> port & 1U) != 0;
    words = words_of_lane<Most>(of, r, goes);
    const u32 behind = stamps.rank(port);
    const bool puts = goes && behind != commit_stamps::in_stage;
    const u64 stamp = stamps.first + behind;
    if (puts && of.lane == r.stamp_lane[0]) stage[r.stamp] = static_cast<u32>(stamp);
    if (puts && of.lane == r.stamp_lane[1]) stage[r.stamp + 1] = static_cast<u32>(stamp >> 32U);
  }
  /// On a device who sends nothing reads something all the same, so that no read is under a condition: it may be a message that
  /// others fill for the next region, and is not used.
  void read(const u32* stage, u32 width, word (&w)[Most]) const {
#if !defined(__CUDACC_RTC__)
    if (words == 0) return;  // to a host that would be a race
#endif
    each([&](u32 j) {  // who has fewer reads its first one more than once
      const u32* p = stage + filled + (j < words ? j * width * abi::link_word_pieces : 0);
      w[j] = abi::link_word(p[0], p[1], p[2], number);
    });
  }
  void send(u32 width, const word (&w)[Most]) const {
    each([&](u32 j) {
      if (j < words) store_link_word(at + u64{j} * width * sizeof(word), w[j]);
    });
  }

 private:
  template <class F>
  static void each(F f) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 j = 0; j < Most; ++j) f(j);
  }
};

/// Where messages are filled in their links: says of what was committed that it is there. All lanes, behind a barrier.
/// @param committed  bit: out-port.
template <class Block>
void publish_links(Block& b, on_chip& c, const memory& m, u32 committed,
                   const commit_stamps& stamps) {
  each_port(b, abi::max_ports, [&](u32 p) {
    if ((committed >> p & 1U) == 0) return;
    release_fence();  // what all lanes have filled
    const abi::link_end& out = c[m.ends][abi::max_ports + p];
    u64 stamp = stamps.first + stamps.rank(p);
    if (stamps.rank(p) == commit_stamps::in_stage) {
      const u32* at = stamp_behind(whole_message(out, out.count + 1), out.bytes);
      stamp = at[0] | static_cast<u64>(at[1]) << 32U;
    }
    publish_whole(out, stamp);
  });
}

/// Writes what was committed into the links, a long run and a short one at a time. All lanes, behind a barrier; counted by
/// count_sent() or the next take_from_ports(). Where messages are filled in their links (whole.cuh) only says so.
/// @param committed  bit: out-port.
template <class Block>
void write_links(Block& b, on_chip& c, const memory& m, u32 committed,
                 const commit_stamps& stamps) {
  if constexpr (Block::whole_links) return publish_links(b, c, m, committed, stamps);
  u32* stage = reinterpret_cast<u32*>(c[m.stage]);
  const run_of_words::packed* all = c[m.runs] + c.in_runs;
  const u32 runs = c.runs - c.in_runs;
  b.each([&](u32 lane) {
    using groups = run_groups<Block>;
    const groups of{b, lane};
    for (u32 k = 0; of.nth(k) < runs; ++k) {
      const runs_in_hand now = runs_at(all, of, k, runs);
      const words_to_send<groups::most> some{c, m, of, now.some, true, committed, stamps, stage};
      const words_to_send<1> few{c, m, of, now.few, now.both, committed, stamps, stage};
      k += now.both ? 1 : 0;
      word w[groups::most], also[1];
      some.read(stage, of.width, w);
      few.read(stage, of.width, also);
      some.send(of.width, w);
      few.send(of.width, also);
    }
  });
}

/// The same where it is rare, so that it is not inlined there.
template <class Block>
PERDURE_OUT_OF_LINE void write_links_now(Block b, on_chip& chip, const memory& mem, u32 committed,
                                         commit_stamps stamps) {
  write_links(b, here(chip), here(mem), committed, stamps);
}

}  // namespace perdure::loop
