// kernels/wide/runs.cuh - how the lanes of a block share the words of the held actor's links.
// Why: a lane that looks up where each of its words stands does more looking up than moving.
// Invariant: the table is made when an actor is brought, and the same until another one is; no run has more words than its
//            group's lanes hold at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"
#include "kernels/platform/cluster.cuh"

namespace perdure::loop {

/// Words of a run that a lane has at the most. More than usual where the messages of a firing are longer than all lanes hold at
/// once: who has a second run looks at it when the first one is there, which is a trip to memory more. Fewer where each group of
/// lanes has a run all the same: it moves as many words as that says.
constexpr u32 share_of_a_lane(bool few_lanes) {
#ifdef PERDURE_LINK_SHARE  // the generated unit says
  return few_lanes ? PERDURE_LINK_SHARE : abi::least_share;
#else
  return few_lanes ? abi::usual_share : abi::least_share;
#endif
}

static_assert(share_of_a_lane(true) <= abi::most_share, "a lane holds all of them in registers");

/// How the lanes of a block share runs: each run is a group's, up to group_lanes of them side by side.
template <class Block>
struct run_groups {
  /// Words of a run that a lane has at the most: they are under way at once, so its registers must hold them.
  static constexpr u32 most = share_of_a_lane(Block::few_lanes);
  u32 width, groups, group,
      lane;  ///< lanes of a group; groups; of these, the lane's; its place there

  run_groups(const Block& b, u32 of)
      : width{b.lanes() < abi::group_lanes ? b.lanes() : abi::group_lanes},
        groups{b.lanes() / width},
        group{of / width},
        lane{of % width} {}
  /// The group's k-th run: there and back again, so that who has a long one first has a short one then. The way back begins
  /// in the middle: the first group and the last one have other things to do.
  u32 nth(u32 k) const {
    return k * groups + ((k & 1U) == 0 ? group : (groups - 1 - group + groups / 2) % groups);
  }
};

/// Where the words of a link of tier::chip stand.
inline word* near_words(on_chip& c, const abi::link_end& end) {
  return reinterpret_cast<word*>(reinterpret_cast<char*>(&c) + end.offset);
}

/// What a port adds to the table: so many runs of several words a lane, and of one; bytes where its message lies.
struct port_runs {
  u32 longs, shorts, bytes;
};
/// Of an end: runs begin at so many of its words each, and who has no more left than a word a lane is short.
template <class Block>
port_runs runs_of(const abi::link_end& end, u32 width) {
  port_runs out{0, 0, 0};
  if (end.slots == 0) return out;
  for (u32 first = 0; first < end.words_a_message; first += width * run_groups<Block>::most)
    ++(end.words_a_message - first > width ? out.longs : out.shorts);
  out.bytes = abi::landed_bytes(end.bytes);
  return out;
}

/// One lane: the runs of an end. @param at  bytes before its message. @param longs  where its runs of several words a lane
/// stand in the table. @param shorts  where the one that is not stands.
template <class Block>
void list_port(const Block& b, on_chip& c, const memory& m, u32 i, u32 at, u32 longs, u32 shorts) {
  using groups = run_groups<Block>;
  const u32 width = groups{b, 0}.width;
  const bool in = i < abi::max_ports;
  abi::link_end& end = c[m.ends][i];
  if (in) c[m.landed][i] = end.slots == 0 ? ~0U : at;
  end.place = abi::no_place;
  if (end.slots == 0) return;
  end.place = in ? at + 4 * abi::link_pieces(end.bytes) : at;
  const bool near = end.where == abi::tier::chip;
  for (u32 first = 0; first < end.words_a_message; first += width * groups::most) {
    const u32 left = end.words_a_message - first;
    run_of_words r;
    r.at = reinterpret_cast<u64>(end.words + first);
    if (near) {
      word* const here = near_words(c, end) + first;
      r.at = in ? reinterpret_cast<u64>(here) : near_address(here, end.rank);
    }
    r.slot_bytes = end.words_a_message * u32{sizeof(word)};
    r.slot_mask = end.slots - 1;
    r.end = static_cast<u8>(i);
    r.piece = at / 4 + first * abi::link_word_pieces;
    r.words = static_cast<u16>(left < width * groups::most ? left : width * groups::most);
    r.stamp = at / 4 + abi::link_pieces(end.bytes);
    for (u32 half = 0; half < 2; ++half) {
      const u32 k =
          (r.stamp + half - r.piece) / abi::link_word_pieces;  // a stamp before the run: huge
      r.stamp_lane[half] = static_cast<u8>(k < r.words ? k % width : run_of_words::no_lane);
    }
    c[m.runs][left > width ? longs++ : shorts++] = r.pack();
  }
}

/// Lists the runs of the held actor's `ports`, in-ports first, and where its joined messages land and its own are filled.
/// Runs of one word a lane stand behind the longer ones. All lanes, behind a barrier: each lists those of its ports, behind
/// what it counts of the others. Ends with a barrier.
template <class Block>
void list_runs(Block& b, on_chip& c, const memory& m, u32 ports) {
  const u32 width = run_groups<Block>{b, 0}.width;
  constexpr u32 ends = 2 * abi::max_ports;
  auto* counted = reinterpret_cast<port_runs*>(c[m.scratch]);
  static_assert(ends * sizeof(port_runs) <= 32 * 64);
  b.region([&](u32 lane) {
    for (u32 i = lane; i < ends; i += b.lanes()) counted[i] = runs_of<Block>(c[m.ends][i], width);
  });
  b.region([&](u32 lane) {
    for (u32 i = lane; i < ends; i += b.lanes()) {
      const bool in = i < abi::max_ports;
      u32 ins = 0, all = 0, longs = 0, longs_before = 0, shorts_before = 0;
      u32 at = in ? 0 : m.stage_spare;
      for (u32 p = 0; p < 2 * ports; ++p) {
        const bool k_in = p < ports;
        const u32 k = k_in ? p : abi::max_ports + p - ports;
        const port_runs of = counted[k];
        all += of.longs + of.shorts;
        if (k_in) ins += of.longs + of.shorts;
        if (k_in != in) continue;
        longs += of.longs;
        if (k >= i) continue;
        longs_before += of.longs;
        shorts_before += of.shorts;
        at += of.bytes;
      }
      list_port(b, c, m, i, at, (in ? 0 : ins) + longs_before,
                (in ? 0 : ins) + longs + shorts_before);
      if (i != 0) continue;
      c.in_runs = ins;
      c.runs = all;
    }
  });
}

/// Where word `k` of a run stands for the message behind `count` others.
inline u64 word_in_run(const run_of_words& r, u32 k, u32 count) {
  return r.at + u64{count & r.slot_mask} * r.slot_bytes + u64{k} * sizeof(word);
}

/// Words of a run that are a lane's, Most at the most; none if not `any`.
template <u32 Most, class Groups>
u32 words_of_lane(const Groups& of, const run_of_words& r, bool any) {
  const u32 words = (r.words - of.lane + of.width - 1) / of.width;  // if it has any
  return any && of.lane < r.words ? (Most == 1 ? 1 : words) : 0;
}

/// What a group does next: a run of several words a lane, if there is one, and one of a word a lane behind it, or that again.
struct runs_in_hand {
  run_of_words some, few;
  bool both;
};
/// @param all  of the table.  @param k  the group's k-th of `runs` is there.
template <class Groups>
runs_in_hand runs_at(const run_of_words::packed* all, const Groups& of, u32 k, u32 runs) {
  const u32 next = of.nth(k + 1);
  const auto few = run_of_words::unpack(all[next < runs ? next : of.nth(k)]);
  return {run_of_words::unpack(all[of.nth(k)]), few, next < runs && few.words <= of.width};
}

}  // namespace perdure::loop
