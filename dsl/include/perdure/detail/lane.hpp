// dsl/include/perdure/detail/lane.hpp - the one function table through which a handler reaches its backend.
// Why: a header of actors compiles and runs on any host backend without the tool or the runtime's headers.
// Invariant: a lane lives as long as the handler call; one thread uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/abi/word.cuh"
#include "perdure/detail/keys.hpp"

namespace perdure::detail {

struct lane;

/// What a host backend offers a running handler. None of these waits or fails in the handler.
struct lane_ops {
  void (*send)(lane&, std::uint64_t to, std::uint64_t handler_key, const void* m,
               std::uint32_t bytes);
  void (*send_host)(lane&, std::uint64_t to, std::uint64_t message_key, const void* m,
                    std::uint32_t bytes);
  void (*reply)(lane&, std::uint64_t message_key, const void* m, std::uint32_t bytes);
  void (*after)(lane&, std::uint64_t delay_ns, std::uint64_t to, std::uint64_t handler_key,
                const void* m, std::uint32_t bytes);
  std::uint64_t (*now)(lane&);
  std::uint64_t (*random)(lane&);
  void (*log)(lane&, std::uint64_t format_key, std::uint32_t count, std::uint64_t kinds,
              const std::uint64_t* values);
  void (*stop)(lane&);
  void (*fail)(lane&, std::uint32_t reason);
};

/// A host backend's lane: the handler call under way. The backend derives its own from it.
struct lane {
  const lane_ops* ops = nullptr;
  std::uint64_t self = 0;    ///< reference of the actor in hand
  std::uint64_t sender = 0;  ///< reference of the sending actor, 0 for a host

  template <class A, class M>
  void send(std::uint64_t to, const M& m) {
    ops->send(*this, to, handler_key<A, M>(), &m, sizeof(M));
  }
  template <class A, class M, class Make>
  void send_n(std::uint64_t to, std::uint32_t n, Make& make) {
    for (std::uint32_t i = 0; i < n; ++i) send<A, M>(to, make(i));
  }
  template <class A, class M, class Fill>
  void send_in_place(std::uint64_t to, Fill& fill) {
    send<A, M>(to, made<M>(fill));
  }
  template <class M, class Fill>
  void send_host_in_place(std::uint64_t to, Fill& fill) {
    send_host<M>(to, made<M>(fill));
  }
  template <class M, class Fill>
  void reply_in_place(Fill& fill) {
    reply<M>(made<M>(fill));
  }
  template <class M>
  void send_host(std::uint64_t to, const M& m) {
    ops->send_host(*this, to, type_key<M>(), &m, sizeof(M));
  }
  template <class M>
  void reply(const M& m) {
    ops->reply(*this, type_key<M>(), &m, sizeof(M));
  }
  template <class A, class M>
  void after(std::uint64_t delay_ns, std::uint64_t to, const M& m) {
    ops->after(*this, delay_ns, to, handler_key<A, M>(), &m, sizeof(M));
  }
  std::uint64_t now() { return ops->now(*this); }
  std::uint64_t random() { return ops->random(*this); }
  void log(std::uint64_t format_key, std::uint32_t count, std::uint64_t kinds,
           const std::uint64_t* values) {
    ops->log(*this, format_key, count, kinds, values);
  }
  void stop() { ops->stop(*this); }
  void fail(std::uint32_t reason) { ops->fail(*this, reason); }

 private:
  template <class M, class Fill>
  static M made(Fill& fill) {
    M message{};
    // what is not filled is seen: in a buffer it would be what an earlier message left there
    if constexpr (sizeof(M) > abi::inline_payload)
      __builtin_memset(static_cast<void*>(&message), 0xa5, sizeof(M));
    fill(message);
    return message;
  }
};

/// Set by the runtime: does a reference with these bits name an actor of the type with this key?
inline bool (*is_actor_of)(std::uint64_t bits, std::uint64_t type_key) = nullptr;

/// Host side of ref_cast.
template <class A>
bool names(std::uint64_t bits) {
  return is_actor_of != nullptr && is_actor_of(bits, type_key<A>());
}

}  // namespace perdure::detail
