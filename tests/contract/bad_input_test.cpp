// tests/contract/bad_input_test.cpp - what cannot be done is a clear error and changes nothing.
// Why: an error is worth what can be done about it: what was asked for, what may be, how much fits.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/program_of.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;
using perdure::ref;

struct count_one {};
struct counter : actor<counter> {
  std::array<std::uint64_t, 16> counts{};
  void on(const count_one&, context&) { ++counts[0]; }
};

class BadInput : public program_of<handles<counter, count_one>> {
 protected:
  /// The number that stands before these words in an error's text.
  static std::uint64_t number_before(const std::string& text, const std::string& words) {
    const auto at = text.find(" " + words);
    if (at == std::string::npos) return ~std::uint64_t{0};
    const auto from = text.find_last_not_of("0123456789", at - 1) + 1;
    return std::strtoull(text.c_str() + from, nullptr, 10);
  }
  void refused(const std::function<void(perdure::options&)>& change, const std::string& text) {
    auto o = tight(perdure::schedule::parallel, 1);
    change(o);
    const auto sys = perdure::system::start(actors, o);
    ASSERT_FALSE(sys.has_value()) << text;
    EXPECT_EQ(sys.error().code(), errc::bad_option);
    EXPECT_NE(sys.error().context().find(text), std::string::npos) << sys.error().context();
  }
};

TEST_F(BadInput, ACapacityThatIsNoPowerOfTwoOrOutOfRangeIsNamedWithWhatMayBe) {
  using perdure::options;
  refused([](options& o) { o.inbox_slots = 65; },
          "inbox_slots is 65; it must be a power of two in 64..");
  refused([](options& o) { o.inbox_slots = 32; },
          "inbox_slots is 32; it must be a power of two in 64..");
  refused([](options& o) { o.inbox_slots = ~0U; }, "inbox_slots is 4294967295");
  refused([](options& o) { o.spill_slots = 1'000; },
          "spill_slots is 1000; it must be a power of two in");
  refused([](options& o) { o.spill_slots = 32; }, "spill_slots is 32");
  refused([](options& o) { o.host_slots = 96; },
          "host_slots is 96; it must be a power of two in 64..");
  refused([](options& o) { o.timer_slots = 3; },
          "timer_slots is 3; it must be a power of two in 1..");
  refused([](options& o) { o.outbox_slots = 1; }, "outbox_slots is 1; it must be in 64..");
  refused([](options& o) { o.buffer_slots = ~0U; }, "buffer_slots is 4294967295");
  refused([](options& o) { o.host_buffer_slots = ~0U; }, "host_buffer_slots is 4294967295");
  refused([](options& o) { o.workers = 5'000; }, "workers is 5000; it must be in 1..4096");
  refused([](options& o) { o.host_lanes = 1'000; }, "host_lanes is 1000; it must be in 1..64");
  refused([](options& o) { o.cluster = 3; }, "cluster is 3; it must be 1, 2, 4 or 8");
  refused([](options& o) { o.stall_time = -1ns; }, "stall_time must be above 0");
}
TEST_F(BadInput, ACapacityOfZeroIsTheUsualOneWhereThereIsOneAndRefusedWhereNot) {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  o.memory_bytes = 1U << 20U;
  auto sys = perdure::system::start(actors, o).value();
  expect_error(sys.make_mailbox<count_one>(0), errc::bad_option);
  EXPECT_EQ(sys.spawn<counter>(0).value().size(), 0U);
  const auto one = sys.spawn<counter>(1).value()[0];
  expect_ok(sys.send(one, count_one{}));
  expect_ok(sys.quiesce(20s));
  EXPECT_EQ(sys.view(one).value().counts[0], 1U);
}
TEST_F(BadInput, MoreActorsThanFitAreRefusedWithTheNumberThatDoes) {
  under_every_schedule(3, 3, [&](perdure::options o) {
    o.memory_bytes = 1U << 20U;
    auto sys = perdure::system::start(actors, o).value();
    const auto some = sys.spawn<counter>(10).value();
    const auto many = sys.spawn<counter>(100'000'000);
    expect_error(many, errc::too_many_actors);
    const std::uint64_t fit = number_before(many.error().context(), "more fit");
    ASSERT_LT(fit, 1'000'000U) << many.error().context();
    ASSERT_GT(fit, 100U) << many.error().context();
    expect_error(sys.spawn<counter>(fit + 1), errc::too_many_actors);
    const auto rest = sys.spawn<counter>(fit);
    ASSERT_TRUE(rest.has_value()) << rest.error().message();
    const auto more = sys.spawn<counter>(1);
    expect_error(more, errc::too_many_actors);
    EXPECT_EQ(number_before(more.error().context(), "more fit"), 0U) << more.error().context();
    // refused or not, those that are there work, the last one too
    expect_ok(sys.send(some[9], count_one{}));
    expect_ok(sys.send((*rest)[fit - 1], count_one{}));
    expect_ok(sys.quiesce(20s));
    EXPECT_EQ(sys.view(some[9]).value().counts[0], 1U);
    EXPECT_EQ(sys.view((*rest)[fit - 1]).value().counts[0], 1U);
    expect_exact_books(sys);
  });
}
TEST_F(BadInput, MemoryForNoActorAtAllIsSaidAtTheFirstSpawnOrBefore) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{200}}) {
    auto o = tight(perdure::schedule::parallel, 1);
    o.memory_bytes = bytes;
    auto sys = perdure::system::start(actors, o);
    if (!sys) continue;
    const auto made = sys->spawn<counter>(1);
    expect_error(made, errc::too_many_actors);
    EXPECT_EQ(number_before(made.error().context(), "more fit"), 0U) << made.error().context();
  }
}
TEST_F(BadInput, ATimeScaleThatIsNoNumberIsNamed) {
  const char* before = std::getenv("PERDURE_TIME_SCALE");
  const std::string scale = before == nullptr ? "" : before;
  for (const char* wrong : {"ten", "0", "1001", "3x", "-1", "0.5"}) {
    ASSERT_EQ(::setenv("PERDURE_TIME_SCALE", wrong, 1), 0);
    const auto sys = perdure::system::start(actors, {.backend = perdure::backend::cpu});
    ::setenv("PERDURE_TIME_SCALE", scale.c_str(), 1);  // empty as if it were not set
    ASSERT_FALSE(sys) << wrong;
    EXPECT_EQ(sys.error().code(), perdure::errc::bad_option);
    EXPECT_NE(sys.error().context().find("PERDURE_TIME_SCALE is '" + std::string{wrong} + "'"),
              std::string::npos)
        << sys.error().context();
  }
}

TEST_F(BadInput, NothingToSendOrToReceiveIsNoError) {
  under_every_schedule(2, 2, [&](perdure::options o) {
    auto sys = perdure::system::start(actors, o).value();
    const auto all = sys.spawn<counter>(2).value();
    auto desk = sys.make_mailbox<count_one>(1).value();
    EXPECT_EQ(desk.receive({}, 1h).value(), 0U) << "no room, nothing to wait for";
    const std::vector<ref<counter>> to{all[0], all[1]};
    EXPECT_EQ((sys.send_many<counter, count_one>(to, {}).value()), 0U);
    EXPECT_EQ((sys.send_many<counter, count_one>({}, std::vector<count_one>(3)).value()), 0U);
    EXPECT_EQ(sys.statistics().sent, 0U);
  });
}

}  // namespace
