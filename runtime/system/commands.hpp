// runtime/system/commands.hpp - tells all workers something and waits until each has done it.
// Why: pausing, spawning, counting and stopping need every worker's answer between two of its handlers.
// Threads: one caller at a time (the core's lock).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "runtime/system/segment.hpp"

namespace perdure::runtime {

/// Sum of all workers' counters, taken when each acknowledged.
struct totals {
  abi::u64 count[abi::counters] = {};
  abi::u64 at(abi::counter which) const { return count[static_cast<std::uint32_t>(which)]; }
  /// Through inboxes and links.
  abi::u64 sent() const { return at(abi::counter::sent) + at(abi::counter::link_sent); }
  abi::u64 handled() const { return at(abi::counter::handled) + at(abi::counter::link_taken); }
  /// What came to actors' inboxes and is not there any more.
  abi::u64 inbox_done() const {
    return at(abi::counter::handled) + dead() - at(abi::counter::link_lost);
  }
  abi::u64 dead() const {
    abi::u64 n = 0;
    for (std::uint32_t i = 0; i < abi::dead_reasons; ++i)
      n += count[static_cast<std::uint32_t>(abi::counter::dead) + i];
    return n;
  }
};

class commands {
 public:
  commands(engine& e, segment& s, const program& actors)
      : engine_{e}, segment_{s}, actors_{actors} {}

  /// Gives the command and waits for all workers. `meanwhile` is called while waiting: it takes in what workers
  /// send, so that a full ring to the host cannot keep them from answering.
  /// @return the counters, or stuck, naming the first silent worker and what it handles, or device_failed.
  /// Stuck is who is seen in one and the same call at two looks grace_ns apart, the first of them past the deadline
  /// and past grace_ns. A worker between two handlers answers as soon as the machine lets it run, so it is waited for:
  /// on a busy machine a thread may stand still for longer than any deadline.
  result<totals> give(abi::command what, std::uint64_t deadline_ns,
                      const std::function<void()>& meanwhile);
  /// Whether no worker has had anything to do between the last two of its looks at the command word: a hint, which may
  /// be old.
  bool all_rest() const;
  /// Whether at the last answer, which all have given, some worker had sent what had no room yet. If all is handled that is
  /// for the host.
  bool any_undelivered() const;
  /// Gives the command and waits for nobody.
  void tell(abi::command what);

  static constexpr std::uint64_t grace_ns = 500'000'000;
  /// How much longer a worker is waited for that is in no call, or never twice in the same one. Only a fault of
  /// ours or of the device reaches it.
  static constexpr std::uint64_t silence_ns = 10'000'000'000;

 private:
  /// The first handler that a worker was seen in, if any, and its looks at the command word as last told.
  struct call_seen {
    abi::u64 call = 0;  ///< as in in_flight: handler + 1 above, receiver index below
    abi::u64 turns = 0;
    bool operator==(const call_seen&) const = default;
  };
  struct silence {
    std::uint64_t next_look_ns;
    call_seen last;
  };
  bool answered(std::uint32_t worker) const;
  /// @return stuck if that is shown now; otherwise nothing, and `quiet` says when to look again.
  result<void> judge(std::uint32_t worker, std::uint64_t now, std::uint64_t give_up_ns,
                     silence& quiet) const;
  call_seen look_at(std::uint32_t worker) const;
  error stuck(std::uint32_t worker, abi::u64 call) const;
  engine& engine_;
  segment& segment_;
  const program& actors_;
  std::uint64_t epoch_ = 0;
};

}  // namespace perdure::runtime
