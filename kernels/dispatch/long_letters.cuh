// kernels/dispatch/long_letters.cuh - messages over 240 bytes to the host: out of a pooled buffer into the ring to there.
// Why: the host does not read the workers' memory while the loop runs, and its ring has order, room and back-pressure: so such
//      a message takes as many words there as it needs, and in the outbox those of its handle.
// Invariant: a buffer goes back behind the last read of it, and nothing of it is in the ring before there is room for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/outbox.cuh"

namespace perdure::loop {

/// In an entry of the outbox, beside goes_now: such a message, whose words go by lanes side by side.
inline constexpr u32 goes_whole = 0x40;
static_assert(abi::max_words < goes_whole);

/// A long message to the host in the outbox, as it stands in the ring.
class long_letter {
 public:
  long_letter(on_chip& c, const memory& m, u32 unit, u32 words)
      : long_letter{m, outbox_words(c, m, unit, words)} {}

  u32 words() const { return abi::words_to_host(first_); }
  /// What is in the buffer behind the message's end is in its last words, too; nobody reads it.
  word operator()(u32 k) const {
    if (k == 0) return first_;
    return abi::word_of_pieces([this](u32 i) { return i < pieces_ ? from_[i] : 0U; }, k, clock_);
  }
  /// Behind all reads, of others behind a meeting.
  void give_back(const memory& m) const { give_buffer(m, buffer_); }

 private:
  long_letter(const memory& m, const outbox_place& at)
      : first_{at.get(0)},
        clock_{abi::wire_stamp(at.get(1))},
        buffer_{static_cast<u32>(handle_in(at.get(1)))},
        pieces_{m.buffer_bytes / static_cast<u32>(sizeof(u32))},
        from_{reinterpret_cast<const u32*>(buffer_at(m, buffer_))} {}

  word first_;
  u64 clock_;
  u32 buffer_;
  u32 pieces_;
  const u32* from_;
};

}  // namespace perdure::loop
