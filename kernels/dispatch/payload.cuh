// kernels/dispatch/payload.cuh - what a send carries, and the ways in which it is written: packed, straight, or staged.
// Why: a device's payload is registers of a size that the compiler knows, a host's lies in memory; a call under way
//      (lane_state.cuh) asks neither which it is.
// Invariant: the words of a message are the same by every way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/stage.cuh"

namespace perdure::loop {

#if !defined(__CUDACC_RTC__)
/// A payload in memory, its size known at run time: how the host's handlers send.
struct payload_bytes {
  const void* data;
  u32 bytes_;

  u32 bytes() const { return bytes_; }
  u32 words() const { return abi::words_for(bytes_); }
  template <class Place>
  void write(const Place& at, u64 lo, u64 sender, u64 stamp) const {
    word packed[abi::max_words];
    pack(packed, lo, sender, stamp);
    for (u32 k = 0; k < words(); ++k) at.put(k, packed[k]);
  }
  bool emit_to(on_chip& c, const memory& m, u32 dst, u64 lo, u64 sender, u64 stamp) const {
    word packed[abi::max_words];
    pack(packed, lo, sender, stamp);
    return emit_words<1>(c, m, dst, words(), [&](u32 k) { return packed[k]; });
  }
  void stage_at(chip_address at) const {
    __builtin_memcpy(at, data, bytes_);
    __builtin_memset(at + bytes_, 0, (4 - bytes_ % 4) % 4);  // it ends with whole 32-bit pieces
  }
  bool send_slowly(on_chip& c, const memory& m, u64 self, u64 stamp, u64 to, u32 handler) const {
    place_staged_alone(c, m);
    return send_unstaged(c, m, self, to, handler, words(), [&](u32 dst, u64 lo) {
      return emit_to(c, m, dst, lo, self & abi::data_mask, stamp);
    });
  }

 private:
  void pack(word (&to)[abi::max_words], u64 lo, u64 sender, u64 stamp) const {
    to[0] = word{lo, sender & abi::data_mask};
    abi::pack_bytes(to, data, bytes_, abi::stamp_to_wire(stamp), words());
  }
};
#endif

/// A payload in registers: how the device's handlers send. Over 240 bytes it is the handle of a buffer that holds it.
template <u32 Words, u32 Bytes>
struct payload_sent {
  payload_pieces<Words> pieces;

  static constexpr u32 bytes() { return Bytes; }
  static constexpr u32 words() { return Words; }
  template <class Place>
  void write(const Place& at, u64 lo, u64 sender, u64 stamp) const {
    for (u32 k = 0; k < Words; ++k) at.put(k, pieces(k, lo, sender, stamp));
  }
  bool emit_to(on_chip& c, const memory& m, u32 dst, u64 lo, u64 sender, u64 stamp) const {
    return emit<Words>(c, m, dst, lo, sender, stamp, pieces);
  }
  bool send_slowly(on_chip& c, const memory& m, u64 self, u64 stamp, u64 to, u32 handler) const {
    return loop::send_slowly<Words>(c, m, self, stamp, to, handler, pieces);
  }
  void stage_at(chip_address at) const {
    constexpr u32 all = (Bytes + 3) / 4;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 i = 0; i + 1 < all; i += 2)
      put_apart(at + i * 4, pieces.at[i] | static_cast<u64>(pieces.at[i + 1]) << 32U);
    if constexpr (all % 2 != 0) put_apart(at + (all - 1) * 4, pieces.at[all - 1]);
  }
  /// Into room for more; what is behind its end is zero.
  template <u32 More>
  void copy_to(payload_pieces<More>& to) const {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 i = 0; i < payload_pieces<More>::count; ++i)
      to.at[i] = i < payload_pieces<Words>::count
                     ? pieces.at[i < payload_pieces<Words>::count ? i : 0]
                     : 0;
  }
};

}  // namespace perdure::loop
