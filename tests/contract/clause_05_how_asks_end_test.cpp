// tests/contract/clause_05_how_asks_end_test.cpp - every ask ends in exactly one way.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;

struct question {
  std::uint32_t number;
};
struct answer {
  std::uint32_t number;
};
struct other_answer {
  double value;
};
struct quiet {};       ///< no reply at all
struct wrong {};       ///< replies another type
struct leave {};       ///< stops
struct break_down {};  ///< fails
struct twice {};       ///< replies twice
struct later {         ///< replies never, but keeps its worker busy by messages to itself
  std::uint32_t left;
};

struct clerk : actor<clerk> {
  std::uint32_t answered = 0;
  void on(const question& m, context& ctx) {
    ++answered;
    ctx.reply(answer{m.number + 1});
  }
  void on(const quiet&, context&) {}
  void on(const wrong&, context& ctx) { ctx.reply(other_answer{0.5}); }
  void on(const leave&, context& ctx) { ctx.stop(); }
  void on(const break_down&, context& ctx) {
    ctx.fail(3);
    ctx.reply(answer{9});
  }
  void on(const twice&, context& ctx) {
    ctx.reply(answer{1});
    ctx.reply(answer{2});
  }
  void on(const later& m, context& ctx) {
    if (m.left != 0) ctx.send(ctx.self(*this), later{m.left - 1});
  }
};

using Clause05 = program_of<handles<clerk, question, quiet, wrong, leave, break_down, twice, later>,
                            letters<answer, other_answer>>;

TEST_F(Clause05, AnAskEndsInReplyWrongReplyTimeoutOrReceiverDown) {
  under_every_schedule(20, 8, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto clerks = sys.spawn<clerk>(7).value();
    for (std::uint32_t i = 0; i < 50; ++i) {
      auto r = sys.ask<answer>(clerks[i % 7], question{i}, 10s);
      ASSERT_TRUE(r.has_value()) << r.error().message();
      EXPECT_EQ(r->number, i + 1);
    }
    expect_error(sys.ask<answer>(clerks[1], wrong{}, 10s), errc::wrong_reply);
    expect_error(sys.ask<answer>(clerks[1], quiet{}, 2ms), errc::timeout);
    EXPECT_EQ(sys.ask<answer>(clerks[1], twice{}, 10s).value().number, 1U)
        << "the first reply counts";
    EXPECT_EQ(sys.ask<answer>(clerks[2], break_down{}, 10s).value().number, 9U)
        << "a reply given before the end stands";
    expect_ok(sys.send(clerks[3], leave{}));
    expect_ok(sys.quiesce(10s));
    expect_error(sys.ask<answer>(clerks[2], question{1}, 10s), errc::receiver_down);
    expect_error(sys.ask<answer>(clerks[3], question{1}, 10s), errc::receiver_down);
    expect_ok(sys.quiesce(10s));
    const perdure::stats s = sys.statistics();
    EXPECT_EQ(s.late_replies, 1U) << "the second reply of the one who replied twice";
    EXPECT_EQ(s.unasked, 0U);
    expect_exact_books(sys);
  });
}
TEST_F(Clause05, AskAtAFullSystemOrAClosedOneSaysSo) {
  auto sys = perdure::system::start(actors, tight(perdure::schedule::parallel, 1)).value();
  auto clerks = sys.spawn<clerk>(1).value();
  expect_error(sys.ask<answer>(ref<clerk>{}, question{1}, 1s), errc::null_ref);
  expect_ok(sys.stop(5s));
  expect_error(sys.ask<answer>(clerks[0], question{1}, 1s), errc::closed);
  expect_error(sys.ask_async<answer>(clerks[0], question{1}, 1s).get(), errc::closed);
}
TEST_F(Clause05, AStopCancelsWhatIsOpen) {
  under_every_schedule(10, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto clerks = sys.spawn<clerk>(3).value();
    std::vector<std::future<perdure::result<answer>>> open;
    for (std::uint32_t i = 0; i < 20; ++i)
      open.push_back(sys.ask_async<answer>(clerks[i % 3], quiet{}, 1h));
    expect_ok(sys.stop(10s));
    for (auto& f : open) {
      ASSERT_EQ(f.wait_for(10s), std::future_status::ready);
      expect_error(f.get(), errc::cancelled);
    }
  });
}
TEST_F(Clause05, ManyAsksInFlightEachEndOnceWithTheirOwnReply) {
  under_every_schedule(20, 10, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto clerks = sys.spawn<clerk>(5).value();
    std::vector<std::future<perdure::result<answer>>> open;
    for (std::uint32_t i = 0; i < 300; ++i)
      open.push_back(sys.ask_async<answer>(clerks[i % 5], question{i}, 20s));
    expect_ok(sys.quiesce(20s));
    for (std::uint32_t i = 0; i < 300; ++i) {
      auto r = open[i].get();
      ASSERT_TRUE(r.has_value()) << r.error().message();
      EXPECT_EQ(r->number, i + 1);
    }
    EXPECT_EQ(sys.statistics().replies, 300U);
    EXPECT_EQ(sys.statistics().late_replies, 0U);
  });
}
TEST_F(Clause05, AnAskWithoutWaitingTimesOutByItself) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto clerks = sys.spawn<clerk>(1).value();
    auto open = sys.ask_async<answer>(clerks[0], quiet{}, 3ms);
    // with virtual time somebody must let time pass
    for (int i = 0; i < 2'000 && open.wait_for(0s) != std::future_status::ready; ++i) {
      (void)sys.ask<answer>(clerks[0], question{1}, 1s);
      if (o.schedule == perdure::schedule::parallel) std::this_thread::sleep_for(1ms);
    }
    ASSERT_EQ(open.wait_for(0s), std::future_status::ready);
    expect_error(open.get(), errc::timeout);
  });
}
TEST_F(Clause05, ThreadsThatAskAtOnceEachGetTheirOwn) {
  under_every_schedule(0, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    auto clerks = sys.spawn<clerk>(4).value();
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint32_t i = 0; i < 200; ++i) {
          auto r = sys.ask<answer>(clerks[(t + i) % 4], question{t * 1'000 + i}, 20s);
          if (!r || r->number != t * 1'000 + i + 1) ADD_FAILURE() << "thread " << t << " at " << i;
        }
      });
    }
    for (auto& t : threads) t.join();
  });
}
TEST_F(Clause05, ALateReplyIsCountedAndReachesNobody) {
  auto o = tight(perdure::schedule::parallel, 1);
  auto sys = perdure::system::start(actors, o).value();
  auto clerks = sys.spawn<clerk>(1).value();
  expect_ok(sys.pause());
  expect_error(sys.ask<answer>(clerks[0], question{1}, 5ms), errc::timeout);
  expect_ok(sys.resume());
  expect_ok(sys.quiesce(5s));
  EXPECT_EQ(sys.ask<answer>(clerks[0], question{7}, 5s).value().number, 8U);
  EXPECT_EQ(sys.statistics().late_replies, 1U);
}

}  // namespace
