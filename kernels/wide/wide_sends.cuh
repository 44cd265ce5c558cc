// kernels/wide/wide_sends.cuh - how a message leaves a wide handler: one call, whatever it is.
// Why: lanes hold their own values in registers; a send that were inlined would push them out. Short payloads travel in
//      registers, longer ones are packed out of memory: one lane sends, so that need not be quick.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/carry.cuh"
#include "kernels/dispatch/record.cuh"
#include "kernels/wide/region_sends.cuh"

namespace perdure::loop {

/// Payloads of at most so many bytes travel in registers.
inline constexpr u32 near_payload = 40;
/// In place of the index of a region.
inline constexpr u32 no_region = ~0U;

/// A payload in memory.
struct far_payload {
  const char* from;
  u32 bytes;

  u32 words() const { return abi::words_for(bytes); }
  word at(u32 k, u64 lo, u64 sender, u64 stamp) const {
    if (k == 0) return word{lo, sender & abi::data_mask};
    word w{k == 1 ? abi::stamp_to_wire(stamp) : 0, 0};
    const abi::piece p = abi::piece_of(k, bytes);
    for (u32 i = 0; i < p.bytes; ++i) {
      const u64 byte = static_cast<unsigned char>(from[p.from + i]);
      const u32 place = p.at + i;
      if (place < 8) {
        w.lo |= byte << 8U * place;
      } else {
        w.hi |= byte << 8U * (place - 8);
      }
    }
    return w;
  }
};
/// A payload in registers.
template <u32 Words>
struct near_payload_words {
  payload_pieces<Words> pieces;

  static constexpr u32 words() { return Words; }
  word at(u32 k, u64 lo, u64 sender, u64 stamp) const { return pieces(k, lo, sender, stamp); }
};
template <u32 Words, u32 Bytes>
near_payload_words<Words> near_words_of(const payload_sent<Words, Bytes>& payload) {
  return {payload.pieces};
}

/// Either of them on its way, as lane_state sends it.
template <class Data>
struct wide_payload {
  Data data;
  u32 index;  ///< of the region, or no_region

  u32 words() const { return data.words(); }
  template <class Place>
  void write(const Place& at, u64 lo, u64 sender, u64 stamp) const {
    for (u32 k = 0; k < words(); ++k) at.put(k, data.at(k, lo, sender, stamp));
  }
  bool emit_to(on_chip& c, const memory& m, u32 dst, u64 lo, u64 sender, u64 stamp) const {
    auto at = [&](u32 k) { return data.at(k, lo, sender, stamp); };
    if (index == no_region) return emit_words<1>(c, m, dst, words(), at);
    const bool placed = emit_in_region(c, m, dst, words(), index, at);
    if (!placed)
      end_record(c, m, stamp);  // it has no stamp of its own, and those behind it have others
    return placed;
  }
};

enum class wide_send : u32 { actor, host, reply, after };

/// One lane: sends, as the handler call of `self` whose last event was at `stamp`.
/// @param id  handler, or abi::letter_of() a message to a host.  @return false if a buffer that the payload names must be given back.
template <class Data>
PERDURE_OUT_OF_LINE bool send_wide(on_chip& chip, const memory& mem, wide_send how, u64 self,
                                   u64 asker, u64 stamp, u64 to, u32 id, u32 index, u64 delay_ns,
                                   Data data) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  // a firing knows the time of some firings ago only, and a timer must not come too early
  const u64 now = how == wide_send::after ? steady_now(c.now_ns) : c.now_ns;
  lane_state call{&c, &m, self, asker, stamp, now, 0, 0, abi::slot_alive, 0};
  const wide_payload<Data> payload{data, index};
  switch (how) {
    case wide_send::actor:
      return call.template send<false, false>(to, id, payload);
    case wide_send::host:
      return call.send_host(to, id, payload);
    case wide_send::reply:
      return call.reply(id, payload);
    case wide_send::after:
      return call.after(delay_ns, to, id, payload);
  }
  return true;
}

/// Gives `send` a message's payload: near, far, or the handle of a buffer that holds it.
/// @param send  data -> whether it was placed.
template <class M, class Send, class Exhausted>
void carry_wide(const memory& m, const M& message, Send send, Exhausted exhausted) {
  if constexpr (sizeof(M) > near_payload && sizeof(M) <= abi::inline_payload) {
    send(far_payload{reinterpret_cast<const char*>(&message), sizeof(M)});
  } else {
    carry(m, message, [&](const auto& payload) { return send(near_words_of(payload)); }, exhausted);
  }
}

}  // namespace perdure::loop
