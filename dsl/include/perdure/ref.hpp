// dsl/include/perdure/ref.hpp - typed and untyped references to actors.
// Why: a reference names an actor, never a place, so it can travel in a message to any worker or device.
// Invariant: 8 bytes, trivially copyable; equal bits mean the same actor of the same generation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/abi/ref_bits.cuh"

namespace perdure {

/// A reference to an actor of any type, or null.
struct any_ref {
  std::uint64_t bits = 0;  ///< index 32 | generation 16 | type 8 | system 8; 0 is null

  constexpr explicit operator bool() const { return bits != 0; }
  friend constexpr bool operator==(any_ref a, any_ref b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(any_ref a, any_ref b) { return a.bits != b.bits; }
  friend constexpr bool operator<(any_ref a, any_ref b) { return a.bits < b.bits; }
};

/// A reference to an actor of type `Actor`, or null. `Actor` may be incomplete.
template <class Actor>
struct ref {
  using actor_type = Actor;
  std::uint64_t bits = 0;  ///< the same bits as any_ref

  constexpr explicit operator bool() const { return bits != 0; }
  constexpr operator any_ref() const { return any_ref{bits}; }  // NOLINT: a ref is an any_ref
  friend constexpr bool operator==(ref a, ref b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(ref a, ref b) { return a.bits != b.bits; }
  friend constexpr bool operator<(ref a, ref b) { return a.bits < b.bits; }
};

static_assert(sizeof(any_ref) == 8 && sizeof(ref<any_ref>) == 8);

/// The host's mailbox for messages `M...`, as actors name it: `ref<host<alert>>`.
/// Made by `system::make_mailbox<M...>(capacity)`.
template <class... M>
struct host {};

}  // namespace perdure

template <>
struct std::hash<perdure::any_ref> {
  std::size_t operator()(perdure::any_ref r) const noexcept {
    return static_cast<std::size_t>((r.bits ^ r.bits >> 29U) * 0x9e3779b97f4a7c15U);
  }
};
template <class Actor>
struct std::hash<perdure::ref<Actor>> {
  std::size_t operator()(perdure::ref<Actor> r) const noexcept {
    return std::hash<perdure::any_ref>{}(r);
  }
};
