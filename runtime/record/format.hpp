// runtime/record/format.hpp - what a recording's file is made of (docs/recording.md).
// Why: who writes it and who reads it have one description.
// Invariant: little-endian; chunks of a head and a body, whose size is a multiple of 8; the last one is `end`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/abi/record.cuh"
#include "perdure/program.hpp"

namespace perdure::runtime::recorded {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint64_t magic = 0x3152'4345'5244'5250U;  ///< "PRDRECR1"

enum class chunk_kind : std::uint32_t {
  program = 1,  ///< program_head, its name; first
  spawned = 2,  ///< states_head, then each state
  linked = 3,   ///< link_row, any number
  sent = 4,     ///< sent_row and its message up to a multiple of 8, any number
  taken = 5,    ///< abi::record_entry, any number
  states =
      6,   ///< states_head, then an actor_header and the state of each: when the workers had left
  end = 7  ///< end_row
};
struct chunk_head {
  chunk_kind kind;
  std::uint32_t zero;
  std::uint64_t bytes;  ///< of the body
};
struct program_head {
  std::uint64_t magic;
  std::uint64_t shape;  ///< shape_of() the program
  std::uint64_t seed;
  std::uint32_t system;  ///< number of the system, in each reference
  std::uint32_t name_bytes;
};
struct states_head {
  std::uint64_t first;  ///< reference of the first actor; the others' indices follow
  std::uint64_t count;
  std::uint64_t bytes;  ///< of each
};
struct link_row {
  std::uint64_t from, to;  ///< references
  std::uint32_t out_port, in_port, message, zero;
};
/// What a host has sent.
struct sent_row {
  std::uint64_t to;
  std::uint64_t sender;  ///< sender field: an ask, or 0
  std::uint64_t stamp;
  std::uint32_t handler, bytes;
};
struct end_row {
  std::uint64_t missing;  ///< the least stamp of an entry that found no room; ~0: all did
  std::uint64_t entries;
  std::uint64_t
      cut_short;  ///< 1: workers did not leave, or a device has failed: some entries may not have been written
};

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/// Tells programs apart by their actors, messages and handlers, and how these lie in memory; not by what handlers do.
constexpr std::uint64_t shape_of(const program& p) {
  std::uint64_t sum = p.abi_hash;
  const auto add = [&](std::uint64_t more) {
    sum = (sum ^ more) * 0x9e37'79b9'7f4a'7c15U;
    sum ^= sum >> 29U;
  };
  for (const actor_info& a : p.actors) {
    add(a.key);
    add(std::uint64_t{a.size} << 32U | a.align);
    for (const field_info& f : a.fields) add(std::uint64_t{f.offset} << 32U | f.size);
  }
  for (const message_info& m : p.messages) {
    add(m.key);
    add(std::uint64_t{m.size} << 32U | m.align);
  }
  for (const handler_info& h : p.handlers) add(h.key);
  return sum;
}

}  // namespace perdure::runtime::recorded
