// tests/support/fields.hpp - reads, writes and hashes messages and states through their field tables.
// Why: a load for a program that nobody has seen before knows its types only as data.
// Invariant: bytes that no field covers (padding) are neither read nor written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "perdure/program.hpp"
#include "tests/support/random.hpp"

namespace perdure::support {

/// Bits of a reference for `target` (actor type id, 0: any type, mailbox_target: the host); 0 is null.
using pick_reference = std::function<std::uint64_t(unsigned target)>;
/// A number for a reference that is the same in every run, whatever system it belongs to.
using name_reference = std::function<std::uint64_t(std::uint64_t bits)>;

inline constexpr unsigned mailbox_target = 254;

/// What a reference field may name: an actor type id, 0 for any, or mailbox_target.
unsigned target_of(const field_info& f);

/// Element `i` of a field as raw bits, a bit-field shifted down, not sign-extended.
std::uint64_t read_bits(const field_info& f, std::uint32_t i, const std::byte* object);
void write_bits(const field_info& f, std::uint32_t i, std::byte* object, std::uint64_t bits);

/// Gives every field a well-formed value: bool 0 or 1, small enumerators, finite modest floating point,
/// integers of several magnitudes, references from `pick`.
void fill_random(std::span<const field_info> fields, std::byte* object, random_source& random,
                 const pick_reference& pick);
/// Gives null references of a state a value and leaves everything else.
void fill_references(std::span<const field_info> fields, std::byte* object,
                     const pick_reference& pick);

/// Hash of all fields; all NaNs are one value, references go through `name`.
std::uint64_t hash_fields(std::span<const field_info> fields, const std::byte* object,
                          const name_reference& name);
/// "cents=12 at[1]=3 ..." of the fields in which two objects differ, each as "first|second".
std::string difference(std::span<const field_info> fields, const std::byte* first,
                       const std::byte* second, const name_reference& name_first,
                       const name_reference& name_second);

}  // namespace perdure::support
