// dsl/include/perdure/detail/run_lanes.hpp - the lanes that handle a run of messages, where they are a loop.
// Why: an on_run() compiles, and is tested, without a GPU; there they are a warp (kernels/platform/side_by_side.cuh).
// Invariant: what is done for all lanes is done in their order, and ends before what stands behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "perdure/context.hpp"

namespace perdure::detail {

inline constexpr std::uint32_t lanes_of_run = 32;

/// A value of each lane's own.
template <class T>
struct run_value {
  std::array<T, lanes_of_run> value{};

  T& own(std::uint32_t i) { return value[i]; }
  const T& own(std::uint32_t i) const { return value[i]; }
  T of(std::uint32_t i) const { return value[i]; }
  void put(std::uint32_t i, const T& of_i) { value[i] = of_i; }
};

struct run_lanes {
  static constexpr bool have_own = false;  ///< messages lie in a row
  static bool leads() { return true; }
  template <class F>
  static void each(F f) {
    for (std::uint32_t i = 0; i < lanes_of_run; ++i) f(i);
  }
  /// Bit i: whether f(i) holds.
  template <class F>
  static std::uint32_t which(F f) {
    std::uint32_t bits = 0;
    each([&](std::uint32_t i) { bits |= f(i) ? 1U << i : 0U; });
    return bits;
  }
  template <class T, class F>
  static void gather(run_value<T>& out, const run_value<T>& in, F from) {
    each([&](std::uint32_t i) { out.value[i] = in.of(from(i)); });
  }
  template <class T>
  static void sum_below(run_value<T>& out, const run_value<T>& in) {
    T sum{};
    each([&](std::uint32_t i) {
      out.value[i] = sum;
      sum = static_cast<T>(sum + in.value[i]);
    });
  }
  template <class T, class F>
  static T sum(F f) {
    T all{};
    each([&](std::uint32_t i) { all = static_cast<T>(all + f(i)); });
    return all;
  }
  static void meet() {}
};

/// Calls of a run's messages, each by the same lane of a host backend.
struct run_calls {
  detail::lane& by;
  const std::uint64_t* senders =
      nullptr;  ///< of each message a reference; none: all are the lane's

  template <class F>
  void call(std::uint32_t message, F f) {
    by.sender = sender(message);
    context ctx{by};
    f(ctx);
  }
  std::uint64_t sender(std::uint32_t i) const {
    return senders != nullptr ? senders[i] : by.sender;
  }
  /// @return whether they were sent at once, which is a device's way.
  template <class A, class To, class N>
  bool send(std::uint32_t /*bits*/, const To& /*to*/, const run_value<N>& /*notes*/) {
    return false;
  }
  template <class N>
  bool send_host(std::uint32_t /*bits*/, std::uint64_t /*to*/, const run_value<N>& /*notes*/) {
    return false;
  }
};

}  // namespace perdure::detail
