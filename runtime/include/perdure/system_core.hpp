// runtime/include/perdure/system_core.hpp - what the facade's templates call; types are keys and bytes here.
// Why: the library is compiled once; the user's types never reach it except as table entries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "perdure/hlc.hpp"
#include "perdure/placement.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"

namespace perdure::detail {

struct raw_range {
  std::uint64_t first;
  std::size_t size;
};
using make_state = std::function<void(std::size_t i, void* at)>;
using take_letter = std::function<void(std::uint64_t key, const void* bytes, std::uint64_t sender,
                                       std::uint64_t stamp)>;
/// One link to be made; types are keys.
struct link_request {
  std::uint64_t from, to;
  std::uint32_t out_port, in_port;
  std::uint64_t message_key;  ///< 0: the one type that the receiver's joined handler takes
  std::uint32_t slots;
};
/// Exactly one call: an error, or the reply's bytes (valid during the call).
using on_reply = std::function<void(const error* why, const void* bytes)>;

class system_core {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  virtual ~system_core() = default;
  virtual result<raw_range> spawn(std::uint64_t type_key, std::size_t n,
                                  const make_state& make) = 0;
  virtual result<void> send(std::uint64_t to, std::uint64_t handler_key, const void* m,
                            std::uint32_t bytes, nanoseconds wait) = 0;
  virtual result<std::size_t> send_many(const std::uint64_t* to, std::uint64_t handler_key,
                                        const void* m, std::uint32_t bytes, std::size_t n,
                                        nanoseconds wait) = 0;
  virtual result<void> ask(std::uint64_t to, std::uint64_t handler_key, const void* m,
                           std::uint32_t bytes, std::uint64_t reply_key, void* reply,
                           std::uint32_t reply_bytes, nanoseconds timeout) = 0;
  virtual void ask_async(std::uint64_t to, std::uint64_t handler_key, const void* m,
                         std::uint32_t bytes, std::uint64_t reply_key, nanoseconds timeout,
                         on_reply done) = 0;
  virtual result<std::uint64_t> open_mailbox(std::span<const std::uint64_t> message_keys,
                                             std::size_t capacity) = 0;
  virtual void close_mailbox(std::uint64_t bits) = 0;
  virtual result<void> receive(std::uint64_t bits, std::size_t most, nanoseconds timeout,
                               const take_letter& take) = 0;
  virtual result<void> view(std::uint64_t first, std::uint64_t type_key, std::size_t n, void* out,
                            std::size_t bytes_each) = 0;
  virtual result<void> link(std::span<const link_request> links) = 0;
  virtual result<placement_report> rebalance(nanoseconds timeout) = 0;
  virtual result<placement_report> placement() = 0;
  virtual result<std::uint32_t> worker_of(std::uint64_t bits) const = 0;
  virtual result<void> quiesce(nanoseconds timeout) = 0;
  virtual result<void> pause(nanoseconds timeout) = 0;
  virtual result<void> resume() = 0;
  virtual result<void> stop(nanoseconds timeout) = 0;
  virtual stats statistics() const = 0;
  virtual layout_report layout() const = 0;
  virtual hlc now() = 0;
  virtual nanoseconds send_timeout() const = 0;
};

}  // namespace perdure::detail
