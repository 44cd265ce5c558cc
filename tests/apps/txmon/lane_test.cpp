// tests/apps/txmon/lane_test.cpp - what a lane sends, and when: a port that can be held up stands for the actors.
// SPDX-License-Identifier: Apache-2.0
#include "lane.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "account.hpp"
#include "failure.hpp"
#include "records.hpp"

namespace {

using namespace txmon;
using test::record;

/// Notes what is sent; the first send of postings waits until it is let go.
class slow_port final : public account_port {
 public:
  struct call {
    std::uint32_t limit = 0;  ///< of terms: the velocity limit; 0: postings
    std::vector<std::uint64_t> numbers;
  };
  void send(std::span<const std::uint32_t>, std::span<const terms> what) override {
    const std::lock_guard lock{mutex_};
    for (const terms& t : what) calls.push_back({t.limits.velocity_limit, {}});
  }
  void send(std::span<const std::uint32_t>, std::span<const transaction> what) override {
    std::unique_lock lock{mutex_};
    if (fails) throw failure{"the port is closed"};
    call c;
    for (const transaction& t : what) c.numbers.push_back(t.number.get());
    calls.push_back(std::move(c));
    began_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return go_; });
  }
  void wait_until_busy() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return began_; });
  }
  void let_go() {
    const std::lock_guard lock{mutex_};
    go_ = true;
    changed_.notify_all();
  }
  std::vector<call> calls;
  bool fails = false;  ///< the next send of postings

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool began_ = false, go_ = false;
};

class Lane : public testing::TestWithParam<int> {
 protected:
  Lane() { names_.number(2); }
  /// A block of one row from account 0 to account 1.
  void push(std::int64_t time_ms) {
    auto b = cut({record({0, time_ms, 100, 0, 1})}, 1);
    order_.admit(b);
    orders_.push({.rows = std::make_shared<const batch>(std::move(b))});
  }
  void change(const std::string& rules) {
    orders_.push(
        {.schedule = std::make_shared<rule_schedule>(rule_schedule::parse(rules, "rules"))});
  }
  std::unique_ptr<lane> start(slow_port& port) {
    return std::make_unique<lane>(0, orders_, port, names_, std::make_shared<rule_schedule>(),
                                  true);
  }
  accounts names_;
  event_order order_{0};
  order_ring orders_{1, std::chrono::microseconds{GetParam()}};
};

TEST_P(Lane, WhatCameWhileItWasSendingLeavesTogether) {
  slow_port port;
  const auto l = start(port);
  push(1);
  port.wait_until_busy();
  for (int i = 2; i <= 6; ++i) push(i);
  port.let_go();
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 2U);
  EXPECT_EQ(port.calls[0].numbers, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(port.calls[1].numbers, (std::vector<std::uint64_t>{2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
}

TEST_P(Lane, RulesThatChangedMeanwhileHoldForWhatCameAfterThem) {
  slow_port port;
  const auto l = start(port);
  push(1);
  port.wait_until_busy();
  push(2);
  change(R"({"changes": [{"from_ms": 3, "velocity_limit": 5}]})");
  push(3);
  push(4);
  port.let_go();
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 5U);
  EXPECT_EQ(port.calls[1].numbers, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(port.calls[2].limit, 5U);
  EXPECT_EQ(port.calls[3].limit, 5U);
  EXPECT_EQ(port.calls[4].numbers, (std::vector<std::uint64_t>{3, 3, 4, 4}));
}

TEST_P(Lane, TheLastOfAsManyChangesAsThereMayBeIsSent) {
  slow_port port;
  port.let_go();
  const auto l = start(port);
  std::string text = R"({"changes": [)";
  for (std::size_t i = 1; i < rule_schedule::most_changes; ++i)
    text += R"({"from_ms": )" + std::to_string(i) + "},";
  change(text + R"({"from_ms": 70000, "velocity_limit": 5}]})");
  push(70'000);
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 3U);  // terms of both accounts, and the postings
  EXPECT_EQ(port.calls[0].limit, 5U);
}

TEST_P(Lane, WhatIsHeldBackStaysUntilItsTimeHasCome) {
  slow_port port;
  port.let_go();
  order_ = event_order{10};
  const auto l = start(port);
  push(20);
  push(15);
  orders_.drain();
  EXPECT_TRUE(port.calls.empty());
  EXPECT_EQ(l->held().size(), 4U);
  push(27);
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 1U);
  EXPECT_EQ(port.calls[0].numbers, (std::vector<std::uint64_t>{2, 2}));
  orders_.push({.all = true});
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 2U);
  EXPECT_EQ(port.calls[1].numbers, (std::vector<std::uint64_t>{1, 1, 3, 3}));
}

TEST_P(Lane, WhatIsReleasedForGoodLeavesThoughABlockCameBehindIt) {
  slow_port port;
  order_ = event_order{10};
  const auto l = start(port);
  push(50);
  push(61);
  port.wait_until_busy();  // with the first row
  push(70);
  orders_.push({.all = true});
  push(75);
  port.let_go();
  orders_.drain();
  ASSERT_EQ(port.calls.size(), 2U);
  EXPECT_EQ(port.calls[1].numbers, (std::vector<std::uint64_t>{2, 2, 3, 3}));
  EXPECT_EQ(l->held().size(), 2U);
}

TEST_P(Lane, ABlockInOrderWaitsForWhatIsHeldBackBeforeIt) {
  slow_port port;
  port.let_go();
  order_ = event_order{10};
  const auto l = start(port);
  push(20);  // held back: the watermark is 10
  order_ = event_order{0};
  order_.resume(2, 20);
  push(30);  // in order, and the watermark is 30
  push(31);  // nothing is held back any more: it passes
  orders_.drain();
  EXPECT_TRUE(l->held().empty());
  std::vector<std::uint64_t> all;
  for (const auto& c : port.calls) all.insert(all.end(), c.numbers.begin(), c.numbers.end());
  EXPECT_EQ(all, (std::vector<std::uint64_t>{1, 1, 2, 2, 3, 3}));
}

TEST_P(Lane, WhatAPortThrowsReachesWhoGivesOrders) {
  slow_port port;
  port.fails = true;
  const auto l = start(port);
  push(1);
  EXPECT_THROW(orders_.drain(), failure);
  EXPECT_THROW(push(2), failure);
}

/// How many of them it still carries out is a matter of time; that it does not wait for more, or for ever, is not.
TEST_P(Lane, EndsThoughItHasOrdersLeft) {
  slow_port port;
  auto l = start(port);
  push(1);
  port.wait_until_busy();
  for (int i = 2; i <= 6; ++i) push(i);
  std::jthread end{[&] { l.reset(); }};
  port.let_go();
  end.join();
  ASSERT_FALSE(port.calls.empty());
  EXPECT_EQ(port.calls[0].numbers, (std::vector<std::uint64_t>{1, 1}));
}

TEST_P(Lane, WhoWaitsUntilAPostingIsDueIsWokenByTheEnd) {
  slow_port port;
  port.let_go();
  auto l = start(port);
  orders_.push({.pace = pace{1, std::chrono::steady_clock::now(), 0}});
  push(3'600'000);  // due in an hour
  std::this_thread::sleep_for(std::chrono::milliseconds{5});
  const auto begun = std::chrono::steady_clock::now();
  l.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes{1});
}

INSTANTIATE_TEST_SUITE_P(Asleep, Lane, testing::Values(0));
INSTANTIATE_TEST_SUITE_P(Looking, Lane, testing::Values(200));

}  // namespace
