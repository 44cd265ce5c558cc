// runtime/system/engine.hpp - what a backend gives the system: memory, copies, a clock, and running workers.
// Why: queues, asks, spawning and stopping are the same code over a GPU and over CPU threads.
// Threads: memory is asked for before launch() only; copies, pump() and wake() from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "kernels/dispatch/memory.cuh"
#include "perdure/options.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"

namespace perdure::runtime {

/// Memory that host and workers both read and write; the two addresses name the same bytes.
struct shared_bytes {
  std::byte* host = nullptr;
  std::byte* worker = nullptr;
};

/// Sizes a backend prefers where options say 0.
struct engine_defaults {
  std::uint32_t workers, lanes, inbox_slots, spill_slots, outbox_slots, host_slots, timer_slots,
      buffer_slots;
  std::uint32_t host_buffer_bytes;  ///< of all buffers for large messages of the host's together
  std::uint32_t chip_units, claim_slots;
  bool brings_states;  ///< those of small actors come on chip for a batch
  bool lands_ahead;    ///< a host lane's next batch comes on chip while one is handled
  std::uint32_t
      chip_bytes;  ///< what a worker's on-chip memory may take; 0: states of wide actors stay in memory
  bool states_in_memory;  ///< those of wide actors stay there, whatever has room
  std::uint32_t cluster;  ///< workers a block cluster
  std::size_t arena_bytes;
  std::uint32_t control_shift;  ///< a worker looks for commands every 2^control_shift ns
};

class engine {
 public:
  engine() = default;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  virtual engine_defaults defaults() const = 0;
  /// Zeroed memory of the workers; lives until the engine dies. @return address, or out_of_memory.
  virtual result<std::byte*> worker_bytes(std::size_t bytes) = 0;
  /// Memory whose pages may be given when first touched; not zeroed on a GPU.
  virtual result<std::byte*> arena_bytes(std::size_t bytes) = 0;
  virtual result<shared_bytes> host_bytes(std::size_t bytes) = 0;

  /// Copies `rows` rows of `width` bytes, `to_pitch` and `from_pitch` apart; done when it returns.
  virtual result<void> copy_in(std::byte* to, std::size_t to_pitch, const std::byte* from,
                               std::size_t from_pitch, std::size_t width, std::size_t rows) = 0;
  virtual result<void> copy_out(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual result<void> zero(std::byte* at, std::size_t bytes) = 0;

  /// Starts the workers over `m`, whose addresses are the workers'.
  virtual result<void> launch(const loop::memory& m) = 0;
  /// All workers have acknowledged `park` and are leaving.
  virtual void parked() {}
  /// Starts parked workers again, where they left. @return device_failed if that cannot be.
  virtual result<void> relaunch() = 0;
  /// Runs workers on the calling thread where the backend has none of its own. @return whether it did.
  virtual bool pump() { return false; }
  /// Called after something was put where an idle worker looks. Where dozes() it begins with a sequentially consistent fence.
  virtual void wake() {}
  /// Whether workers can wake a thread of the host that sleeps.
  virtual bool dozes() const { return false; }
  /// For threads of the host that wait for workers: sleeps until a worker, or wake_hosts(), has something for one of them,
  /// or until `until_ns`, or for a millisecond (times PERDURE_TIME_SCALE). Where dozes() is false it only yields.
  /// @param look  called once this thread counts as one who sleeps; if it finds what is waited for, nobody sleeps.
  virtual void doze(const std::function<bool()>& /*look*/, std::uint64_t /*until_ns*/) {
    std::this_thread::yield();
  }
  /// Wakes those: a thread of the host has taken in for others.
  virtual void wake_hosts() {}
  /// Waits until the halted workers have left. @return false if they have not by `deadline_ns`.
  virtual bool join(std::uint64_t deadline_ns) = 0;
  /// A clock that never falls, for deadlines on the host.
  virtual std::uint64_t steady_ns() = 0;
  /// Wall time, nanoseconds since 2026-01-01 UTC.
  virtual std::uint64_t wall_ns() = 0;
  /// Wall time less the clock that the workers read: what they add to get wall time.
  virtual std::int64_t worker_clock_offset_ns() = 0;
  /// Finds out anew; may wait for a worker for a millisecond or two. The service thread's.
  /// @return whether it has; if not, as it may be when the workers have just been started, it is to be asked again soon.
  virtual bool align_clock() { return true; }
  /// How far that may be off, either way; 0 where it is one clock.
  virtual std::uint64_t clock_bound_ns() { return 0; }
  /// Whether time passes only when pump() is called.
  virtual bool virtual_time() const { return false; }
  virtual result<void> healthy() { return {}; }
  virtual void describe(layout_report& report) const = 0;
};

}  // namespace perdure::runtime
