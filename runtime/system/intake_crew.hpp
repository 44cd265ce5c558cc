// runtime/system/intake_crew.hpp - threads that take in beside those that wait, while rings to the host are crowded.
// Why: a letter takes the host's threads longer than the device; who reads a mailbox then does two things, and cores that
//      nobody else uses can do one of them.
// Invariant: a program whose rings never fill has none of these threads; they sleep while no ring is crowded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace perdure::runtime {

class intake_crew {
 public:
  /// Begins a thread that runs this, or throws what std::thread's constructor does.
  using thread_maker = std::function<std::thread(std::function<void()>)>;

  /// @param work  what each does, again and again; whether there was something to do. @threads the crew's
  /// @param most  threads, if the system lets it have so many
  intake_crew(
      std::function<bool()> work, std::uint32_t most,
      thread_maker make = [](std::function<void()> run) { return std::thread{std::move(run)}; })
      : work_{std::move(work)}, make_{std::move(make)}, most_{most} {}
  intake_crew(const intake_crew&) = delete;
  intake_crew& operator=(const intake_crew&) = delete;
  ~intake_crew() { dismiss(); }

  /// There is something to do. They begin when they are called first; if there can be no more of them, those that there are
  /// do it, beside those that wait. @threads one
  void call() noexcept {
    {
      const std::lock_guard lock{mutex_};
      ++calls_;
    }
    try {
      threads_.reserve(most_);  // a thread that runs must find its place
      while (threads_.size() < most_) threads_.push_back(make_([this] { run(); }));
    } catch (const std::exception&) {  // no thread, or no memory for its handle
      most_ = static_cast<std::uint32_t>(threads_.size());
    }
    wake_.notify_all();
  }
  /// Ends them. @threads the same as call(), or when that one has ended
  void dismiss() {
    {
      const std::lock_guard lock{mutex_};
      dismissed_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
    threads_.clear();
  }

 private:
  /// So many looks in vain, one a nap, and a thread sleeps until it is called again.
  static constexpr std::uint32_t vain_looks = 20;
  static constexpr std::chrono::microseconds nap{50};

  void run() {
    std::unique_lock lock{mutex_};
    for (std::uint64_t heard = 0; !dismissed_;) {
      wake_.wait(lock, [&] { return dismissed_ || heard != calls_; });
      heard = calls_;
      for (std::uint32_t vain = 0; vain < vain_looks && !dismissed_;) {
        lock.unlock();
        if (work_()) {
          vain = 0;
        } else {
          ++vain;
          std::this_thread::sleep_for(nap);
        }
        lock.lock();
      }
    }
  }

  const std::function<bool()> work_;
  const thread_maker make_;
  std::uint32_t most_;  ///< the caller's, as threads_
  std::mutex mutex_;    ///< guards what follows, but for threads_
  std::condition_variable wake_;
  std::uint64_t calls_ = 0;
  bool dismissed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace perdure::runtime
