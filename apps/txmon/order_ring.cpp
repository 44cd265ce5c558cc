// apps/txmon/order_ring.cpp - see order_ring.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "order_ring.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace txmon {
namespace {

/// Whoever waits for another thread looks so often before he looks at the clock, and leaves the processor's other thread,
/// which may be the one that he waits for, its share in between. Behind so many looks at the clock, some ten microseconds, he
/// leaves the processor itself to who else would run there: that may be the one, too, and would wait for milliseconds.
constexpr int looks = 16, rounds_alone = 16;
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
/// @return whether it is there
template <class There>
bool look_for(std::chrono::microseconds longest, There there) {
  if (longest.count() == 0) return there();
  const auto end = std::chrono::steady_clock::now() + longest;
  int rounds = 0;
  do {
    for (int i = 0; i < looks; ++i) {
      if (there()) return true;
      pause();
    }
    if (++rounds > rounds_alone) std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

order_ring::order_ring(std::uint32_t readers, std::chrono::microseconds hot)
    : hot_{hot}, slots_(slots), passed_(readers) {}

std::size_t order_ring::free_passed() {
  std::uint64_t all = pushed_;
  for (const passed_by_one& p : passed_)
    all = std::min(all, p.upto.load(std::memory_order_seq_cst));
  for (; freed_ < all; ++freed_) slots_[freed_ % slots].what = {};
  return pushed_ - freed_;
}

template <class There>
void order_ring::wait_for_readers(There there) {
  // several times what a lane takes for a small block; longer, and it may be this thread that keeps it from its processor
  constexpr std::chrono::microseconds longest{20};
  const auto over = [&] { return has_failed_.load(std::memory_order_acquire) || there(); };
  if (!look_for(std::min(hot_, longest), over)) {
    std::unique_lock lock{mutex_};
    writer_asleep_.store(true, std::memory_order_seq_cst);
    passed_changed_.wait(lock, over);
    writer_asleep_.store(false, std::memory_order_relaxed);
  }
  rethrow_if_failed();
}

void order_ring::rethrow_if_failed() {
  if (!has_failed_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock{mutex_};
  std::rethrow_exception(failed_);
}

void order_ring::push(order o) {
  constexpr std::size_t few = 2;  // whoever is that close holds no memory up
  if (pushed_ - freed_ >= few && free_passed() == slots)
    wait_for_readers([this] { return free_passed() < slots; });
  rethrow_if_failed();
  slots_[pushed_ % slots].what = std::move(o);
  written_.store(++pushed_, std::memory_order_seq_cst);
  if (readers_asleep_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock{mutex_};
  written_changed_.notify_all();
}

void order_ring::drain() {
  wait_for_readers([this] { return free_passed() == 0; });
}

std::uint64_t order_ring::wait_for(std::uint64_t at, const std::stop_token& stopping) {
  const auto over = [&] {  // he does not sleep yet, so nobody needs to see him
    return written_.load(std::memory_order_acquire) != at || stopping.stop_requested();
  };
  if (!look_for(hot_, over)) {
    std::unique_lock lock{mutex_};
    readers_asleep_.fetch_add(1, std::memory_order_seq_cst);
    written_changed_.wait(lock, [&] {
      return written_.load(std::memory_order_seq_cst) != at || stopping.stop_requested();
    });
    readers_asleep_.fetch_sub(1, std::memory_order_relaxed);
  }
  return stopping.stop_requested() ? at : written_.load(std::memory_order_acquire);
}

void order_ring::pass(std::uint32_t reader, std::uint64_t upto) {
  passed_[reader].upto.store(upto, std::memory_order_seq_cst);
  if (!writer_asleep_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard lock{mutex_};
  passed_changed_.notify_all();
}

void order_ring::fail(std::exception_ptr why) {
  const std::lock_guard lock{mutex_};
  if (!failed_) failed_ = std::move(why);
  has_failed_.store(true, std::memory_order_release);
  passed_changed_.notify_all();
}

void order_ring::wake() {
  const std::lock_guard lock{mutex_};
  written_changed_.notify_all();
}

}  // namespace txmon
