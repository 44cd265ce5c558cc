// tests/runtime/cuda/clock_alignment_test.cpp - host and worker over a control page, each a thread: the bound holds, and would not if
// a worker answered with a clock that it had read before the question. No time that passes here decides anything.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/clock_alignment.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "kernels/platform/atomics.cuh"
#include "runtime/system/host_time.hpp"

namespace {

using namespace perdure::runtime;
namespace loop = perdure::loop;
using page = perdure::abi::control_page;

constexpr std::int64_t truth = 987'654'321;  ///< wall clock less the worker's

/// Answers as kernels/dispatch/looks.cuh does, by what the wall clock was `late_ns` before. It is slow now and then.
class worker {
 public:
  worker(page& p, std::int64_t late_ns) : thread_{[this, &p, late_ns] { run(p, late_ns); }} {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() {
    stop_ = true;
    thread_.join();
  }

 private:
  void run(page& p, std::int64_t late_ns) {
    std::mt19937 random{5};
    while (!stop_) {
      const auto question = loop::load<loop::order::acquire, loop::scope::system>(&p.question);
      if (question == loop::load<loop::order::relaxed, loop::scope::system>(&p.answered)) {
        std::this_thread::yield();
        continue;
      }
      if (random() % 4 == 0) std::this_thread::yield();
      const auto now = static_cast<std::int64_t>(wall_clock_ns()) - truth - late_ns;
      loop::store<loop::order::relaxed, loop::scope::system>(&p.clock_ns,
                                                             static_cast<std::uint64_t>(now));
      // release: a host's two words are not one
      loop::store<loop::order::release, loop::scope::system>(&p.answered, question);
    }
  }
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

constexpr std::uint64_t patience_ns = 60'000'000'000;

TEST(ClockAlignment, WhatTheWorkersUseIsNeverWrongByMoreThanIsSaid) {
  const auto p = std::make_unique<page>();
  clock_alignment alignment{p.get()};
  EXPECT_EQ(alignment.bound_ns(), clock_exchange::never);
  const worker answers{*p, 0};
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(alignment.ask(patience_ns));
    alignment.renew(1'000, 8);
    const std::int64_t used = alignment.publish();
    ASSERT_LE(std::abs(used - truth), alignment.bound_ns()) << "renewal " << i;
    ASSERT_TRUE(alignment.ask(patience_ns));  // what is known now is better than what is used
    ASSERT_LE(std::abs(used - truth), alignment.bound_ns()) << "renewal " << i;
  }
}
TEST(ClockAlignment, AWorkerThatAnswersWithAnOldClockWouldBeSeenHere) {
  const auto p = std::make_unique<page>();
  clock_alignment alignment{p.get()};
  constexpr std::int64_t hour = 3'600'000'000'000;  // no answer takes so long
  const worker answers{*p, hour};
  ASSERT_TRUE(alignment.ask(patience_ns));
  const std::int64_t used = alignment.publish();
  EXPECT_GT(std::abs(used - truth), alignment.bound_ns());
}
TEST(ClockAlignment, AnAnswerThatDoesNotCountSaysNothing) {
  const auto p = std::make_unique<page>();
  clock_alignment alignment{p.get()};
  const worker answers{*p, 0};
  ASSERT_TRUE(alignment.ask(patience_ns, false));
  EXPECT_EQ(alignment.bound_ns(), clock_exchange::never);
}
TEST(ClockAlignment, AKnockIsOneQuestionAndIsHeardOnce) {
  const auto p = std::make_unique<page>();
  clock_alignment alignment{p.get()};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(alignment.knock());
  EXPECT_EQ(p->question, 1U);
  p->answered = 1;
  EXPECT_TRUE(alignment.knock());
  EXPECT_EQ(alignment.bound_ns(), clock_exchange::never) << "nobody knows when it was answered";
  EXPECT_FALSE(alignment.knock());
  EXPECT_EQ(p->question, 2U);
}
TEST(ClockAlignment, WithoutAWorkerTheQuestionIsGivenUp) {
  const auto p = std::make_unique<page>();
  clock_alignment alignment{p.get()};
  EXPECT_FALSE(alignment.ask(1'000'000));
  EXPECT_EQ(alignment.publish(), 0);
  EXPECT_EQ(alignment.bound_ns(), clock_exchange::never);
}

}  // namespace
