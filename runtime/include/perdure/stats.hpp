// runtime/include/perdure/stats.hpp - what a system has done so far, summed over its workers.
// Why: sent = handled + dead + queued can be checked by anybody whenever the system is idle or paused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/abi/dead_letter.cuh"

namespace perdure {

struct stats {
  std::uint64_t sent = 0;     ///< messages to actors, by hosts, actors, links and timers that fired
  std::uint64_t handled = 0;  ///< messages whose handler returned; a joined one takes several
  std::array<std::uint64_t, abi::dead_reasons> dead{};  ///< dead letters by reason
  std::uint64_t queued = 0;        ///< sent - handled - dead; exact when idle or paused
  std::uint64_t host_sent = 0;     ///< of `sent`, those by hosts
  std::uint64_t replies = 0;       ///< replies that answered an ask
  std::uint64_t unasked = 0;       ///< replies where nobody asked
  std::uint64_t late_replies = 0;  ///< replies after their ask had ended
  std::uint64_t untold =
      0;  ///< lines and dead letters for which on_log or on_dead_letter was too slow
  std::uint64_t to_mailboxes = 0;  ///< messages sent to host mailboxes
  std::uint64_t fired = 0;         ///< calls of joined handlers
  std::uint64_t link_sent = 0;     ///< of `sent`, messages committed to links
  std::uint64_t link_taken = 0;    ///< of `handled`, messages taken from links
  std::uint64_t failed = 0;        ///< actors that called fail()
  std::uint64_t stopped = 0;       ///< actors that called stop() or fail()
  std::uint64_t timers_set = 0, timers_fired = 0;
  std::uint64_t batches = 0;
  std::uint64_t rounds = 0;   ///< messages of the longest chain of each batch, summed: docs/adr/012
  std::uint64_t wraps = 0;    ///< laps of inbox rings
  std::uint64_t spilled = 0;  ///< messages that went through a spill
  std::uint64_t outbox_overflow = 0;  ///< messages whose place was off chip
  std::uint64_t clock_bound_ns = 0;   ///< host and workers agree on wall time to this, either way
  /// One a host thread that has sent, options.host_lanes at most; a worker looks at those that have sent to it.
  std::uint32_t host_lanes = 1;
  std::uint64_t parks = 0;     ///< times that the workers left since there was nothing to do
  bool parked = false;         ///< they are away now; asking does not have them back
  std::string exhausted_pair;  ///< "sender type -> receiver type" of the last exhausted message
  std::string overflow_pair;   ///< of an overflowed one, after which the system takes no more

  std::uint64_t dead_total() const {
    std::uint64_t n = 0;
    for (auto d : dead) n += d;
    return n;
  }
};

/// How a system was laid out, for reports.
struct layout_report {
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;   ///< device or processor name
  std::uint32_t workers = 0, lanes = 0;
  std::uint64_t ring_bytes = 0, spill_bytes = 0, outbox_bytes = 0, host_bytes = 0, arena_bytes = 0;
  double compile_ms = 0, load_ms = 0, start_ms = 0, context_ms = 0;
  bool from_cache = false;       ///< not compiled by this start: it was in the cache, or embedded
  bool embedded = false;         ///< it came with the program (perdure_add_actors, PRECOMPILE)
  std::string cubin_hash;        ///< of the code on the device: FNV-1a, 128 bits; empty on a CPU
  std::uint32_t cluster = 1;     ///< workers a block cluster
  std::uint32_t chip_bytes = 0;  ///< of a worker, all that its lanes share
  std::uint32_t held_bytes = 0;  ///< of those, for the state of a wide actor
  std::uint32_t links = 0, links_on_chip = 0;
  std::uint32_t registers = 0, stack_bytes = 0;  ///< of the dispatch loop, a thread; 0 on a CPU
  std::uint32_t loop_spill_bytes =
      0;  ///< stored, of it and all that it calls; 0 if precompiled, too
};

}  // namespace perdure
