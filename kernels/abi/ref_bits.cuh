// kernels/abi/ref_bits.cuh - the 64 bits of a reference, the same on host and device.
// Why: a reference names an actor, never a place; every side takes it apart the same way.
// Invariant: index 32 | generation 16 | type 8 | system 8, least significant first; all zero is null.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace perdure::abi {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;  // what std::uint64_t is, on host and device alike

/// Type 0 belongs to null; a program's actor types are 1..max_actor_types.
inline constexpr u32 max_actor_types = 253;
/// The type of a host mailbox: index is the mailbox, generation guards its reuse.
inline constexpr u32 mailbox_type = 254;
/// In an envelope's sender field: not an actor but the number of a host's `ask`.
inline constexpr u32 ask_type = 255;

constexpr u64 make_ref(u32 index, u32 generation, u32 type, u32 system) {
  return static_cast<u64>(index) | static_cast<u64>(generation & 0xffffU) << 32U |
         static_cast<u64>(type & 0xffU) << 48U | static_cast<u64>(system & 0xffU) << 56U;
}
constexpr u32 ref_index(u64 bits) { return static_cast<u32>(bits); }
constexpr u32 ref_generation(u64 bits) { return static_cast<u32>(bits >> 32U) & 0xffffU; }
constexpr u32 ref_type(u64 bits) { return static_cast<u32>(bits >> 48U) & 0xffU; }
constexpr u32 ref_system(u64 bits) { return static_cast<u32>(bits >> 56U); }

}  // namespace perdure::abi
