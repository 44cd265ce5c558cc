// tools/perdure/threads.hpp - the same work on several host threads, begun at once.
// Why: a thread that is still being made is no part of a rate, and what one of them throws must
// reach the caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "samples.hpp"

namespace bench {

/// Runs `work(i)` on thread i of `count`, all begun when the last one is there. @return when they
/// began.
/// @throws what the first of them to fail threw, after all have ended; std::runtime_error, and none has begun, if not all of
///         them could be made.
template <class Work>
steady::time_point on_threads(std::uint32_t count, const Work& work) {
  std::atomic<std::uint32_t> there{0};
  enum class signal { wait, go, give_up };
  std::atomic<signal> go{signal::wait};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto run = [&](std::uint32_t i) {
    there.fetch_add(1);
    while (go.load() == signal::wait) std::this_thread::yield();
    if (go.load() == signal::give_up) return;
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock{failure_mutex};
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back(run, i);
  } catch (const std::system_error& why) {
    go.store(signal::give_up);
    for (std::thread& t : threads) t.join();
    throw std::runtime_error{"--threads: " + std::to_string(threads.size()) + " of " +
                             std::to_string(count) + " could be made: " + why.what()};
  }
  while (there.load() != count) std::this_thread::yield();
  const auto began = steady::now();
  go.store(signal::go);
  for (std::thread& t : threads) t.join();
  if (failure) std::rethrow_exception(failure);
  return began;
}

/// How many threads a benchmark uses if it is not told: one, and eight where the host has that many
/// cores.
inline std::vector<std::uint32_t> thread_counts(std::uint32_t told) {
  if (told != 0) return {told};
  if (std::thread::hardware_concurrency() < 8) return {1};
  return {1, 8};
}

}  // namespace bench
