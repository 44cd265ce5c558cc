// kernels/abi/link.cuh - one end of a link between two wide actors, and the words that its messages are made of.
// Why: a link needs no reservation, no envelope and no spill: the n-th message has its place, and each word says whether
//      it is there.
// Invariant: word = 12 bytes of data | 32 bits of the message's number (from 1); a message is its bytes, then 8 bytes of
//            hybrid time; committed - taken <= slots; every field has one writer. Where a worker is one thread, or no state fits on a GPU's chip, messages
//            lie whole in their slots, and only the last word is one of these (kernels/wide/whole.cuh).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/regions.cuh"
#include "kernels/abi/word.cuh"

namespace perdure::abi {

inline constexpr u32 link_word_pieces = 3;  ///< 32-bit pieces of data in a word

/// 32-bit pieces of a message of `bytes`, without its stamp.
constexpr u32 link_pieces(u32 bytes) { return (bytes + 3) / 4; }
constexpr u32 link_words(u32 bytes) {
  return (link_pieces(bytes) + 2 + link_word_pieces - 1) / link_word_pieces;
}
/// Bytes that a message takes on chip, where it has landed and where a handler fills it: the data of whole words.
constexpr u32 landed_bytes(u32 bytes) {
  return (link_words(bytes) * link_word_pieces * 4 + 15) / 16 * 16;
}

/// Lanes that look at a run of words side by side, and words of it that each of them has: least_share in a wide block, whose
/// lanes have few registers, in others usual_share, or fewer or up to most_share if the program's messages ask for it.
inline constexpr u32 group_lanes = 32;
inline constexpr u32 least_share = 3, usual_share = 6, most_share = 12;
/// Lanes of a block that is not wide in this sense.
inline constexpr u32 few_lanes = 256;
/// Words of a run that is not the last of its message, at least, in a block of so many lanes.
constexpr u32 least_run(u32 lanes) {
  return (lanes < group_lanes ? lanes : group_lanes) * least_share;
}
/// What such a run takes where it lands.
constexpr u32 least_run_bytes(u32 lanes) { return least_run(lanes) * link_word_pieces * 4; }
/// Runs of a message at the most.
constexpr u32 link_runs(u32 bytes, u32 lanes) {
  return (link_words(bytes) + least_run(lanes) - 1) / least_run(lanes);
}

constexpr u32 number_of(word w) { return static_cast<u32>(w.hi >> 32U); }
constexpr word link_word(u32 a, u32 b, u32 c, u32 number) {
  return word{a | static_cast<u64>(b) << 32U, c | static_cast<u64>(number) << 32U};
}

/// Where a link's messages lie.
enum class tier : u8 {
  memory,  ///< of all workers
  chip     ///< of the receiver's worker; its sender is in the same block cluster
};

inline constexpr u32 no_place = ~0U;

/// Of an in-port or an out-port; slots == 0: nothing is linked.
struct link_end {
  word* words;  ///< [slots][words_a_message]; tier::chip: not used, see `offset`
  u64* taken;   ///< messages that the receiver has taken: it writes, the sender reads
  u64 count;  ///< in: messages taken; out: committed, but for one that a firing owes until the next one lands
  u64 seen;   ///< out: `*taken` when last looked at
  u32 slots;  ///< a power of two
  u32 words_a_message;
  u32 bytes;  ///< of the message
  tier where;
  u8 own;       ///< 1: the actor's to itself
  u8 gathered;  ///< of the first in-port: see gathered_by(); 0: nothing was said
  u8 owed;      ///< of the first in-port: firings that are left of a visit which was cut short
  u32 offset;   ///< tier::chip: of the words, from on_chip
  u32 rank;     ///< tier::chip, out: the receiver's rank in the cluster
  u32 message;  ///< its id
  u32 place;  ///< while its actor is held, in bytes; out: of its message, from memory::stage; in: of the stamp, from `in`
};
static_assert(sizeof(link_end) == 64);

/// For how many firings in a row an actor gathers messages before it is brought on chip to fire: as its handler has said
/// (block_context::gather), or what a visit that was cut short has left of them, since its neighbours may wait for just those.
/// Kept with its link ends, which are on chip where its handlers run.
inline u32 gathered_by(const link_end* ends) {
  if (ends->owed != 0) return ends->owed;
  return ends->gathered != 0 ? ends->gathered : 1;
}
inline constexpr u32 most_gathered = 16;

/// Where word `k` of message `number` (from 1) stands.
constexpr u64 place_in_link(const link_end& end, u32 k, u64 number) {
  return ((number - 1) & (end.slots - 1)) * end.words_a_message + k;
}

/// A wide actor that something is linked to, in the list of its worker; with what it waits for.
struct alignas(16) linked_actor {
  u32 type;
  u32 index;
  u32 want;  ///< number of the message that was missing, or messages that must have been taken; of kind 4 how many things stand
             ///< in memory::awaited for it
  u32 kind;  ///< 0 nothing known, 1 a word at `at`, 2 a word on chip at offset `at`, 3 the count at `at`,
             ///< 4 all those, 5 nothing: it is gone
  u64 at;
  u32 left;  ///< number of the visit after which its worker left it last, or asked it in vain
  u32 unused;
};
/// In a worker's list: 2^linked_shift.
inline constexpr u32 linked_shift = 14;

/// One of the things that a linked actor waits for, noted when its worker leaves it, one behind the other: `kind` as above.
struct alignas(16) awaited {
  u64 at;
  u32 want;
  u32 kind;
};
/// So many linked actors of a worker, the first of its list, have them noted; each in- and out-port has one.
inline constexpr u32 noted_actors = 64;
inline constexpr u32 noted_ports = 2 * max_ports;

}  // namespace perdure::abi
