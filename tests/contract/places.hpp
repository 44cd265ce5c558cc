// tests/contract/places.hpp - where a claim is shown: seeded schedules and real threads, or a GPU.
// Why: the contract is the same everywhere, so its tests are, too.
// Runs: PERDURE_SEEDS=n for another number of seeds than 10,000; PERDURE_SEED=n for one.
// Invariant: a test is cut into blocks, for ctest to run side by side; no seed is in two of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/schedules.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERDURE_SLOWED_DOWN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PERDURE_SLOWED_DOWN
#endif

namespace contract {

class everywhere : public ::testing::TestWithParam<std::uint64_t> {
 public:
  static constexpr std::uint64_t blocks = 5;

 protected:
  using claim_function = std::function<void(perdure::options)>;
  using change_options = perdure::options (*)(perdure::options);
  static constexpr std::uint64_t all_seeds = ~std::uint64_t{0};

#ifdef PERDURE_ON_DEVICE
  /// Calls `claim` with the options for each of so many starts, or for a third of them if they are
  /// many: one takes longer on a device.
  static void show(std::uint64_t, std::uint64_t starts, const claim_function& claim) {
    const std::uint64_t runs = starts > 3 * blocks ? starts / 3 : starts;
    for (std::uint64_t run = GetParam(); run < runs && !HasFailure(); run += blocks) {
      SCOPED_TRACE("on the device, run " + std::to_string(run));
      until_not_spoiled([&] { claim(tight_on_device(run)); });
    }
  }
  /// Skips where there is no device. @param with  what the program needs beside what all tests have.
  static void needs_device(const perdure::program& actors, change_options with = nullptr) {
    static const perdure::result<void> there = [&]() -> perdure::result<void> {
      const perdure::options o = tight_on_device(0);
      const auto made = perdure::system::start(actors, with == nullptr ? o : with(o));
      return made ? perdure::result<void>{} : perdure::result<void>{made.error()};
    }();
    if (there) return;
    const perdure::errc why = there.error().code();
    if (why == perdure::errc::no_device || why == perdure::errc::no_driver)
      GTEST_SKIP() << there.error().message();
    FAIL() << there.error().message();
  }

 private:
  /// As tight(), on one to seven workers: half of the starts a warp a worker, the others four, of which two are scouts.
  static perdure::options tight_on_device(std::uint64_t run) {
    perdure::options o = tight(perdure::schedule::parallel, run);
    o.backend = perdure::backend::cuda;
    o.lanes = (run + run / 4) % 2 == 0 ? 32 : 128;  // with each number of workers
    o.workers = static_cast<std::uint32_t>(1 + 2 * (run % 4));
    o.outbox_slots = 1024;  // one of the programs needs 860
    return o;
  }
#else
  /// Calls `claim` with the options for each seed wanted, then for so many starts on threads.
  /// @param most_seeds  no more than these, even if more are wanted.
  static void show(std::uint64_t most_seeds, std::uint64_t starts, const claim_function& claim) {
    const std::uint64_t seeds = std::min(most_seeds, seeds_wanted());
    if (const char* one = std::getenv("PERDURE_SEED"); one != nullptr) {
      const std::uint64_t seed = std::strtoull(one, nullptr, 10);
      if (most_seeds != 0 && seed % blocks == GetParam())
        claim(tight(perdure::schedule::seeded, seed));
      return;
    }
    for (std::uint64_t seed = GetParam(); seed < seeds && !HasFailure(); seed += blocks) {
      SCOPED_TRACE("seeded, PERDURE_SEED=" + std::to_string(seed));
      claim(tight(perdure::schedule::seeded, seed));
    }
    for (std::uint64_t run = GetParam(); run < starts && !HasFailure(); run += blocks) {
      SCOPED_TRACE("parallel, run " + std::to_string(run));
      until_not_spoiled([&] { claim(tight(perdure::schedule::parallel, run)); });
    }
  }
  static void needs_device(const perdure::program&, change_options = nullptr) {}

 private:
  static std::uint64_t seeds_wanted() {
    const char* set = std::getenv("PERDURE_SEEDS");
    if (set != nullptr) return std::strtoull(set, nullptr, 10);
#ifdef PERDURE_SLOWED_DOWN
    return 150;
#else
    return 10'000;
#endif
  }
#endif
};

}  // namespace contract

/// Runs the tests of a suite once for each block, under a name that says the place.
#ifdef PERDURE_ON_DEVICE
#define PERDURE_SHOW_EVERYWHERE(suite) \
  INSTANTIATE_TEST_SUITE_P(OnDevice, suite, ::testing::Range(std::uint64_t{0}, suite::blocks))
#else
#define PERDURE_SHOW_EVERYWHERE(suite) \
  INSTANTIATE_TEST_SUITE_P(OnCpu, suite, ::testing::Range(std::uint64_t{0}, suite::blocks))
#endif
