// tests/contract/send_many_test.cpp - send_many says how many were sent, and refuses what send() would refuse.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;

struct numbered {
  std::uint32_t number;
};
struct bulky {
  std::array<std::uint32_t, 100> fill;
};
struct desk : actor<desk> {
  std::uint64_t handled = 0, sum = 0;
  void on(const numbered& m, context&) {
    ++handled;
    sum += m.number;
  }
  void on(const bulky&, context&) { ++handled; }
};
struct neighbour : actor<neighbour> {
  std::uint64_t handled = 0;
  void on(const numbered&, context&) { ++handled; }
};

class SendMany : public program_of<handles<desk, numbered, bulky>, handles<neighbour, numbered>> {
 protected:
  /// 1, 2, 3, ...
  static std::vector<numbered> numbers(std::size_t n) {
    std::vector<numbered> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i].number = static_cast<std::uint32_t>(i + 1);
    return all;
  }
  template <class M>
  static perdure::result<std::size_t> send(perdure::system& sys, const std::vector<ref<desk>>& to,
                                           const std::vector<M>& messages) {
    return sys.send_many(std::span<const ref<desk>>{to}, std::span<const M>{messages});
  }
};

TEST_F(SendMany, WhatFindsNoRoomInTimeIsNotCountedAsSent) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    o.send_timeout = 5ms;
    auto sys = perdure::system::start(actors, o).value();
    const auto one = sys.spawn<desk>(1).value()[0];
    const std::vector<ref<desk>> to(5'000, one);
    expect_ok(sys.pause(20s));
    const std::size_t sent = send(sys, to, numbers(to.size())).value();
    EXPECT_GE(sent, 64U);
    EXPECT_LT(sent, to.size()) << "a paused system takes what its lanes hold, and no more";
    EXPECT_EQ(send(sys, to, numbers(to.size())).value(), 0U) << "full";
    expect_exact_books(sys, sent);
    expect_ok(sys.resume());
    expect_ok(sys.quiesce(20s));
    const desk d = sys.view(one).value();
    EXPECT_EQ(d.handled, sent);
    EXPECT_EQ(d.sum, std::uint64_t{sent} * (sent + 1) / 2) << "the first ones, each once";
    expect_exact_books(sys);
  });
}
TEST_F(SendMany, ItsOwnWaitCountsAndNotTheOneOfTheOptions) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    o.send_timeout = std::chrono::hours{1};  // who waits for that is ended by the test runner
    auto sys = perdure::system::start(actors, o).value();
    const auto one = sys.spawn<desk>(1).value()[0];
    const std::vector<ref<desk>> to(5'000, one);
    const auto what = numbers(to.size());
    const auto send_within = [&](std::chrono::nanoseconds wait) {
      return sys.send_many(std::span<const ref<desk>>{to}, std::span<const numbered>{what}, wait)
          .value();
    };
    expect_ok(sys.pause(20s));
    const std::size_t sent = send_within(0ns);
    EXPECT_GE(sent, 64U);
    EXPECT_LT(sent, to.size());
    EXPECT_EQ(send_within(3ms), 0U) << "full";
    expect_ok(sys.resume());
    // room comes while it waits, for as long as it takes: the workers run, or are run by who waits
    EXPECT_EQ(send_within(std::chrono::hours{1}), to.size());
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.view(one).value().handled, sent + to.size());
    expect_exact_books(sys);
  });
}
TEST_F(SendMany, AReferenceOfAnotherTypeIsRefusedWhereItStands) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto mine = sys.spawn<desk>(1).value()[0];
    const auto other = sys.spawn<neighbour>(1).value()[0];
    const ref<desk> wrong{other.bits};
    EXPECT_EQ(send(sys, {mine, mine, wrong, mine}, numbers(4)).value(), 2U);
    expect_error(send(sys, {wrong, mine}, numbers(2)), errc::no_handler);
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.view(mine).value().handled, 2U);
    EXPECT_EQ(sys.view(other).value().handled, 0U) << "it got a message meant for another type";
    expect_exact_books(sys);
  });
}
TEST_F(SendMany, WhatOneSendRefusesManyRefuse) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto one = sys.spawn<desk>(1).value()[0];
    const ref<desk> nobody{};
    expect_error(send(sys, {nobody}, std::vector<bulky>(1)), errc::null_ref);
    EXPECT_EQ(sys.statistics().sent, 0U);
    EXPECT_EQ(send(sys, {one, one, one}, std::vector<bulky>(3)).value(), 3U);
    expect_ok(sys.stop(20s));
    expect_error(send(sys, {one}, numbers(1)), errc::closed);
    expect_exact_books(sys);
  });
}

}  // namespace
