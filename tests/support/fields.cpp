// tests/support/fields.cpp - see fields.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fields.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

namespace perdure::support {
namespace {

std::uint64_t load(const std::byte* at, std::size_t bytes) {
  std::uint64_t v = 0;
  std::memcpy(&v, at, bytes);
  return v;
}

std::uint64_t bit_mask(const field_info& f) {
  return f.bit_width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f.bit_width) - 1;
}

/// The bytes that a bit-field touches, at most eight.
std::size_t bit_bytes(const field_info& f) { return (f.bit_offset + f.bit_width + 7U) / 8U; }

/// Mostly small, sometimes large: bounds of loops, keys and amounts all get something to do.
std::int64_t some_integer(random_source& random, bool negative_too) {
  static constexpr std::uint64_t magnitudes[] = {10, 10, 10, 100, 100, 1'000, 1'000'000};
  const auto n =
      static_cast<std::int64_t>(random.below(magnitudes[random.below(std::size(magnitudes))]));
  return negative_too && random.below(3) == 0 ? -n : n;
}

std::uint64_t some_value(const field_info& f, random_source& random, const pick_reference& pick) {
  switch (f.kind) {
    case field_kind::boolean:
      return random.below(2);
    case field_kind::enumeration:
      return random.below(3);
    case field_kind::reference:
      return pick(target_of(f));
    case field_kind::unsigned_integer:
      return static_cast<std::uint64_t>(some_integer(random, false));
    case field_kind::signed_integer:
      return static_cast<std::uint64_t>(some_integer(random, true));
    case field_kind::floating: {
      const double v = static_cast<double>(some_integer(random, true) % 10'000) / 7.0;
      return f.size == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(v))
                         : std::bit_cast<std::uint64_t>(v);
    }
  }
  return 0;
}

/// NaNs differ in sign and payload between processors; they are one value here.
std::uint64_t canonical(const field_info& f, std::uint64_t bits) {
  if (f.kind != field_kind::floating) return bits;
  if (f.size == 4)
    return std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits))) ? 0x7fc00000U : bits;
  return std::isnan(std::bit_cast<double>(bits)) ? 0x7ff8000000000000U : bits;
}

std::string shown(const field_info& f, std::uint64_t bits) {
  switch (f.kind) {
    case field_kind::floating:
      return f.size == 4 ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                         : fmt::format("{}", std::bit_cast<double>(bits));
    case field_kind::signed_integer: {
      const unsigned width = f.bit_width != 0 ? f.bit_width : f.size * 8;
      return fmt::format("{}", static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
    }
    case field_kind::reference:
      return fmt::format("#{}", bits);
    default:
      return fmt::format("{}", bits);
  }
}

}  // namespace

unsigned target_of(const field_info& f) {
  return std::string_view{f.type}.find("host<") != std::string_view::npos ? mailbox_target
                                                                          : f.target;
}

std::uint64_t read_bits(const field_info& f, std::uint32_t i, const std::byte* object) {
  const std::byte* at = object + f.offset + std::size_t{i} * f.stride;
  if (f.bit_width == 0) return load(at, f.size < 8 ? f.size : 8);
  std::uint64_t bits = load(at, bit_bytes(f) < 8 ? bit_bytes(f) : 8) >> f.bit_offset;
  if (bit_bytes(f) > 8) bits |= load(at + 8, 1) << (64 - f.bit_offset);
  return bits & bit_mask(f);
}

void write_bits(const field_info& f, std::uint32_t i, std::byte* object, std::uint64_t bits) {
  std::byte* at = object + f.offset + std::size_t{i} * f.stride;
  if (f.bit_width == 0) {
    std::memcpy(at, &bits, f.size < 8 ? f.size : 8);
    return;
  }
  for (unsigned b = 0; b < f.bit_width; ++b) {
    const unsigned place = f.bit_offset + b;
    const auto one = static_cast<std::byte>(1U << place % 8);
    at[place / 8] = (bits >> b & 1U) != 0 ? at[place / 8] | one : at[place / 8] & ~one;
  }
}

void fill_random(std::span<const field_info> fields, std::byte* object, random_source& random,
                 const pick_reference& pick) {
  for (const field_info& f : fields) {
    for (std::uint32_t i = 0; i < f.count; ++i)
      write_bits(f, i, object, some_value(f, random, pick));
  }
}

void fill_references(std::span<const field_info> fields, std::byte* object,
                     const pick_reference& pick) {
  for (const field_info& f : fields) {
    if (f.kind != field_kind::reference) continue;
    for (std::uint32_t i = 0; i < f.count; ++i) {
      if (read_bits(f, i, object) == 0) write_bits(f, i, object, pick(target_of(f)));
    }
  }
}

std::uint64_t hash_fields(std::span<const field_info> fields, const std::byte* object,
                          const name_reference& name) {
  std::uint64_t h = 0x5065726475726531U;
  for (const field_info& f : fields) {
    for (std::uint32_t i = 0; i < f.count; ++i) {
      const std::uint64_t bits = read_bits(f, i, object);
      h = fold(h, f.kind == field_kind::reference ? name(bits) : canonical(f, bits));
    }
  }
  return h;
}

std::string difference(std::span<const field_info> fields, const std::byte* first,
                       const std::byte* second, const name_reference& name_first,
                       const name_reference& name_second) {
  std::string text;
  for (const field_info& f : fields) {
    for (std::uint32_t i = 0; i < f.count; ++i) {
      std::uint64_t a = canonical(f, read_bits(f, i, first));
      std::uint64_t b = canonical(f, read_bits(f, i, second));
      if (f.kind == field_kind::reference) a = name_first(a), b = name_second(b);
      if (a == b) continue;
      text += fmt::format(" {}{}={}|{}", f.name, f.count > 1 ? fmt::format("[{}]", i) : "",
                          shown(f, a), shown(f, b));
    }
  }
  return text;
}

}  // namespace perdure::support
