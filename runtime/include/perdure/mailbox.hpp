// runtime/include/perdure/mailbox.hpp - where actors send to a host.
// Why: alerts, results and events leave the device without anybody asking.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <tuple>
#include <variant>
#include <vector>

#include "perdure/detail/keys.hpp"
#include "perdure/event_time.hpp"
#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"
#include "perdure/result.hpp"
#include "perdure/system_core.hpp"

namespace perdure {

/// One received message with its sender and stamp. `body` is the message, or a variant of several.
template <class... M>
struct letter {
  std::conditional_t<sizeof...(M) == 1, std::tuple_element_t<0, std::tuple<M...>>,
                     std::variant<M...>>
      body{};
  any_ref sender;
  hlc at;
};

/// Move-only; moved and destroyed while no other thread uses it. Closing it (the destructor) turns what nobody has read, and what is sent to it later, into dead letters.
template <class... M>
class mailbox {
  static_assert(sizeof...(M) >= 1 && (std::is_trivially_copyable_v<M> && ...));

 public:
  using letter_type = letter<M...>;

  mailbox(mailbox&& other) noexcept
      : core_{std::move(other.core_)}, bits_{std::exchange(other.bits_, 0)} {}
  mailbox& operator=(mailbox&& other) noexcept {
    std::swap(core_, other.core_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~mailbox() {
    if (core_ && bits_ != 0) core_->close_mailbox(bits_);
  }

  /// What actors send to: put it into a message or an actor's state.
  perdure::ref<host<M...>> ref() const { return perdure::ref<host<M...>>{bits_}; }

  /// Takes what is there, waiting up to `timeout` for the first one; in the order each sender sent. With a timeout of 0 also
  /// what another thread has begun to take in, so that who drains misses nothing. Several threads may receive from one
  /// mailbox: each letter goes to one of them, and each of them gets its letters of one sender in the order they were sent.
  /// @return how many letters were written to `out` (0 after the timeout, or at once if the system has stopped and none is
  ///         left), or mailbox_closed.
  result<std::size_t> receive(std::span<letter_type> out, std::chrono::nanoseconds timeout) {
    std::size_t n = 0;
    auto take = [&](std::uint64_t key, const void* bytes, std::uint64_t sender,
                    std::uint64_t stamp) {
      letter_type& l = out[n++];
      l.sender = any_ref{sender};
      l.at = hlc{stamp};
      (fill<M>(l, key, bytes) || ...);
    };
    auto done = core_->receive(bits_, out.size(), timeout, take);
    if (!done) return done.error();
    return n;
  }

 private:
  friend class system;
  mailbox(std::shared_ptr<detail::system_core> core, std::uint64_t bits)
      : core_{std::move(core)}, bits_{bits} {}

  static result<mailbox> make(std::shared_ptr<detail::system_core> core, std::size_t capacity) {
    const std::uint64_t keys[] = {detail::type_key<M>()...};
    auto bits = core->open_mailbox(keys, capacity);
    if (!bits) return bits.error();
    return mailbox{std::move(core), *bits};
  }
  template <class One>
  static bool fill(letter_type& l, std::uint64_t key, const void* bytes) {
    if (key != detail::type_key<One>()) return false;
    if constexpr (sizeof...(M) == 1) {
      std::memcpy(&l.body, bytes, sizeof(One));
    } else {
      One body;
      std::memcpy(&body, bytes, sizeof(One));
      l.body = body;
    }
    return true;
  }

  std::shared_ptr<detail::system_core> core_;
  std::uint64_t bits_ = 0;
};

}  // namespace perdure
