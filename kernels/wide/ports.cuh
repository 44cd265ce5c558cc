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
  return (number - 1) % end.slots * end.words_a_message + k;
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

/// Words of the in-ports, cut into runs of as many as lanes look at together; run `r` of all.
struct run_of_words {
  u32 port;
  u32 first;
};
constexpr u32 no_port = ~0U;
inline run_of_words nth_run(const abi::link_end* in, u32 ports, u32 width, u32 r) {
  for (u32 p = 0; p < ports; ++p) {
    if (in[p].slots == 0) continue;
    const u32 runs = (in[p].words_a_message + width - 1) / width;
    if (r < runs) return {p, r * width};
    r -= runs;
  }
  return {no_port, 0};
}

/// Lands the next message of every linked in-port, if all are there and every linked out-port has room. What has landed
/// of a message that is not whole yet lands again. @param tries  looks at words that are missing.
/// @return whether the actor fires.
template <class Block>
bool land_at_ports(Block& b, on_chip& c, const memory& m, u32 ports, u32 tries) {
  return !b.any([&](u32 lane) {
    bool missing = false;
    for (u32 p = lane; p < ports;
         p += b.lanes()) {  // a CPU's block may have fewer lanes than ports
      abi::link_end& out = c[m.ends][abi::max_ports + p];
      for (u32 t = 0; out.slots != 0 && !has_room(out); ++t) {
        if (t + 1 >= tries) {
          missing = true;
          break;
        }
      }
    }
    const abi::link_end* in = c[m.ends];
    const u32 width = b.lanes() < 32 ? b.lanes() : 32;
    constexpr u32 together = 4;  // loads that are under way before the first is looked at
    for (u32 first_run = lane / width; !missing;) {
      const word* at[together];  // of on-chip words: null, and `near` has it
      u32 near[together];
      u32 to[together];
      u32 number[together];
      u32 waiting = 0;
      bool more = true;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (u32 j = 0; j < together; ++j, first_run += b.lanes() / width) {
        const run_of_words r = more ? nth_run(in, ports, width, first_run) : run_of_words{no_port, 0};
        at[j] = nullptr;
        near[j] = to[j] = number[j] = 0;
        if (r.port == no_port) {
          more = false;
          continue;
        }
        const abi::link_end& end = in[r.port];
        const u32 k = r.first + lane % width;
        if (k >= end.words_a_message) continue;
        const u64 place = place_in_link(end, k, end.count + 1);
        if (end.where == abi::tier::chip) {
          near[j] = end.offset + static_cast<u32>(place) * static_cast<u32>(sizeof(word));
        } else {
          at[j] = end.words + place;
        }
        number[j] = static_cast<u32>(end.count + 1);
        to[j] = c[m.landed][r.port] / 4 + k * abi::link_word_pieces;
        waiting |= 1U << j;
      }
      u32* landing = reinterpret_cast<u32*>(c[m.in]);
      for (u32 t = 0; waiting != 0; ++t) {
        word seen[together];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 j = 0; j < together; ++j) {
          if ((waiting >> j & 1U) == 0) continue;
          seen[j] = at[j] != nullptr ? load<order::relaxed, scope::device>(at[j])
                                     : load_near(reinterpret_cast<const word*>(
                                           reinterpret_cast<const char*>(&c) + near[j]));
        }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 j = 0; j < together; ++j) {
          if ((waiting >> j & 1U) == 0 || abi::number_of(seen[j]) != number[j]) continue;
          landing[to[j]] = static_cast<u32>(seen[j].lo);
          landing[to[j] + 1] = static_cast<u32>(seen[j].lo >> 32U);
          landing[to[j] + 2] = static_cast<u32>(seen[j].hi);
          waiting &= ~(1U << j);
        }
        if (t + 1 >= tries) break;
      }
      if (waiting != 0) missing = true;
      if (!more) break;
    }
    return missing;
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

/// The hybrid time that came with the message landed at a port.
inline u64 landed_stamp(on_chip& c, const memory& m, u32 port) {
  const u32* at = reinterpret_cast<const u32*>(c[m.in]) + c[m.landed][port] / 4 +
                  abi::link_pieces(c[m.ends][port].bytes);
  return at[0] | static_cast<u64>(at[1]) << 32U;
}

/// Writes the message that was filled at `from` into its link. All lanes; the caller counts it when all are done.
template <class Block>
void write_link(Block& b, on_chip& c, const abi::link_end& out, const u32* from, u64 stamp) {
  const u32 pieces = abi::link_pieces(out.bytes);
  const u64 number = out.count + 1;
  auto piece = [&](u32 i) {
    return i < pieces        ? from[i]
           : i == pieces     ? static_cast<u32>(stamp)
           : i == pieces + 1 ? static_cast<u32>(stamp >> 32U)
                             : 0U;
  };
  auto write = [&](u32 k) {
    const u32 i = k * abi::link_word_pieces;
    const word w = abi::link_word(piece(i), piece(i + 1), piece(i + 2), static_cast<u32>(number));
    const u64 place = place_in_link(out, k, number);
    if (out.where == abi::tier::chip) {
      store_near(near_words(c, out) + place, out.rank, w);
    } else {
      // relaxed: the word publishes itself
      store<order::relaxed, scope::device>(out.words + place, w);
    }
  };
  b.each([&](u32 lane) {
    for (u32 k = lane; k < out.words_a_message; k += b.lanes()) write(k);
  });
}

}  // namespace perdure::loop
