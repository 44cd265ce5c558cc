// tests/runtime/system/brief_mutex_test.cpp - one holder at a time, whether it lets go soon or late.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/brief_mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using perdure::runtime::brief_mutex;
using namespace std::chrono_literals;

TEST(BriefMutex, ThreadsAddOneAfterAnother) {
  constexpr int threads = 4, each = 20'000;
  brief_mutex mutex;
  int sum = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        const std::lock_guard lock{mutex};
        ++sum;
      }
    });
  }
  for (std::thread& t : all) t.join();
  EXPECT_EQ(sum, threads * each);
}
TEST(BriefMutex, WhoHoldsItForLongKeepsTheOtherOut) {
  brief_mutex mutex;
  mutex.lock();
  int seen = 0, now = 1;
  std::thread other{[&] {
    const std::lock_guard lock{mutex};  // longer than it looks: it naps
    seen = now;
  }};
  std::this_thread::sleep_for(20ms);
  now = 2;
  mutex.unlock();
  other.join();
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
