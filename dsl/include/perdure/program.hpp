// dsl/include/perdure/program.hpp - the table that perdure-gen writes for a header of actors.
// Why: the runtime learns actors, messages and handlers from data, not from templates.
// Invariant: indices are the ids used on the wire: actor type = index + 1, message id, handler id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/abi/overflow.cuh"
#include "kernels/abi/regions.cuh"

namespace perdure {

class context;
namespace detail {
struct block_lane;
}

/// What a scalar inside a message or a state is; `reference` is a ref or any_ref.
enum class field_kind : std::uint8_t {
  signed_integer,
  unsigned_integer,
  floating,
  boolean,
  enumeration,
  reference
};

/// An enumerator; its number as 64 bits, sign and all.
struct enumerator_info {
  const char* name;
  std::uint64_t number;
};
struct enum_info {
  const char* name;  ///< qualified name
  std::span<const enumerator_info> values;
};

/// One scalar, or an array of equal scalars, inside a message or a state, flattened.
struct field_info {
  const char* name;      ///< path from the top, such as "position.x" or "window[]"
  const char* type;      ///< spelled type of the scalar
  std::uint32_t offset;  ///< bytes from the start
  std::uint32_t size;    ///< bytes of one scalar
  std::uint32_t count;   ///< 1, or the length of the array
  std::uint32_t stride;  ///< bytes from one element to the next
  field_kind kind;
  std::uint8_t target;               ///< reference: actor type id it may name, 0 for any
  std::uint8_t bit_offset;           ///< bit-fields: first bit within the byte at `offset`
  std::uint8_t bit_width;            ///< bit-fields: bits, 0 for an ordinary scalar
  const enum_info* names = nullptr;  ///< enumeration: its enumerators
};

struct message_info {
  const char* name;   ///< qualified name
  std::uint64_t key;  ///< detail::type_key<M>()
  std::uint32_t size;
  std::uint32_t align;
  std::span<const field_info> fields;
  bool to_host = false;  ///< a handler sends it to a host, or answers with it
};

/// One per_lane member.
struct private_info {
  const char* name;
  std::uint32_t offset;  ///< of its marker in the state
  std::uint32_t place;   ///< bytes a lane that lie before its value
  std::uint32_t size;    ///< bytes a lane
};

/// A port as handlers name it, and the message that they open or read there.
struct port_use {
  static constexpr std::uint16_t any = 0xffff;
  std::uint16_t port;  ///< any: known when the handler runs only
  std::uint16_t message;
};

/// What makes an actor wide.
struct wide_info {
  std::uint16_t lanes;                     ///< that it is written for
  std::span<const char* const> ports;      ///< names by number
  std::span<const private_info> privates;  ///< in the order of their markers, which stand together
  std::uint32_t private_bytes;             ///< a lane
  std::span<const std::uint16_t> opens;    ///< messages that its handlers open
  std::span<const std::uint16_t> joins;    ///< messages that its joined handler takes
  std::uint16_t joined;                    ///< 1 + that handler, 0 if there is none
  std::span<const port_use> sends = {};    ///< each (out-port, message) that is opened, once
  std::span<const port_use> takes = {};    ///< each (in-port, message) that get() reads, once
};

struct actor_info {
  const char* name;
  std::uint64_t key;
  std::uint32_t size;
  std::uint32_t align;
  std::span<const field_info> fields;
  void (*construct)(void* at);      ///< a default-constructed state, or null if there is none
  const wide_info* wide = nullptr;  ///< null: a small actor
  abi::overflow on_overflow = abi::overflow::wait;
};

struct handler_info {
  std::uint64_t key;      ///< detail::handler_key<A, M>()
  std::uint8_t actor;     ///< actor type id (index into actors + 1)
  std::uint16_t message;  ///< message id; of a joined handler the first of them
  void (*invoke)(void* self, const void* message, context& ctx);
  /// Of a wide actor, in place of `invoke`. A joined handler reads `landed`, the others `message`.
  void (*invoke_wide)(const void* self, const void* message, const abi::landed_messages& landed,
                      detail::block_lane& lane) = nullptr;
  bool in_runs = false;  ///< the actor has on_run() for this message
};

/// A log text, found by the hash that travels.
struct format_info {
  std::uint64_t key;
  const char* text;
};

/// A cubin made in the build: perdure_add_actors(... PRECOMPILE sm_90).
struct cubin_info {
  const char* arch;    ///< such as "sm_90"
  const char* layout;  ///< of the loop that it was made for: jit::name_of()
  std::span<const std::uint8_t> bytes;
};

/// All that a generated header says about itself. Static storage; never freed.
struct program {
  const char* name;        ///< stem of the header, such as "bank"
  std::uint64_t abi_hash;  ///< abi::layout_hash of the library that the tool was built with
  std::span<const actor_info> actors;
  std::span<const message_info> messages;
  std::span<const handler_info> handlers;
  std::span<const format_info> formats;
  std::span<const cubin_info> cubins;
  std::string_view device_source;  ///< bank.actors.cu, whole
  std::string_view schema;         ///< bank.actors.json, whole
};

}  // namespace perdure
