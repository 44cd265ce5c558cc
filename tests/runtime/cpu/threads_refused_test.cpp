// tests/runtime/cpu/threads_refused_test.cpp - a machine that lets a process have no more threads.
// Why: std::thread throws then, and who was begun by that time waits for who never comes.
// Invariant: pthread_create() here stands before the C library's, so that it can be told to refuse.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "tests/contract/program_of.hpp"
#include "tools/perdure/threads.hpp"

namespace {
std::atomic<int> may_be_made{-1};  ///< so many more; below 0: all
}

extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*run)(void*),
                              void* with) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (may_be_made == 0) return EAGAIN;
  if (may_be_made > 0) --may_be_made;
  return real(made, how, run, with);
}

namespace {

using namespace contract;
using perdure::actor;
using perdure::context;
using perdure::errc;

struct question {};
struct answer {
  std::uint32_t number;
};
struct answerer : actor<answerer> {
  void on(const question&, context& ctx) { ctx.reply(answer{7}); }
};

class ThreadsRefused : public program_of<handles<answerer, question>, letters<answer>> {
 protected:
  void TearDown() override { may_be_made = -1; }
  static std::ptrdiff_t threads() {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator{"/proc/self/task"}, fs::directory_iterator{});
  }
  /// The kernel takes a thread off its list some time behind the end that join() waits for.
  static void expect_threads(std::ptrdiff_t many) {
    for (int i = 0; i < 5'000 && threads() != many; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(threads(), many);
  }
};

TEST_F(ThreadsRefused, AStartSaysSoAndLeavesNobodyBehind) {
  auto o = tight(perdure::schedule::parallel, 1);  // three workers
  o.on_dead_letter = [](const perdure::dead_letter&) {};
  const std::ptrdiff_t before = threads();
  constexpr int needed = 5;  // the callbacks', the workers', the service thread
  for (int made = 0; made < needed; ++made) {
    SCOPED_TRACE(std::to_string(made) + " threads may be made");
    may_be_made = made;
    const auto sys = perdure::system::start(actors, o);
    may_be_made = -1;
    expect_error(sys, errc::out_of_memory);
    EXPECT_NE(sys.error().context().find("thread"), std::string::npos) << sys.error().message();
    expect_threads(before);
  }
  may_be_made = needed;
  auto sys = perdure::system::start(actors, o);
  expect_ok(sys);
  const auto one = sys->spawn<answerer>(1).value();
  EXPECT_EQ(sys->ask<answer>(one[0], question{}, 10s).value().number, 7U);
}

TEST_F(ThreadsRefused, ABenchmarksThreadsDoNothingUnlessAllAreThere) {
  const std::ptrdiff_t before = threads();
  std::atomic<int> worked{0};
  may_be_made = 3;
  EXPECT_THROW(bench::on_threads(4, [&](std::uint32_t) { ++worked; }), std::runtime_error);
  EXPECT_EQ(worked, 0);
  expect_threads(before);
  may_be_made = 4;
  bench::on_threads(4, [&](std::uint32_t) { ++worked; });
  EXPECT_EQ(worked, 4);
}

}  // namespace
