// tests/breaks/system_notices_test.cpp - five claims through perdure::system, each of which one deliberate break makes false.
// Why: a test that cannot fail proves nothing; built with PERDURE_BREAK_x, the test of that name must fail.
// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/schedules.hpp"

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::hlc;
using perdure::ref;

struct tick {};
struct leave {};
struct counter : actor<counter> {
  std::uint64_t count = 0;
  void on(const tick&, context&) { ++count; }
  void on(const leave&, context& ctx) { ctx.stop(); }
};
struct burst {
  std::uint32_t rounds;
};
struct source : actor<source> {
  ref<counter> to;
  void on(const burst& m, context& ctx) {
    for (int i = 0; i < 8; ++i) ctx.send(to, tick{});
    if (m.rounds != 0) ctx.send(ctx.self(*this), burst{m.rounds - 1});
  }
};
struct late {
  hlc before;
};
struct look {
  ref<struct clock_keeper> to;
};
struct clock_keeper : actor<clock_keeper> {
  std::uint32_t errors = 0;
  std::uint32_t handled = 0;
  void on(const look& m, context& ctx) {
    hlc ahead{};
    for (int i = 0; i < 3'000'000; ++i) ahead = ctx.now();  // 46 microseconds of stamps in one call
    ctx.send(m.to, late{ahead});
  }
  void on(const late& m, context& ctx) {
    ++handled;
    errors += m.before < ctx.now() ? 0 : 1;
  }
};
struct load {
  std::array<std::uint64_t, 60> words;
  std::uint32_t hops;
};
struct start_load {};
struct carrier : actor<carrier> {
  ref<carrier> next;
  std::uint64_t torn = 0;
  std::uint64_t handled = 0;
  void on(const start_load&, context& ctx) { pass(400, ctx); }
  void on(const load& m, context& ctx) {
    for (std::uint64_t w : m.words) torn += w != m.hops ? 1 : 0;
    ++handled;
    if (m.hops != 0) pass(m.hops - 1, ctx);
  }
  void pass(std::uint32_t hops, context& ctx) {
    load l{{}, hops};
    l.words.fill(hops);
    ctx.send(next, l);
  }
};

class Break : public ::testing::Test {
 protected:
  registry program;
  void SetUp() override {
    program.actor<counter, tick, leave>()
        .actor<source, burst>()
        .actor<clock_keeper, look, late>()
        .actor<carrier, start_load, load>();
  }
  perdure::options seeded() {
    auto o = tight(perdure::schedule::seeded, 1);
    o.stop_timeout = 20ms;  // a broken system never comes to rest
    return o;
  }
};

TEST_F(Break, LAP_AWordOfAnEarlierLapIsNotTakenAgain) {
  auto o = seeded();
  o.workers = 1;
  auto sys = perdure::system::start(program.done(), o).value();
  const auto c = sys.spawn<counter>(1).value()[0];
  for (std::uint64_t sent = 1; sent <= 600; ++sent) {  // two words each into a ring of 256
    expect_ok(sys.send(c, tick{}));
    const auto rest = sys.quiesce(20ms);
    ASSERT_TRUE(rest.has_value()) << "after " << sent << ": " << rest.error().message();
    ASSERT_EQ(sys.view(c).value().count, sent);
  }
}
TEST_F(Break, HEAD_AWordThatIsNotReadYetIsNotOverwritten) {
  auto o = seeded();
  o.outbox_slots = 1024;  // all that a batch sends: nothing may be lost for want of room
  auto sys = perdure::system::start(program.done(), o).value();
  const auto c = sys.spawn<counter>(1).value()[0];
  auto sources = sys.spawn<source>(30,
                                   [&](std::size_t) {
                                     source s;
                                     s.to = c;
                                     return s;
                                   })
                     .value();
  for (auto s : sources) expect_ok(sys.send(s, burst{9}));
  const auto rest = sys.quiesce(2s);
  ASSERT_TRUE(rest.has_value()) << rest.error().message();
  EXPECT_EQ(sys.view(c).value().count, 30U * 10U * 8U);
  EXPECT_EQ(sys.statistics().dead_total(), 0U);
  EXPECT_GT(sys.statistics().spilled + sys.statistics().wraps, 10U) << "the ring was never full";
}
TEST_F(Break, GENERATION_AStaleReferenceDoesNotReachTheSuccessor) {
  auto sys = perdure::system::start(program.done(), seeded()).value();
  const auto old = sys.spawn<counter>(1).value()[0];
  expect_ok(sys.send(old, leave{}));
  ref<counter> fresh{};
  for (int tries = 0; tries < 200; ++tries) {
    expect_ok(sys.quiesce(1s));
    fresh = sys.spawn<counter>(1).value()[0];
    if (perdure::abi::ref_index(fresh.bits) == perdure::abi::ref_index(old.bits)) break;
  }
  ASSERT_EQ(perdure::abi::ref_index(fresh.bits), perdure::abi::ref_index(old.bits))
      << "the slot was not used again";
  expect_ok(sys.send(old, tick{}));
  expect_ok(sys.quiesce(1s));
  EXPECT_EQ(sys.view(fresh).value().count, 0U);
}
TEST_F(Break, CLOCK_TimeRisesFromSenderToReceiver) {
  auto sys = perdure::system::start(program.done(), seeded()).value();
  auto keepers = sys.spawn<clock_keeper>(3).value();  // one a worker
  for (int i = 0; i < 5; ++i) {
    expect_ok(sys.send(keepers[0], look{keepers[1]}));
    expect_ok(sys.send(keepers[1], look{keepers[2]}));
    expect_ok(sys.quiesce(1s));
  }
  for (auto k : keepers) EXPECT_EQ(sys.view(k).value().errors, 0U);
  EXPECT_EQ(sys.view(keepers[2]).value().handled, 5U);
}
/// On x86 only ThreadSanitizer can see the difference, so only the tsan build must fail here.
TEST_F(Break, HANDLE_ALargeMessageIsWholeWhenItsHandleArrives) {
  auto sys = perdure::system::start(program.done(), tight(perdure::schedule::parallel, 1)).value();
  const std::uint64_t first = sys.spawn<carrier>(1).value()[0].bits + 1;
  auto ring = sys.spawn<carrier>(9,
                                 [&](std::size_t i) {
                                   carrier c;
                                   c.next.bits = first + (i + 1) % 9;  // the next worker's
                                   return c;
                                 })
                  .value();
  for (auto c : ring) expect_ok(sys.send(c, start_load{}));
  expect_ok(sys.quiesce(60s));
  std::uint64_t handled = 0;
  for (auto c : ring) {
    const carrier state = sys.view(c).value();
    EXPECT_EQ(state.torn, 0U);
    handled += state.handled;
  }
  EXPECT_EQ(handled, 9U * 401U);
}

}  // namespace
