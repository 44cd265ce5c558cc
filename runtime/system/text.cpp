// runtime/system/text.cpp - see perdure/text.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "perdure/text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "kernels/abi/ref_bits.cuh"

namespace perdure::detail {
namespace {

/// Element `i` of a field, as bits from the lowest on; what is signed is not yet extended.
std::uint64_t bits_of(const field_info& f, std::uint32_t i, const std::byte* object) {
  const std::byte* at = object + f.offset + std::size_t{i} * f.stride;
  if (f.bit_width == 0) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, f.size);
    return bits;
  }
  std::uint64_t bits = 0;
  for (unsigned n = 0; n < f.bit_width; ++n) {  // a bit-field of 64 bits may touch nine bytes
    const unsigned bit = f.bit_offset + n;
    bits |= std::uint64_t{std::to_integer<unsigned>(at[bit / 8]) >> bit % 8 & 1U} << n;
  }
  return bits;
}

std::string reference(const program& actors, std::uint64_t bits) {
  if (bits == 0) return "null";
  const std::uint32_t type = abi::ref_type(bits);
  std::string name = type == abi::mailbox_type                   ? "host"
                     : type != 0 && type <= actors.actors.size() ? actors.actors[type - 1].name
                                                                 : fmt::format("type {}", type);
  fmt::format_to(std::back_inserter(name), "#{}", abi::ref_index(bits));
  if (const std::uint32_t generation = abi::ref_generation(bits); generation > 1)
    fmt::format_to(std::back_inserter(name), ".{}", generation);
  return name;
}

/// "bank::kind::savings", or "bank::kind(7)" where no enumerator has that number.
std::string enumerator(const field_info& f, std::uint64_t bits, unsigned width) {
  const std::string_view type = f.names != nullptr ? f.names->name : f.type;
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (f.names != nullptr) {
    for (const enumerator_info& e : f.names->values) {
      if ((e.number & mask) == bits) return fmt::format("{}::{}", type, e.name);
    }
  }
  return fmt::format("{}({})", type, bits);
}

std::string scalar(const program& actors, const field_info& f, std::uint64_t bits) {
  const unsigned width = f.bit_width != 0 ? f.bit_width : f.size * 8;
  switch (f.kind) {
    case field_kind::boolean:
      return bits != 0 ? "true" : "false";
    case field_kind::floating:
      return f.size == 4 ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                         : fmt::format("{}", std::bit_cast<double>(bits));
    case field_kind::signed_integer: {
      const unsigned unused = 64 - width;
      return fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case field_kind::enumeration:
      return enumerator(f, bits, width);
    case field_kind::reference:
      return reference(actors, bits);
    case field_kind::unsigned_integer:
      break;
  }
  return fmt::format("{}", bits);
}

std::string fields(const program& actors, std::span<const field_info> all,
                   const std::byte* object) {
  std::string text;
  for (const field_info& f : all) {
    std::string_view name = f.name;
    const bool list = name.find("[]") != std::string_view::npos;
    while (name.ends_with("[]")) name.remove_suffix(2);
    text.append(text.empty() ? "" : ", ").append(name).append(list ? ": [" : ": ");
    for (std::uint32_t i = 0; i < f.count; ++i) {
      if (i != 0) text += ", ";
      text += scalar(actors, f, bits_of(f, i, object));
    }
    if (list) text += ']';
  }
  return text;
}

}  // namespace

result<std::string> text_of(const program& actors, std::uint64_t key, const void* value) {
  const auto* object = static_cast<const std::byte*>(value);
  for (const actor_info& a : actors.actors) {
    if (a.key == key) return fmt::format("{}{{{}}}", a.name, fields(actors, a.fields, object));
  }
  for (const message_info& m : actors.messages) {
    if (m.key == key) return fmt::format("{}{{{}}}", m.name, fields(actors, m.fields, object));
  }
  return error{errc::no_handler,
               fmt::format("to_text: {} has no such actor or message", actors.name)};
}

}  // namespace perdure::detail
