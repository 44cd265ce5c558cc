// tools/perdure/send_all.hpp - a host's sends that must all be taken, with an end to the waiting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bench.hpp"

namespace bench {

/// Sends `messages[i]` to `to[i]`. @throws perdure::bad_result if nothing was taken within
/// send_timeout.
template <class A, class M>
void send_all(perdure::system& system, std::span<const perdure::ref<A>> to,
              std::span<const M> messages, const char* who) {
  for (std::size_t at = 0; at < to.size();) {
    const std::size_t sent = system.send_many<A, M>(to.subspan(at), messages.subspan(at)).value();
    if (sent == 0) {
      throw perdure::bad_result{perdure::error{
          perdure::errc::inbox_full, std::string{who} + ": nothing was taken within send_timeout"}};
    }
    at += sent;
  }
}

}  // namespace bench
