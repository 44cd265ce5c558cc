// codegen/model/program.hpp - what perdure-gen knows about a header of actors, as plain structs.
// Why: the frontend (Clang) fills it and the emitters (text) read it; neither sees the other.
// Invariant: ids are indices: actors[i].id == i + 1, messages[i].id == i, handlers[i].id == i.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perdure::codegen {

/// Limits of the wire format (docs/generated.md).
inline constexpr unsigned max_actor_types = 253;
inline constexpr unsigned max_handlers = 2048;
inline constexpr unsigned max_messages = 2048;
inline constexpr std::uint64_t max_message_bytes = 65536;
inline constexpr unsigned max_message_align = 16;
inline constexpr unsigned max_run_message_bytes =
    240;  ///< abi::inline_payload: more is in a buffer
/// `target` of a reference to a host mailbox (kernels/abi/ref_bits.cuh, mailbox_type).
inline constexpr unsigned mailbox_target = 254;
/// Of wide actors: ports (kernels/abi/link.cuh), and how wide a block can be.
inline constexpr unsigned max_ports = 16;
inline constexpr unsigned max_lanes = 1024;
inline constexpr unsigned warp_lanes = 32;

/// Same order as perdure::field_kind.
enum class field_kind {
  signed_integer,
  unsigned_integer,
  floating,
  boolean,
  enumeration,
  reference
};
const char* name_of(field_kind kind);

/// One scalar, or equal scalars at one stride, inside a message or a state (perdure::field_info).
struct field {
  std::string name;  ///< path from the top: "position.x", "window[]"
  std::string type;  ///< spelled type of the scalar
  std::uint64_t offset = 0, size = 0, count = 1, stride = 0;  ///< bytes; count in elements
  field_kind kind = field_kind::signed_integer;
  unsigned target = 0;  ///< reference: actor id, mailbox_target, or 0 for any
  unsigned bit_offset = 0, bit_width = 0;
  std::string enumeration;  ///< of an enum: its name among program::enumerations
};

struct place {
  std::string file;
  unsigned line = 0, column = 0;
};

/// A type whose size, alignment and reachable offsets both compilers assert.
struct layout {
  struct member {
    std::string name;
    std::uint64_t offset = 0;
  };
  std::string spelling;  ///< qualified from the global namespace: "::bank::deposit"
  std::uint64_t size = 0, align = 0;
  std::vector<member> members;  ///< those that offsetof may name from outside the class
};

struct enumeration {
  struct value {
    std::string name;
    std::string number;
  };
  std::string name;
  std::vector<value> values;
};

struct message {
  std::string name;      ///< "bank::deposit"
  std::string spelling;  ///< "::bank::deposit"
  unsigned id = 0;
  std::uint64_t size = 0, align = 0;
  std::vector<field> fields;
  place where;
};

enum class send_kind { send, after, reply, host };
const char* name_of(send_kind kind);

/// One `ctx.send`, `after` or `reply` that a handler can reach.
struct send {
  send_kind via = send_kind::send;
  unsigned to = 0;  ///< actor id; mailbox_target for a host mailbox; 0 for a reply
  unsigned message = 0;
  place where;
};

struct log_site {
  std::string text;
  place where;
};

struct handler {
  unsigned id = 0, actor = 0;
  unsigned message = 0;         ///< of a joined handler the first of `joins`
  std::vector<unsigned> joins;  ///< message ids; empty unless the handler is joined
  std::string signature;
  bool in_runs = false;     ///< the actor has on_run() for this message
  bool sends_many = false;  ///< it calls send_n()
  place where;
  std::vector<send> sends;
  std::vector<log_site> logs;
};

/// One per_lane member of a wide actor.
struct private_member {
  std::string name;
  std::uint64_t offset = 0;  ///< of its marker in the state
  std::uint64_t place = 0;   ///< bytes a lane before its value
  std::uint64_t size = 0, align = 0;
};

/// A message that a handler opens or reads at a port.
struct port_use {
  int port = -1;  ///< -1: known when the handler runs only
  unsigned message = 0;
  bool operator==(const port_use&) const = default;
};

struct actor {
  std::string name, spelling;
  std::string overflow;  ///< enumerator of perdure::overflow that it chose; empty: wait
  bool hot = false;      ///< a small actor's type that many send to at once
  unsigned lanes = 0;    ///< of a wide actor; 0: small
  std::vector<std::string> ports;
  std::vector<private_member> privates;
  std::uint64_t private_bytes = 0;  ///< a lane
  std::vector<unsigned> opens;      ///< ids of the messages that its handlers open
  std::vector<port_use> port_sends, port_takes;
  unsigned id = 0;
  std::uint64_t size = 0, align = 0;
  bool default_constructible = false;
  std::vector<field> fields;
  std::vector<unsigned> handlers;  ///< ids
  place where;
};

struct format {
  std::uint64_t key = 0;
  std::string text;
  bool operator==(const format&) const = default;
};

/// What `--check` learned from one compile for one architecture.
struct device_report {
  struct kernel {
    std::string name;
    unsigned registers = 0, stack_bytes = 0, spill_bytes = 0, shared_bytes = 0;
  };
  std::string arch;
  kernel loop;
  std::vector<kernel> handlers;  ///< by handler id; empty where not measured
};

/// Device code made in the build, for the registry.
struct compiled_unit {
  std::string arch;
  std::string layout;  ///< jit::name_of() of the loop's
  std::string bytes;
};

/// Whether some type does not let its senders wait.
bool has_overflow_rules(const std::vector<actor>& actors);
bool has_hot(const std::vector<actor>& actors);
/// Whether some actor has on_run().
bool has_runs(const std::vector<handler>& handlers);
/// The block width that a program's wide actors ask for, 0 if it has none.
unsigned widest(const std::vector<actor>& actors);

struct program {
  std::string name;    ///< identifier made from the stem of the header
  std::string stem;    ///< "bank"
  std::string header;  ///< absolute path
  std::vector<std::string>
      opaque;          ///< types of std that the slice names but never makes: string, string_view
  std::string sliced;  ///< the user's declarations, token for token, under #line
  std::vector<layout> layouts;
  std::vector<actor> actors;
  std::vector<message> messages;
  std::vector<handler> handlers;
  std::vector<format> formats;
  std::vector<enumeration> enumerations;
  std::vector<std::string> dependencies;  ///< every file that was read
  std::vector<std::string> kept;          ///< names of declarations in the slice, in source order
  std::vector<device_report> device;
  std::vector<compiled_unit> cubins;
};

/// Whether a handler can send the message to a host, or answer with it.
bool goes_to_host(const program& p, const message& m);

}  // namespace perdure::codegen
