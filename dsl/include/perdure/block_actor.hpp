// dsl/include/perdure/block_actor.hpp - a wide actor: a handler call is a whole thread block.
// Why: tiles, matrices and filters want many lanes on one state, which then stays on chip.
// Invariant: handlers are const; members are written inside regions only, through the self that a region hands out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "kernels/abi/regions.cuh"
#include "perdure/block_context.hpp"

namespace perdure {

/// Base of a wide actor. The class says how wide it is: `static constexpr int lanes`, a multiple of 32 up to 1024.
/// Handlers are `void on(const Message&, perdure::block_context&) const`, one overload a message type, and at most one
/// `void on(const perdure::joined<Message...>&, perdure::block_context&) const` for what comes through its ports.
/// Ports are the enumerators of a member `enum class port`, numbered from 0; the host connects them with sys.link.
template <class Self>
struct block_actor {};

/// Private to a lane: an empty marker among the members, reached inside a region as `me.previous(ctx)`. Its storage is
/// registers on a GPU and memory on a CPU, zero when the actor is spawned. All markers of a class stand together.
template <class T>
class per_lane {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "perdure: per_lane must be trivially copyable");
  /// This lane's own value. Inside a region only.
  T& operator()(block_context& ctx) const {
    return ctx.lane().template private_value<T>(static_cast<const void*>(this));
  }
};

namespace detail {
template <class E>
struct lane_array;  // where a lane's elements are: beside its block_lane
}

/// An array private to a lane. On a CPU the k-th elements of neighbouring lanes lie side by side.
template <class E, std::size_t N>
class per_lane<std::array<E, N>> {
 public:
  static_assert(std::is_trivially_copyable_v<std::array<E, N>>,
                "perdure: per_lane must be trivially copyable");
  /// The array of the lane that asks, at the index in hand: `me.previous(ctx)[k]`, or asked for once and kept for many k.
  class elements {
   public:
    E& operator[](std::size_t k) const { return at_[k]; }
    static constexpr std::size_t size() { return N; }

   private:
    friend class per_lane;
    explicit elements(const detail::lane_array<E>& at) : at_{at} {}
    detail::lane_array<E> at_;
  };
  elements operator()(block_context& ctx) const {
    return elements{ctx.lane().template private_array<E>(static_cast<const void*>(this))};
  }
};

/// The messages of one firing: one from each linked in-port, the n-th of each for the n-th firing. Valid until the
/// handler returns.
template <class... M>
class joined {
 public:
  explicit joined(const abi::landed_messages& in) : in_{in} {}

  /// Whether something is linked to this in-port.
  template <class Port>
  bool linked(Port at) const {
    return in_.linked(static_cast<unsigned>(at));
  }
  /// The message that came in at a linked port, which carries this type: sys.link has seen to that.
  template <class T, class Port>
  const T& get(Port at) const {
    static_assert((std::is_same_v<T, M> || ...), "perdure: this joined does not take that message");
    return *static_cast<const T*>(in_.at(static_cast<unsigned>(at)));
  }
  /// As get(), where only one type comes in.
  template <class Port>
  const auto& operator[](Port at) const {
    static_assert(sizeof...(M) == 1, "perdure: several types come in; say which: in.get<M>(port)");
    return get<M...>(at);
  }

 private:
  const abi::landed_messages& in_;
};

}  // namespace perdure
