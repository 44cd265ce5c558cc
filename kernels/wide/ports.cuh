// kernels/wide/ports.cuh - the ports of the held actor: landing what has come in, sending what was filled.
// Why: the words of a link say themselves whether they are there, so data and readiness cost one trip and no fence.
// Invariant: a slot is written only when the message that had it was taken; all in-ports are taken together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/cluster.cuh"
#include "kernels/wide/bring.cuh"

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

/// Whether there is room for one more message. One lane a port.
/// @memory  acquire, device: pairs with take_from_ports(); what was read there is no longer needed.
inline bool has_room(abi::link_end& out) {
  if (out.count - out.seen < out.slots) return true;
  out.seen = load<order::acquire, scope::device>(out.taken);
  return out.count - out.seen < out.slots;
}

/// Up to run_words words of one in-port: what a group of lanes looks at together.
struct run_of_words {
  u32 port, first, landing;  ///< first word; 32-bit piece of `in` where its data lands

  u64 bits() const { return u64{landing} << 32U | first << 8U | port; }
  static run_of_words of(u64 bits) {
    const u32 low = static_cast<u32>(bits);
    return {low & 0xffU, low >> 8U, static_cast<u32>(bits >> 32U)};
  }
};
/// One lane: lists the runs of the held actor's ports, in-ports first, and where its joined messages land.
inline void list_runs(on_chip& c, const memory& m) {
  u32 runs = 0;
  u32 at = 0;
  for (u32 i = 0; i < 2 * abi::max_ports; ++i) {
    const abi::link_end& end = c[m.ends][i];
    if (i < abi::max_ports) c[m.landed][i] = end.slots == 0 ? ~0U : at;
    if (i == abi::max_ports) c.in_runs = runs;
    if (end.slots == 0) continue;
    for (u32 first = 0; first < end.words_a_message; first += abi::run_words) {
      c[m.runs][runs++] = run_of_words{i, first, at / 4 + first * abi::link_word_pieces}.bits();
    }
    if (i < abi::max_ports) at += abi::landed_bytes(end.bytes);
  }
  c.runs = runs;
}

/// A word that a lane waits for.
struct awaited_word {
  const word* at;  ///< null: on chip
  u32 near;        ///< its offset there
  u32 landing;
  u32 number;

  static awaited_word of(on_chip& c, const memory& m, const run_of_words& r, u32 in_run) {
    const abi::link_end& end = c[m.ends][r.port];
    const u32 k = r.first + in_run;
    const u64 place = place_in_link(end, k, end.count + 1);
    const bool near = end.where == abi::tier::chip;
    return {near ? nullptr : end.words + place,
            near ? end.offset + static_cast<u32>(place) * static_cast<u32>(sizeof(word)) : 0,
            r.landing + in_run * abi::link_word_pieces, static_cast<u32>(end.count + 1)};
  }
  word look(on_chip& c) const {
    if (at != nullptr) return load<order::relaxed, scope::device>(at);
    return load_near(reinterpret_cast<const word*>(reinterpret_cast<const char*>(&c) + near));
  }
};

/// Lands the next message of every linked in-port, if all are there and every linked out-port has room. What has landed
/// of a message that is not whole yet lands again. @param tries  looks at words that are missing.
/// @return whether the actor fires.
template <class Block>
bool land_at_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 tries) {
  return !b.any([&](u32 lane) {
    constexpr u32 together = 3;  // loads that are under way before the first is looked at
    const u32 width = b.lanes() < abi::run_words ? b.lanes() : abi::run_words;
    const u32 groups = b.lanes() / width;
    u32* landing = reinterpret_cast<u32*>(c[m.in]);
    for (u32 run = lane / width; run < c.in_runs; run += together * groups) {
      for (u32 in_run = lane % width; in_run < abi::run_words; in_run += width) {
        awaited_word awaited[together];
        u32 waiting = 0;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 j = 0; j < together; ++j) {
          awaited[j] = {nullptr, 0, 0, 0};
          if (run + j * groups >= c.in_runs) continue;
          const run_of_words r = run_of_words::of(c[m.runs][run + j * groups]);
          if (r.first + in_run >= c[m.ends][r.port].words_a_message) continue;
          awaited[j] = awaited_word::of(c, m, r, in_run);
          waiting |= 1U << j;
        }
        for (u32 t = 0; waiting != 0; ++t) {
          if (t == tries) return true;
          word seen[together];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
          for (u32 j = 0; j < together; ++j) {
            if ((waiting >> j & 1U) != 0) seen[j] = awaited[j].look(c);
          }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
          for (u32 j = 0; j < together; ++j) {
            if ((waiting >> j & 1U) == 0 || abi::number_of(seen[j]) != awaited[j].number) continue;
            u32* to = landing + awaited[j].landing;
            to[0] = static_cast<u32>(seen[j].lo);
            to[1] = static_cast<u32>(seen[j].lo >> 32U);
            to[2] = static_cast<u32>(seen[j].hi);
            waiting &= ~(1U << j);
          }
        }
      }
    }
    for (u32 p = lane; p < ports;
         p += b.lanes()) {  // a CPU's block may have fewer lanes than ports
      abi::link_end& out = c[m.ends][abi::max_ports + p];
      for (u32 t = 0; out.slots != 0 && !has_room(out); ++t) {
        if (t + 1 >= tries) return true;
      }
    }
    return false;
  });
}

/// Counts the landed messages as taken and tells the senders. All lanes, behind a barrier behind the landing.
/// @memory  release, device: pairs with has_room(); a sender must not overwrite what is still read.
template <class Block>
void take_from_ports(Block& b, on_chip& c, const memory& m, u32 ports) {
  auto take = [&](u32 port) {
    abi::link_end& in = c[m.ends][port];
    if (port >= ports || in.slots == 0) return;
    ++in.count;
    store<order::release, scope::device>(in.taken, in.count);
  };
  // not the first lanes: they have other things to do
  b.each([&](u32 lane) {
    for (u32 p = b.lanes() - 1 - lane; p < ports; p += b.lanes()) take(p);
  });
}

/// The latest hybrid time that came with the landed messages.
template <class Block>
u64 latest_landed(Block& b, on_chip& c, const memory& m) {
  return b.most_alone([&](u32 p) {
    if (p >= abi::max_ports || c[m.landed][p] == ~0U) return u64{0};
    const u32* at = reinterpret_cast<const u32*>(c[m.in]) + c[m.landed][p] / 4 +
                    abi::link_pieces(c[m.ends][p].bytes);
    return at[0] | static_cast<u64>(at[1]) << 32U;
  });
}

/// Word `k` of the message that was filled for an out-port: its bytes, then its stamp.
inline word word_of_stage(const abi::link_end& out, const u32* from, u32 k) {
  const u32 pieces = abi::link_pieces(out.bytes);
  auto piece = [&](u32 i) {
    return i < pieces        ? from[i]
           : i == pieces     ? static_cast<u32>(out.stamp)
           : i == pieces + 1 ? static_cast<u32>(out.stamp >> 32U)
                             : 0U;
  };
  const u32 i = k * abi::link_word_pieces;
  return abi::link_word(piece(i), piece(i + 1), piece(i + 2), static_cast<u32>(out.count + 1));
}

/// Writes what was committed into the links. All lanes, behind a barrier; counted by end_call().
/// @param committed  bit: out-port.
template <class Block>
void write_links(Block& b, on_chip& c, const memory& m, u32 committed) {
  b.each([&](u32 lane) {
    const u32 width = b.lanes() < abi::run_words ? b.lanes() : abi::run_words;
    const u32 groups = b.lanes() / width;
    for (u32 run = c.in_runs + lane / width; run < c.runs; run += groups) {
      const run_of_words r = run_of_words::of(c[m.runs][run]);
      const u32 port = r.port - abi::max_ports;
      if ((committed >> port & 1U) == 0) continue;
      const abi::link_end& out = c[m.ends][r.port];
      const u32* from = reinterpret_cast<const u32*>(c[m.stage] + port * m.stage_bytes);
      for (u32 k = r.first + lane % width; k < r.first + abi::run_words && k < out.words_a_message;
           k += width) {
        const word w = word_of_stage(out, from, k);
        const u64 place = place_in_link(out, k, out.count + 1);
        if (out.where == abi::tier::chip) {
          store_near(near_words(c, out) + place, out.rank, w);
        } else {
          // relaxed: the word publishes itself
          store<order::relaxed, scope::device>(out.words + place, w);
        }
      }
    }
  });
}

/// The same where it is rare, so that it is not inlined there.
template <class Block>
PERDURE_OUT_OF_LINE void write_links_now(Block b, on_chip& chip, const memory& mem, u32 committed) {
  write_links(b, here(chip), here(mem), committed);
}

}  // namespace perdure::loop
