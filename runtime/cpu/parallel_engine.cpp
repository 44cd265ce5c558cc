// runtime/cpu/parallel_engine.cpp - one thread a worker.
// Why: the CPU backend proper; idle workers sleep, so that two cores can serve host and workers.
// Invariant: a worker sleeps only after turns that found nothing in ring and lanes while it was already counted as a sleeper.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_loops.cuh"
#include "runtime/cpu/cpu_memory.hpp"
#include "runtime/cpu/host_handle.hpp"
#include "runtime/cpu/seeded_engine.hpp"
#include "runtime/system/core.hpp"
#include "runtime/system/host_time.hpp"

namespace perdure::runtime {
namespace {

/// What the threads share; kept alive by each of them, so that a stuck one never touches freed memory.
struct crew {
  explicit crew(const program& p) : index{p} {}
  program_index index;
  loop::memory memory{};
  std::atomic<std::uint32_t> running{0};
  std::atomic<std::uint32_t> sleepers{0};
  std::mutex mutex;
  std::condition_variable bell;
  std::uint64_t rings = 0;     ///< guarded by mutex
  std::uint64_t launches = 1;  ///< guarded by mutex; those who have parked wait for the next one

  /// Wakes sleepers if there are any.
  /// @memory  the read-modify-write is sequentially consistent, as is a sleeper's; either we see the sleeper, or its
  ///          last turn sees what we put.
  void wake() {
    if (sleepers.fetch_add(0, std::memory_order_seq_cst) == 0) return;
    {
      std::lock_guard lock{mutex};
      ++rings;
    }
    bell.notify_all();
  }
};

/// From a launch until it has halted, or parked.
void work(const std::shared_ptr<crew>& all, loop::on_chip* chip, std::uint32_t worker,
          host_handle& handle) {
  loop::block_loops<true> block{all->memory.lanes};
  auto steady = [] { return steady_clock_ns(); };
  loop::begin(block, *chip, all->memory, worker);
  std::uint32_t idle_turns = 0;
  for (;;) {
    const loop::progress p = loop::turn(block, *chip, all->memory, handle, steady);
    if (p == loop::progress::halted) break;
    if (p == loop::progress::worked) {
      idle_turns = 0;
      all->wake();
      continue;
    }
    ++idle_turns;
    if (p == loop::progress::blocked || idle_turns < 64) {
      std::this_thread::yield();
      continue;
    }
    all->sleepers.fetch_add(1, std::memory_order_seq_cst);
    std::uint64_t seen;
    {
      std::lock_guard lock{all->mutex};
      seen = all->rings;
    }
    // a turn looks at one host lane only, and finds what it has seen there in the next one
    loop::progress last = loop::progress::idle;
    bool quiet = true;
    for (std::uint32_t looks = 0; quiet && looks <= chip->lanes_used; ++looks) {
      chip->control_at = 0;  // look at the command, too
      last = loop::turn(block, *chip, all->memory, handle, steady);
      quiet = chip->commanded == 0 && chip->lane_ready == 0 &&
              (last == loop::progress::idle || last == loop::progress::paused);
    }
    if (last == loop::progress::halted) {
      all->sleepers.fetch_sub(1, std::memory_order_seq_cst);
      break;
    }
    if (quiet) {
      using namespace std::chrono_literals;
      const std::uint64_t now = steady_clock_ns();
      const auto most = chip->timer_due > now ? std::chrono::nanoseconds{std::min<std::uint64_t>(
                                                    chip->timer_due - now, 100'000'000)}
                                              : 0ns;
      std::unique_lock lock{all->mutex};
      all->bell.wait_for(lock, most, [&] { return all->rings != seen; });
    } else {
      all->wake();
    }
    all->sleepers.fetch_sub(1, std::memory_order_seq_cst);
    chip->control_at = 0;
    idle_turns = 0;
  }
  loop::leave(block, *chip, all->memory);
}

/// A worker's thread; it stays while the worker is parked.
void live(const std::shared_ptr<crew>& all, loop::on_chip* chip, std::uint32_t worker) {
  host_handle handle{all->index};
  for (std::uint64_t launch = 1;; ++launch) {
    work(all, chip, worker, handle);
    const bool comes_back = chip->state == loop::state_parked;
    all->running.fetch_sub(1, std::memory_order_release);
    if (!comes_back) return;
    std::unique_lock lock{all->mutex};
    all->bell.wait(lock, [&] { return all->launches != launch; });
  }
}

class parallel_engine final : public cpu_memory {
 public:
  explicit parallel_engine(const program& p) : crew_{std::make_shared<crew>(p)} {}
  ~parallel_engine() override {
    for (std::thread& t : threads_) t.detach();  // join() did not happen: a worker is stuck
    if (!threads_.empty()) leak();
  }

  result<void> launch(const loop::memory& m) override {
    crew_->memory = m;
    for (std::uint32_t w = 0; w < m.workers; ++w) {
      chips_.push_back(make_chip(m));
      if (chips_.back() == nullptr) return error{errc::out_of_memory, "worker state"};
    }
    crew_->running.store(m.workers);
    for (std::uint32_t w = 0; w < m.workers; ++w) {
      threads_.emplace_back([all = crew_, chip = chips_[w], w] { live(all, chip, w); });
    }
    return {};
  }
  result<void> relaunch() override {
    // acquire: all that they did comes before what they begin with
    while (crew_->running.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    forget_chips(chips_, crew_->memory);
    crew_->running.store(crew_->memory.workers);
    {
      std::lock_guard lock{crew_->mutex};
      ++crew_->launches;
    }
    crew_->bell.notify_all();
    return {};
  }
  void wake() override { crew_->wake(); }
  bool join(std::uint64_t deadline_ns) override {
    // acquire: all that the workers did comes before what follows
    while (crew_->running.load(std::memory_order_acquire) != 0) {
      if (steady_clock_ns() >= deadline_ns) return false;
      std::this_thread::yield();
    }
    for (std::thread& t : threads_) t.join();
    threads_.clear();
    return true;
  }
  std::uint64_t steady_ns() override { return steady_clock_ns(); }
  std::uint64_t wall_ns() override { return wall_clock_ns(); }
  std::int64_t worker_clock_offset_ns() override {
    return static_cast<std::int64_t>(wall_clock_ns()) -
           static_cast<std::int64_t>(steady_clock_ns());
  }

 private:
  std::shared_ptr<crew> crew_;
  std::vector<loop::on_chip*> chips_;
  std::vector<std::thread> threads_;
};

}  // namespace

result<std::unique_ptr<engine>> make_cpu_engine(const program& actors, const options& opts) {
  if (opts.lanes > loop::block_loops<true>::max_lanes) {
    return error{errc::bad_option, "lanes: on the CPU at most 256"};
  }
  if (opts.schedule == schedule::seeded) return make_seeded_engine(actors, opts);
  return std::unique_ptr<engine>{std::make_unique<parallel_engine>(actors)};
}

}  // namespace perdure::runtime
