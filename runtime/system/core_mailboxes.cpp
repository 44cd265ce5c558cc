// runtime/system/core_mailboxes.cpp - the host's mailboxes: opened and closed; receive() is with who else waits, in core_messages.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/system/core.hpp"

namespace perdure::runtime {

result<std::uint64_t> core::open_mailbox(std::span<const std::uint64_t> message_keys,
                                         std::size_t capacity) {
  if (auto ok = open_for_use(); !ok) return ok.error();
  if (capacity == 0) return error{errc::bad_option, "mailbox capacity is 0; it must be at least 1"};
  std::uint32_t words = 0;
  for (std::uint64_t key : message_keys) {
    const std::uint32_t id = index_.messages.find(key);
    if (id == key_table::none)
      return error{errc::no_handler,
                   "no actor of the program sends, replies or takes this mailbox's message"};
    words = std::max(words, ring_reader::words_of_payload(actors_.messages[id].size));
  }
  const auto name = mailboxes_.open(capacity, words);
  if (!name) return error{errc::out_of_memory, fmt::format("a mailbox of {} messages", capacity)};
  return abi::make_ref(*name, 0, abi::mailbox_type, segment_.workers.system);
}

void core::close_mailbox(std::uint64_t bits) {
  unread_.fetch_add(mailboxes_.close(abi::ref_index(bits)), std::memory_order_relaxed);
  engine_->wake_hosts();
}

}  // namespace perdure::runtime
