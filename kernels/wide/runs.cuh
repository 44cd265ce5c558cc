// kernels/wide/runs.cuh - how the lanes of a block share the words of the held actor's links.
// Why: a lane that looks up where each of its words stands does more looking up than moving.
// Invariant: the table is made when an actor is brought, and the same until another one is; no run has more words than its
//            group's lanes hold at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// How the lanes of a block share runs: each run is a group's, up to group_lanes of them side by side.
template <class Block>
struct run_groups {
  /// Words of a run that a lane has at the most: they are under way at once, so its registers must hold them.
  static constexpr u32 most = Block::few_lanes ? 2 * abi::least_share : abi::least_share;
  u32 width, groups, group,
      lane;  ///< lanes of a group; groups; of these, the lane's; its place there

  run_groups(const Block& b, u32 of)
      : width{b.lanes() < abi::group_lanes ? b.lanes() : abi::group_lanes},
        groups{b.lanes() / width},
        group{of / width},
        lane{of % width} {}
  /// The group's k-th run: there and back again, so that who has a long one first has a short one then.
  u32 nth(u32 k) const { return (k & 1U) == 0 ? k * groups + group : (k + 1) * groups - 1 - group; }
};

/// One lane: lists the runs of the held actor's ports, in-ports first, and where its joined messages land and its own are
/// filled. Runs of one word a lane stand behind the longer ones.
template <class Block>
void list_runs(const Block& b, on_chip& c, const memory& m) {
  using groups = run_groups<Block>;
  const u32 width = groups{b, 0}.width;
  u32 runs = 0;
  for (u32 pass = 0; pass < 4; ++pass) {
    const bool in = pass < 2;
    const bool first_pass = pass % 2 == 0;
    u32 at = in ? 0 : m.stage_spare;
    for (u32 p = 0; p < abi::max_ports; ++p) {
      const u32 i = in ? p : abi::max_ports + p;
      abi::link_end& end = c[m.ends][i];
      if (in && first_pass) c[m.landed][p] = end.slots == 0 ? ~0U : at;
      end.place = abi::no_place;
      if (end.slots == 0) continue;
      end.place = in ? at + 4 * abi::link_pieces(end.bytes) : at;
      const bool near = end.where == abi::tier::chip;
      for (u32 first = 0; first < end.words_a_message; first += width * groups::most) {
        const u32 left = end.words_a_message - first;
        if ((left > width) != first_pass) continue;
        run_of_words& r = c[m.runs][runs++];
        r.at = near ? u64{end.offset} + u64{first} * sizeof(word)
                    : reinterpret_cast<u64>(end.words + first);
        r.slot_words = end.words_a_message;
        r.slot_mask = end.slots - 1;
        r.end = static_cast<u16>(i);
        r.near = near ? 1 : 0;
        r.piece = at / 4 + first * abi::link_word_pieces;
        r.words = left < width * groups::most ? left : width * groups::most;
      }
      at += abi::landed_bytes(end.bytes);
    }
    if (pass == 1) c.in_runs = runs;
  }
  c.runs = runs;
}

/// Where word `k` of a run stands for the message behind `count` others.
inline u64 word_in_run(const run_of_words& r, u32 k, u64 count) {
  const u32 slot = static_cast<u32>(count) & r.slot_mask;
  return r.at + (u64{slot} * r.slot_words + k) * sizeof(word);
}
inline word* near_word(on_chip& c, u64 offset) {
  return reinterpret_cast<word*>(reinterpret_cast<char*>(&c) + static_cast<u32>(offset));
}

}  // namespace perdure::loop
