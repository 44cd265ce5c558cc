// runtime/cpu/parallel_engine.cpp - one thread a worker.
// Why: the CPU backend proper; idle workers sleep, so that two cores can serve host and workers.
// Invariant: a worker sleeps only after turns that found nothing in ring and lanes while it was already counted as a sleeper.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_loops.cuh"
#include "runtime/cpu/bell.hpp"
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
  bell work;  ///< for workers that found nothing
  bell news;  ///< for threads of the host that wait for a worker
  std::mutex mutex;
  std::condition_variable relaunched;
  // guarded by mutex
  std::uint64_t launches =
      0;                  ///< those who have just been made, or have parked, wait for the next one
  bool given_up = false;  ///< there will be none, since not all of them could be made
};

/// What a worker owes to threads of the host that may sleep: it has put something into their ring, or made room in a lane.
class owed_news {
 public:
  /// @param gives_buffers  the host may wait for one of its own (large_payloads)
  explicit owed_news(bool gives_buffers) : gives_buffers_{gives_buffers} {}
  /// Rings when the worker has nothing else to do, or has owed it for a while: who is woken for each letter does nothing
  /// but fall asleep again.
  void tell(bell& news, const loop::on_chip& c, bool at_leisure) {
    std::uint64_t sum = c.host_tail;
    for (std::uint32_t lane = 0; lane < c.lanes_used; ++lane) {
      sum += c.lane_told[lane];
      if (gives_buffers_) sum += c.lane_head[lane];  // of messages over 240 bytes, with each
    }
    // words that were reserved earlier are written when there is room, and fewer are pending then
    if (sum != told_ || c.pending < pending_) {
      told_ = sum;
      if (since_ == 0) since_ = steady_clock_ns();
    }
    pending_ = c.pending;
    // who has had no leisure for so long has a queue as long, so what was put has waited as long before it was handled
    constexpr std::uint64_t longest_ns = 500'000;
    if (since_ == 0 || (!at_leisure && steady_clock_ns() - since_ < longest_ns)) return;
    since_ = 0;
    news.ring();
  }

 private:
  const bool gives_buffers_;
  std::uint64_t told_ = 0;  ///< all only rise, so their sum changes with either
  std::uint32_t pending_ = 0;
  std::uint64_t since_ = 0;  ///< 0: nothing is owed
};

/// The last look of a worker that is about to sleep: a turn looks at one host lane only, and finds what it has seen there
/// in the next one.
loop::progress look_everywhere(loop::block_loops<true>& block, loop::on_chip& chip, crew& all,
                               host_handle& handle, bool& quiet) {
  auto steady = [] { return steady_clock_ns(); };
  loop::progress last = loop::progress::idle;
  quiet = true;
  for (std::uint32_t looks = 0; quiet && looks <= chip.lanes_used; ++looks) {
    chip.control_at = 0;  // look at the command, too
    last = loop::turn(block, chip, all.memory, handle, steady);
    quiet = chip.commanded == 0 && chip.lane_ready == 0 &&
            (last == loop::progress::idle || last == loop::progress::paused);
  }
  return last;
}

/// From a launch until it has halted, or parked.
void work(const std::shared_ptr<crew>& all, loop::on_chip* chip, std::uint32_t worker,
          host_handle& handle) {
  loop::block_loops<true> block{all->memory.lanes};
  auto steady = [] { return steady_clock_ns(); };
  loop::begin(block, *chip, all->memory, worker);
  owed_news owed{all->memory.host_buffer_count != 0};
  std::uint32_t idle_turns = 0;
  constexpr std::uint32_t turns_awake = 256, turns_a_yield = 8;
  for (;;) {
    loop::progress p = loop::turn(block, *chip, all->memory, handle, steady);
    if (p == loop::progress::halted) break;
    owed.tell(all->news, *chip, p != loop::progress::worked);
    if (p == loop::progress::worked) {
      idle_turns = 0;
      all->work.ring();
      continue;
    }
    ++idle_turns;
    if (p == loop::progress::blocked || idle_turns < turns_awake) {
      if (p == loop::progress::blocked || idle_turns % turns_a_yield == 0)
        std::this_thread::yield();
      continue;
    }
    const bool found = all->work.wait(
        [&] {
          bool quiet = true;
          p = look_everywhere(block, *chip, *all, handle, quiet);
          owed.tell(all->news, *chip, true);
          return !quiet;
        },
        [&] {
          constexpr std::uint64_t longest_ns = 100'000'000;
          const std::uint64_t now = steady_clock_ns();
          return chip->timer_due > now ? std::min(chip->timer_due - now, longest_ns) : 0;
        });
    if (p == loop::progress::halted) break;
    if (found) all->work.ring();
    chip->control_at = 0;
    idle_turns = 0;
  }
  all->news.ring();
  loop::leave(block, *chip, all->memory);
}

/// A worker's thread; it is there before the worker is launched, and stays while it is parked.
void live(const std::shared_ptr<crew>& all, loop::on_chip* chip, std::uint32_t worker) {
  host_handle handle{all->index};
  for (std::uint64_t launch = 0;; ++launch) {
    {
      std::unique_lock lock{all->mutex};
      all->relaunched.wait(lock, [&] { return all->launches != launch || all->given_up; });
      if (all->given_up) return;
    }
    work(all, chip, worker, handle);
    const bool comes_back = chip->state == loop::state_parked;
    all->running.fetch_sub(1, std::memory_order_release);
    if (!comes_back) return;
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
    try {
      threads_.reserve(m.workers);  // a thread that runs must find its place
      for (std::uint32_t w = 0; w < m.workers; ++w)
        threads_.emplace_back([all = crew_, chip = chips_[w], w] { live(all, chip, w); });
    } catch (const std::exception& why) {  // no thread, or no memory for its handle
      const std::size_t there = threads_.size();
      give_up();
      return error{
          errc::out_of_memory,
          fmt::format("{} of {} workers' threads could be made ({}); lower options.workers "
                      "or raise the limit of threads",
                      there, m.workers, why.what())};
    }
    crew_->running.store(m.workers);
    go();
    return {};
  }
  result<void> relaunch() override {
    // acquire: all that they did comes before what they begin with
    while (crew_->running.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    forget_chips(chips_, crew_->memory);
    crew_->running.store(crew_->memory.workers);
    go();
    return {};
  }
  void wake() override { crew_->work.ring(); }
  void wake_hosts() override { crew_->news.ring(); }
  bool dozes() const override { return true; }
  void doze(const std::function<bool()>& look, std::uint64_t until_ns) override {
    // What comes from elsewhere than a worker or its ring, such as a deadline of somebody else, rings no bell.
    const std::uint64_t longest_ns = 1'000'000 * time_scale();
    crew_->news.wait(look, [&] {
      const std::uint64_t now = steady_clock_ns();
      return until_ns > now ? std::min(until_ns - now, longest_ns) : 0;
    });
  }
  bool join(std::uint64_t deadline_ns) override {
    // acquire: all that the workers did comes before what follows
    while (crew_->running.load(std::memory_order_acquire) != 0) {
      if (steady_clock_ns() >= deadline_ns) return false;
      std::this_thread::yield();
    }
    join_all();
    return true;
  }
  std::uint64_t steady_ns() override { return steady_clock_ns(); }
  std::uint64_t wall_ns() override { return wall_clock_ns(); }
  std::int64_t worker_clock_offset_ns() override {
    return static_cast<std::int64_t>(wall_clock_ns()) -
           static_cast<std::int64_t>(steady_clock_ns());
  }

 private:
  void go() {
    {
      std::lock_guard lock{crew_->mutex};
      ++crew_->launches;
    }
    crew_->relaunched.notify_all();
  }
  /// Of workers that were never launched.
  void give_up() {
    {
      std::lock_guard lock{crew_->mutex};
      crew_->given_up = true;
    }
    crew_->relaunched.notify_all();
    join_all();
  }
  void join_all() {
    for (std::thread& t : threads_) t.join();
    threads_.clear();
  }

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
