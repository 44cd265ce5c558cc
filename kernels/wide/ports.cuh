// kernels/wide/ports.cuh - the ports of the held actor: landing what has come in, sending what was filled.
// Why: the words of a link say themselves whether they are there, so data and readiness cost one trip and no fence.
// Invariant: a slot is written only when the message that had it was taken; all in-ports are taken together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/cluster.cuh"
#include "kernels/wide/bring.cuh"
#include "kernels/wide/whole.cuh"

namespace perdure::loop {

/// Where word `k` of message `number` (from 1) stands.
inline u64 place_in_link(const abi::link_end& end, u32 k, u64 number) {
  return ((number - 1) & (end.slots - 1)) * end.words_a_message + k;
}
inline word* near_words(on_chip& c, const abi::link_end& end) {
  return reinterpret_cast<word*>(reinterpret_cast<char*>(&c) + end.offset);
}
inline word read_link(on_chip& c, const abi::link_end& end, u64 place) {
  // relaxed: a word carries its message's number, so seeing it is seeing all of it
  if (end.where == abi::tier::chip) return load_near(near_words(c, end) + place);
  return load<order::relaxed, scope::device>(end.words + place);
}

/// Which port a lane looks after first: those with other things to do, the first ones, come last. A port's books are one
/// lane's, so that what it has written it reads without a barrier.
template <class Block>
u32 port_of(const Block& b, u32 lane) {
  return b.lanes() - 1 - lane;
}
/// Calls f(port), each from its lane, with no barrier. A CPU's block may have fewer lanes than ports.
template <class Block, class F>
void each_port(Block& b, u32 ports, F f) {
  b.each([&](u32 lane) {
    for (u32 p = port_of(b, lane); p < ports; p += b.lanes()) f(p);
  });
}

inline bool is_full(const abi::link_end& out) {
  return out.slots != 0 && out.count - out.seen >= out.slots;
}
/// How many messages of a link its receiver has taken.
/// @memory  relaxed, device: partner take_from_ports(). Nothing is read because of it; words of a link are written and
///          read by relaxed operations only, and a word that has been read and compared cannot be one that is written
///          after the receiver said so.
inline u64 taken_of(const abi::link_end& out) {
  return load<order::relaxed, scope::device>(out.taken);
}
/// Whether there is room for one more message. One lane a port.
template <class Block>
bool has_room(abi::link_end& out) {
  if constexpr (Block::in_order) {
    return room_for_whole(out);
  } else {
    if (is_full(out)) out.seen = taken_of(out);
    return !is_full(out);
  }
}

/// One lane: lists the runs of the held actor's ports, in-ports first, and where its joined messages land and its own are
/// filled.
inline void list_runs(on_chip& c, const memory& m) {
  u32 runs = 0;
  u32 at = 0;
  for (u32 i = 0; i < 2 * abi::max_ports; ++i) {
    abi::link_end& end = c[m.ends][i];
    const bool in = i < abi::max_ports;
    if (in) c[m.landed][i] = end.slots == 0 ? ~0U : at;
    if (i == abi::max_ports) {
      c.in_runs = runs;
      at = m.stage_spare;
    }
    if (end.slots == 0) continue;
    end.place = in ? at + 4 * abi::link_pieces(end.bytes) : at;
    const bool near = end.where == abi::tier::chip;
    const u32 pieces = abi::link_pieces(end.bytes);
    for (u32 first = 0; first < end.words_a_message; first += abi::run_words) {
      run_of_words& r = c[m.runs][runs++];
      const u32 done = first * abi::link_word_pieces;
      r.at = near ? u64{end.offset} + u64{first} * sizeof(word)
                  : reinterpret_cast<u64>(end.words + first);
      r.slot_words = end.words_a_message;
      r.slot_mask = end.slots - 1;
      r.end = static_cast<u16>(i);
      r.near = near ? 1 : 0;
      r.piece = at / 4 + done;
      r.pieces = done < pieces ? pieces - done : 0;
      const u32 left = end.words_a_message - first;
      r.words = left < abi::run_words ? left : abi::run_words;
    }
    at += abi::landed_bytes(end.bytes);
  }
  c.runs = runs;
}

/// Words that a lane waits for at once: all those that it has, if its registers hold them.
template <class Block>
inline constexpr u32 words_together = Block::few_lanes ? 6 : 3;

/// How the lanes of a block share runs: in groups of up to run_words, each group every so many runs.
struct run_groups {
  u32 width, groups, group,
      lane;  ///< lanes of a group; groups; of these, the lane's; its place there

  template <class Block>
  run_groups(const Block& b, u32 of)
      : width{b.lanes() < abi::run_words ? b.lanes() : abi::run_words},
        groups{b.lanes() / width},
        group{of / width},
        lane{of % width} {}
};

/// Where word `k` of a run stands for the message behind `count` others.
inline u64 word_in_run(const run_of_words& r, u32 k, u64 count) {
  const u32 slot = static_cast<u32>(count) & r.slot_mask;
  return r.at + (u64{slot} * r.slot_words + k) * sizeof(word);
}
inline word* near_word(on_chip& c, u64 offset) {
  return reinterpret_cast<word*>(reinterpret_cast<char*>(&c) + static_cast<u32>(offset));
}
inline word look_at(on_chip& c, u64 at, bool near) {
  if (near) return load_near(near_word(c, at));
  return load<order::relaxed, scope::device>(reinterpret_cast<const word*>(at));
}
inline void land_word(u32* landing, word w) {
  landing[0] = static_cast<u32>(w.lo);
  landing[1] = static_cast<u32>(w.lo >> 32U);
  landing[2] = static_cast<u32>(w.hi);
}

/// Lands what a lane's group of lanes waits for, several words a lane at a time. @return whether some are missing.
/// @tparam Branchless  on a GPU branches cost more than what they skip.
template <u32 Together, bool Branchless>
bool misses_words(on_chip& c, const memory& m, const run_groups& of, u32 tries) {
  u32* landing = reinterpret_cast<u32*>(c[m.in]);
  const u32 runs = c.in_runs;
  for (u32 run = of.group; run < runs; run += Together * of.groups) {
    for (u32 in_run = of.lane; in_run < abi::run_words; in_run += of.width) {
      u64 at[Together] = {};
      u32 piece[Together] = {};
      u32 number[Together] = {};
      u32 near = 0;
      u32 waiting = 0;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (u32 j = 0; j < Together; ++j) {
        const u32 which = run + j * of.groups;
        if (!Branchless && which >= runs) continue;
        const run_of_words r = c[m.runs][which < runs ? which : run];
        const u64 count = c[m.ends][r.end].count;
        at[j] = word_in_run(r, in_run, count);
        piece[j] = r.piece + in_run * abi::link_word_pieces;
        number[j] = static_cast<u32>(count) + 1;
        near |= u32{r.near} << j;
        waiting |= (which < runs && in_run < r.words ? 1U : 0U) << j;
      }
      for (u32 t = 0; waiting != 0; ++t) {
        if (t == tries) return true;
        word seen[Together];
        if constexpr (!Branchless) {
          for (word& w : seen) w = {0, 0};
        }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 j = 0; j < Together; ++j) {
          if ((waiting >> j & 1U) != 0) seen[j] = look_at(c, at[j], (near >> j & 1U) != 0);
        }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 j = 0; j < Together; ++j) {
          if ((waiting >> j & 1U) == 0 || abi::number_of(seen[j]) != number[j]) continue;
          land_word(landing + piece[j], seen[j]);
          waiting &= ~(1U << j);
        }
      }
    }
  }
  return false;
}

/// Whether a port of the lane's is full.
template <class Block>
bool misses_room(const Block& b, on_chip& c, const memory& m, u32 ports, u32 tries, u32 lane) {
  for (u32 p = port_of(b, lane); p < ports; p += b.lanes()) {
    abi::link_end& out = c[m.ends][abi::max_ports + p];
    for (u32 t = 0; !has_room<Block>(out); ++t) {
      if (t + 1 >= tries) return true;
    }
  }
  return false;
}

/// Lands the next message of every linked in-port, if all are there and every linked out-port has room. What has landed
/// of a message that is not whole yet lands again. @param tries  looks at words that are missing.
/// @return whether the actor fires.
template <class Block>
bool land_at_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 tries) {
  if constexpr (Block::in_order) {
    return are_whole(c, m, ports);
  } else {
    return !b.any([&](u32 lane) {
      // the look at what was taken is under way while words land
      const u32 port = port_of(b, lane);
      const bool looks = port < ports && is_full(c[m.ends][abi::max_ports + port]);
      u64 taken = 0;
      if (looks) taken = taken_of(c[m.ends][abi::max_ports + port]);
      if (misses_words<words_together<Block>, Block::may_wait>(c, m, run_groups{b, lane}, tries))
        return true;
      if (looks) c[m.ends][abi::max_ports + port].seen = taken;
      return misses_room(b, c, m, ports, tries, lane);
    });
  }
}

/// Counts the landed messages as taken and tells the senders. All lanes, behind a barrier behind the landing; where
/// messages are read in their links, behind the handler.
/// @memory  relaxed, device: partner taken_of(), which says why.
template <class Block>
void take_from_ports(Block& b, on_chip& c, const memory& m, u32 ports) {
  each_port(b, ports, [&](u32 port) {
    abi::link_end& in = c[m.ends][port];
    if constexpr (Block::in_order) {
      take_whole(in);
    } else {
      if (in.slots == 0) return;
      ++in.count;
      store<order::relaxed, scope::device>(in.taken, in.count);
    }
  });
}

/// The latest hybrid time that came with the landed messages.
template <class Block>
u64 latest_landed(Block& b, on_chip& c, const memory& m) {
  return b.most_alone([&](u32 p) {
    if constexpr (Block::in_order) {
      if (p >= abi::max_ports || c[m.ends][p].slots == 0) return u64{0};
      return stamp_of_whole(c[m.ends][p]);
    }
    if (p >= abi::max_ports || c[m.landed][p] == ~0U) return u64{0};
    const u32* at = reinterpret_cast<const u32*>(c[m.in]) + c[m.ends][p].place / 4;
    return at[0] | static_cast<u64>(at[1]) << 32U;
  });
}

/// Word `k` of a run: bytes that were filled, and behind the last of them the message's stamp.
inline word word_of_run(const run_of_words& r, const u32* filled, u32 k, u64 stamp, u32 number) {
  const u32 first = k * abi::link_word_pieces;
  u32 p[abi::link_word_pieces] = {filled[first], filled[first + 1], filled[first + 2]};
  if (first + abi::link_word_pieces > r.pieces) {
    for (u32 i = 0; i < abi::link_word_pieces; ++i) {
      const u32 behind = first + i - r.pieces;  // wraps where bytes are
      if (first + i < r.pieces) continue;
      p[i] = behind == 0   ? static_cast<u32>(stamp)
             : behind == 1 ? static_cast<u32>(stamp >> 32U)
                           : 0;
    }
  }
  return abi::link_word(p[0], p[1], p[2], number);
}
inline void put_word(on_chip& c, const abi::link_end& out, u64 at, bool near, word w) {
  // relaxed: the word publishes itself
  if (near) {
    store_near(near_word(c, at), out.rank, w);
  } else {
    store<order::relaxed, scope::device>(reinterpret_cast<word*>(at), w);
  }
}

/// Writes what was committed into the links. All lanes, behind a barrier; counted by end_call().
/// @param committed  bit: out-port.
template <class Block>
void write_links(Block& b, on_chip& c, const memory& m, u32 committed) {
  if constexpr (Block::in_order) {
    for (u32 p = 0; p < abi::max_ports; ++p) {
      if ((committed >> p & 1U) != 0) publish_whole(c[m.ends][abi::max_ports + p]);
    }
  } else {
    const u32* stage = reinterpret_cast<const u32*>(c[m.stage]);
    const u32 runs = c.runs;
    const auto is_committed = [&](const run_of_words& r) {
      return (committed >> (r.end - abi::max_ports) & 1U) != 0;
    };
    b.each([&](u32 lane) {
      constexpr u32 together = 3;  // runs whose looks at shared memory are under way at once
      const run_groups of{b, lane};
      for (u32 run = c.in_runs + of.group; run < runs; run += together * of.groups) {
        for (u32 k = of.lane; k < abi::run_words; k += of.width) {
          run_of_words r[together];
          word w[together];
          u64 at[together];
          bool writes[together];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
          for (u32 j = 0; j < together; ++j) {
            const u32 which = run + j * of.groups;
            writes[j] = false;
            if (!Block::may_wait && which >= runs) continue;  // see misses_words()
            r[j] = c[m.runs][which < runs ? which : run];
            const abi::link_end& out = c[m.ends][r[j].end];
            w[j] = word_of_run(r[j], stage + r[j].piece, k < r[j].words ? k : 0, out.stamp,
                               static_cast<u32>(out.count) + 1);
            at[j] = word_in_run(r[j], k, out.count);
            writes[j] = which < runs && k < r[j].words && is_committed(r[j]);
          }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
          for (u32 j = 0; j < together; ++j) {
            if (writes[j]) put_word(c, c[m.ends][r[j].end], at[j], r[j].near != 0, w[j]);
          }
        }
      }
    });
  }
}

/// The same where it is rare, so that it is not inlined there.
template <class Block>
PERDURE_OUT_OF_LINE void write_links_now(Block b, on_chip& chip, const memory& mem, u32 committed) {
  write_links(b, here(chip), here(mem), committed);
}

}  // namespace perdure::loop
