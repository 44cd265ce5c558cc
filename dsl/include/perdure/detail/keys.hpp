// dsl/include/perdure/detail/keys.hpp - compile-time names for types, handlers and log formats.
// Why: the host finds an actor's handler by type without the tool having touched the user's header.
// Invariant: one compiler gives one key a type in every translation unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace perdure::detail {

/// 64-bit FNV-1a over a zero-terminated string.
constexpr std::uint64_t fnv1a(const char* text) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (; *text != '\0'; ++text) {
    h = (h ^ static_cast<std::uint8_t>(*text)) * 0x100000001b3U;
  }
  return h;
}

/// The key of a type: a hash of its name as the compiler spells it.
template <class T>
constexpr std::uint64_t type_key() {
#if defined(_MSC_VER) && !defined(__clang__)
  return fnv1a(__FUNCSIG__);
#else
  return fnv1a(__PRETTY_FUNCTION__);
#endif
}

/// The key of "actor A handles message M".
template <class A, class M>
constexpr std::uint64_t handler_key() {
  return (type_key<A>() ^ 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU + type_key<M>();
}

}  // namespace perdure::detail

namespace perdure {

/// A log format: only its hash travels; the text is found in the program's table by the host.
struct log_format {
  std::uint64_t key;
  consteval log_format(const char* text) : key{detail::fnv1a(text)} {}  // NOLINT: from a literal
};

}  // namespace perdure
