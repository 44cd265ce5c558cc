// runtime/include/perdure/options.hpp - how a system is sized and run; zero means "choose for me".
// Why: everything is allocated before the loop starts, so every stock has a size that can be set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "kernels/abi/dead_letter.cuh"
#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"

namespace perdure {

enum class backend { automatic, cpu, cuda };
/// CPU backend: real threads, or one thread that picks workers by `options.seed` (deterministic).
enum class schedule { parallel, seeded };

/// Whether the workers stay while there is nothing to do. Parked ones have left the device, or their cores, to others, and
/// the next message, timer or call that needs them starts them again where they were (on a GPU by a CUDA graph). No
/// message, timer or state is lost by it, and no order changed. On a GPU they come back when the device has room for all
/// of them: a kernel that others started meanwhile is waited for, and asks may time out.
enum class execution {
  resident,  ///< never parked: the shortest way for a message that comes after a long silence
  graph,     ///< parked as soon as all rest
  automatic  ///< parked when all have rested for `options.park_after`
};

/// Whether actors may be moved to other workers. With `counted` workers count how far messages go and keep samples of who
/// sends to whom, and system::rebalance() brings those together that talk to each other.
enum class placement {
  fixed,  ///< an actor's worker is arithmetic of its index, for ever; nothing is counted and nothing costs anything
  counted  ///< each message is counted; on a GPU the loop is compiled with that
};

/// A line of `ctx.log`, formatted.
struct log_record {
  any_ref actor;
  hlc at;
  std::string text;
};

/// A sampled dead letter; system::statistics() has the exact counts.
struct dead_letter {
  any_ref sender;  ///< null for a host
  any_ref receiver;
  std::string actor_type;
  std::string message_type;
  abi::dead_reason reason;
};

struct options {
  perdure::backend backend = perdure::backend::automatic;
  perdure::schedule schedule = perdure::schedule::parallel;
  perdure::execution execution = perdure::execution::resident;
  /// How long all workers rest before they are parked; 0: with execution::automatic 250 ms, with graph at once.
  std::chrono::nanoseconds park_after{0};
  perdure::placement placement = perdure::placement::fixed;
  int device = 0;  ///< CUDA ordinal
  /// Thread blocks or threads; 0: one an SM, or one a core. Of small actors several blocks may share an SM: with 264 workers of
  /// 128 lanes on an H200 a message waits less for those before it where few come at once (docs/adr/059), and more where many do.
  std::uint32_t workers = 0;
  /// Threads a block, on a GPU a multiple of 32; 0: on a CPU 64, on a GPU those of the widest actor. Of small actors 512 an SM, or 256 where no type's state
  /// and header have room in 128 bytes: more registers for handlers that read memory (docs/adr/063).
  std::uint32_t lanes = 0;
  /// Workers a block cluster, whose wide actors' links go through shared memory: 1, 2, 4 or 8; 0: choose. GPU only.
  std::uint32_t cluster = 0;
  /// Of a wide actor's largest message, so many have room on chip at all of its in-ports together, and so many at its
  /// out-ports, or as many bytes of smaller ones; links for which that is too little are refused. Less room for them is
  /// more for states. 0: one a port, or as many as fit. GPU only; where no wide actor's state fits on the chip messages stay
  /// in their links, and this says nothing.
  std::uint32_t port_messages = 0;
  std::uint64_t seed = 1;  ///< of ctx.random() and of schedule::seeded
  /// Arena for actors; 0: on a GPU a quarter of what is free and 4 GiB at most, on a CPU a quarter of the machine's memory.
  std::size_t memory_bytes = 0;
  /// 64-byte slots a worker's ring; power of two, >= 64; 0: 65,536 on a GPU with room for them, 16,384 on a CPU.
  std::uint32_t inbox_slots = 0;
  /// 64-byte slots a worker's spill; power of two; 0: 65,536 or as many as the inbox has. A program that sends at most one
  /// message for each it takes has none `exhausted` while what is in flight at a time fits into one worker's (docs/adr/002);
  /// host lanes wait only while some worker's is over half full.
  std::uint32_t spill_slots = 0;
  std::uint32_t outbox_slots = 0;  ///< 64-byte slots a worker's outgoing batch; 0: 16,384
  /// 64-byte slots of a worker's ring to the host; power of two, and room for the program's longest message to a host; 0: 4,096
  /// on a GPU, 8,192 on a CPU.
  std::uint32_t host_slots = 0;
  /// Lanes for host threads that send at once; 0: 8. A lane has a ring to each worker; together they have about eight
  /// times `host_slots`, each at least 64.
  std::uint32_t host_lanes = 0;
  std::uint32_t timer_slots = 0;  ///< pending ctx.after() a worker; power of two; 0: 4,096
  /// Pooled buffers for messages over 240 bytes that actors send, of all workers. Of those to hosts each needs one until it is in
  /// the ring to there. What finds none is lost, and counted as `exhausted`. 0: 16,384 on a GPU, 1,024 on a CPU; where there are
  /// such messages to hosts one for each message that all workers can handle at a time, if 256 MB (a CPU: 16 MB) hold them.
  std::uint32_t buffer_slots = 0;
  /// Buffers of the host for messages over 240 bytes that it sends, each as large as the program's largest message, and as many
  /// copies with the workers. Host lanes have equal parts of them, of one each at least; a sender waits while all of its
  /// lane's are on their way. 0: what 16 MB hold on a GPU, 1 MB on a CPU, but 64 to 4,096.
  std::uint32_t host_buffer_slots = 0;
  /// A file for a recording of the run, which perdure::replay() goes through again; empty: none. It is there when the system has
  /// stopped; to write it comes on top of stop()'s timeout. While it runs each message is noted, and a host's are written to the file as well: this is for finding out what
  /// went wrong, not for speed. Messages are handled one by one then: on_run() and send_n()'s lanes side by side rest.
  std::filesystem::path record{};
  /// Of a recording, messages, firings and timers a worker that have room: 32 bytes each of the host's memory (a wide actor's
  /// message twice that), which a GPU has pinned. 0: 256 MB of all workers together. Where they are too few the recording ends
  /// there, the run goes on, and on_warning is told when the system has stopped.
  std::uint32_t record_slots = 0;
  std::chrono::nanoseconds stall_time = std::chrono::milliseconds{10};  ///< then `exhausted`
  // timeouts are longer by PERDURE_TIME_SCALE, if that is set: for runs under a checker or a debugger
  std::chrono::nanoseconds send_timeout = std::chrono::seconds{1};
  std::chrono::nanoseconds stop_timeout = std::chrono::seconds{5};
  std::filesystem::path
      cache_dir{};  ///< of compiled programs; empty: $PERDURE_CACHE or ~/.cache/perdure
  // Both are called one at a time, by a thread that does nothing else (with schedule::seeded by whoever waits), and may use
  // the system. Neither may throw. 65,536 calls may wait; what comes beyond that is counted in stats::untold and not told.
  // quiesce() and stop() wait for calls within the time given to them, and the destructor for the one that is under way.
  std::function<void(const log_record&)> on_log{};
  /// A sample where there are many. Letters `exhausted` in an inbox are counted only, as the worker can send nothing then:
  /// stats::exhausted_pair names their types.
  std::function<void(const dead_letter&)> on_dead_letter{};
  std::function<void(const std::string&)> on_warning{};  ///< such as a cache entry that was rebuilt
};

}  // namespace perdure
