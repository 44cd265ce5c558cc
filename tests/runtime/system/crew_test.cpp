// tests/runtime/system/crew_test.cpp - the crew takes in beside readers, service thread and workers that are threads.
// Why: a system has a crew only where workers leave it cores, which is on a device; what it shares with the others is shown
//      here, under TSan.
// How: an engine says that its workers keep nobody from a core; a reader that stands still is who waits, so the rings that
//      it is not at become crowded. Who takes a reply in calls what is to follow it: so threads are told apart.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/system/core.hpp"
#include "tests/contract/registry.hpp"

namespace {

using namespace std::chrono_literals;
using perdure::actor;
using perdure::context;
using perdure::host;
using perdure::ref;
using perdure::result;
namespace detail = perdure::detail;
namespace loop = perdure::loop;
namespace runtime = perdure::runtime;

/// Threads as workers, for whom nobody has to sleep.
class engine_with_cores final : public runtime::engine {
 public:
  explicit engine_with_cores(std::unique_ptr<engine> inner) : inner_{std::move(inner)} {}
  bool dozes() const override { return false; }

  runtime::engine_defaults defaults() const override { return inner_->defaults(); }
  result<std::byte*> worker_bytes(std::size_t n) override { return inner_->worker_bytes(n); }
  result<std::byte*> arena_bytes(std::size_t n) override { return inner_->arena_bytes(n); }
  result<runtime::shared_bytes> host_bytes(std::size_t n) override { return inner_->host_bytes(n); }
  result<void> copy_in(std::byte* to, std::size_t to_pitch, const std::byte* from,
                       std::size_t from_pitch, std::size_t width, std::size_t rows) override {
    return inner_->copy_in(to, to_pitch, from, from_pitch, width, rows);
  }
  result<void> copy_out(std::byte* to, const std::byte* from, std::size_t bytes) override {
    return inner_->copy_out(to, from, bytes);
  }
  result<void> zero(std::byte* at, std::size_t bytes) override { return inner_->zero(at, bytes); }
  result<void> launch(const loop::memory& m) override { return inner_->launch(m); }
  result<void> relaunch() override { return inner_->relaunch(); }
  void wake() override { inner_->wake(); }
  bool join(std::uint64_t deadline_ns) override { return inner_->join(deadline_ns); }
  std::uint64_t steady_ns() override { return inner_->steady_ns(); }
  std::uint64_t wall_ns() override { return inner_->wall_ns(); }
  std::int64_t worker_clock_offset_ns() override { return inner_->worker_clock_offset_ns(); }
  void describe(perdure::layout_report& report) const override { inner_->describe(report); }

 private:
  std::unique_ptr<engine> inner_;
};

struct leaf {
  std::uint32_t from, number;
};
struct write_leaves {
  std::uint32_t count;
};
struct question {
  std::uint32_t number;
};
struct answer {
  std::uint32_t number;
};
struct writer : actor<writer> {
  ref<host<leaf>> desk;
  std::uint32_t own = 0, written = 0;
  void on(const write_leaves& m, context& ctx) {
    for (std::uint32_t i = 0; i < m.count; ++i) ctx.send(desk, leaf{own, ++written});
  }
  void on(const question& m, context& ctx) { ctx.reply(answer{m.number + own}); }
};

class Crew : public ::testing::Test {
 protected:
  static constexpr std::uint32_t writers = 6;

  void SetUp() override {
    contract::registry& r = contract::kept_registry();
    r.actor<writer, write_leaves, question>().also<leaf, answer>();
    perdure::options o;
    o.backend = perdure::backend::cpu;
    o.workers = 3;
    o.lanes = 8;
    o.memory_bytes = 8U << 20U;
    o.host_slots = 64;
    o.stop_timeout = o.send_timeout = 60s;
    const perdure::program& actors = r.done();
    sys = runtime::core::start(
              std::make_unique<engine_with_cores>(runtime::make_cpu_engine(actors, o).value()),
              actors, o)
              .value();
    const std::uint64_t keys[] = {detail::type_key<leaf>()};
    desk = sys->open_mailbox(keys, 1U << 20U).value();
    first = sys->spawn(detail::type_key<writer>(), writers,
                       [this](std::size_t i, void* at) {
                         writer w;
                         w.desk.bits = desk;
                         w.own = static_cast<std::uint32_t>(i);
                         std::memcpy(at, &w, sizeof(w));
                       })
                .value()
                .first;
  }
  void TearDown() override { EXPECT_TRUE(sys->stop(60s).has_value()); }

  void write(std::uint32_t who, std::uint32_t count) {
    const write_leaves m{count};
    ASSERT_TRUE(
        sys->send(first + who, detail::handler_key<writer, write_leaves>(), &m, sizeof(m), 60s)
            .has_value());
    sent += count;
  }
  /// Notes which thread takes the reply in.
  void ask(std::uint32_t who) {
    const question m{++asked};
    sys->ask_async(first + who, detail::handler_key<writer, question>(), &m, sizeof(m),
                   detail::type_key<answer>(), 60s,
                   [this, right = asked + who](const perdure::error* why, const void* bytes) {
                     EXPECT_EQ(why, nullptr);
                     answer got{};
                     if (why == nullptr) std::memcpy(&got, bytes, sizeof(got));
                     EXPECT_EQ(got.number, right);
                     const std::lock_guard lock{takers_mutex};
                     takers.insert(std::this_thread::get_id());
                     ++answered;
                   });
  }
  /// Of the library: one is the service thread.
  std::size_t taking_threads() {
    const std::lock_guard lock{takers_mutex};
    return takers.size() - takers.count(std::this_thread::get_id());
  }
  void take(const void* bytes) {
    leaf l;
    std::memcpy(&l, bytes, sizeof(l));
    ASSERT_LT(l.from, writers);
    EXPECT_EQ(l.number, ++last[l.from]);
    ++came;
  }

  std::shared_ptr<runtime::core> sys;
  std::uint64_t desk = 0, first = 0, sent = 0;
  std::uint32_t asked = 0;
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::uint64_t> came{0};
  std::uint32_t last[writers] = {};  ///< the reader's, then the one's who has joined it
  std::mutex takers_mutex;
  std::set<std::thread::id> takers;
};

TEST_F(Crew, TakesInWhereNobodyElseIsAndNothingIsLostOrOvertaken) {
  std::atomic<bool> holds{false}, let_go{false};
  std::thread reader{[&] {
    bool before = false;
    for (bool ended = false; !ended;) {
      // asked before the look: so the last one is behind the end of all that is brought
      ended = let_go.load();
      const auto done =
          sys->receive(desk, 64, ended ? 0s : 20s, [&](auto, const void* bytes, auto...) {
            take(bytes);
            if (before) return;
            before = holds = true;
            while (!let_go) std::this_thread::yield();
          });
      EXPECT_TRUE(done.has_value());
    }
  }};
  write(0, 1);
  while (!holds) std::this_thread::yield();
  // the reader is at its ring; the others have nobody but the service thread, which leaves them to who waits, and the crew
  const std::uint32_t held = sys->worker_of(first).value();
  const auto patience = std::chrono::steady_clock::now() + 20s;
  while (taking_threads() < 2 && std::chrono::steady_clock::now() < patience) {
    for (std::uint32_t who = 0; who < writers; ++who) {
      if (sys->worker_of(first + who).value() == held) continue;
      write(who, 40);
      ask(who);
    }
    while (answered != asked && std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
  }
  EXPECT_GE(taking_threads(), 2U) << "the crew has taken in nothing";
  for (std::uint32_t round = 0; round < 20; ++round) {
    for (std::uint32_t who = 0; who < writers; ++who) {
      if (sys->worker_of(first + who).value() != held || round > 10) write(who, 40);
      if (round == 10) let_go = true;
    }
  }
  EXPECT_TRUE(sys->quiesce(60s).has_value());
  reader.join();
  const auto rest = sys->receive(desk, ~std::size_t{0}, 0s,
                                 [&](auto, const void* bytes, auto...) { take(bytes); });
  EXPECT_TRUE(rest.has_value());
  EXPECT_EQ(came, sent);
  EXPECT_EQ(answered, asked);
}

}  // namespace
