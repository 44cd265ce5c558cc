// apps/txmon/bench/sliced_answer.hpp - the oracle's answer for more accounts than it has memory for at once.
// Why: the oracle takes some 2 KB an account; accounts know nothing of each other, so it judges a slice of them at a time, on
//      several threads, and nothing but the slices under way is in memory.
// Invariant: every alert and every field of every account is compared, also of those that no row touches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "account.hpp"
#include "outcome.hpp"
#include "workload.hpp"

namespace txmon::bench {

class sliced_answer {
 public:
  struct settings {
    std::uint32_t slice = 1U << 14U;  ///< accounts
    std::uint32_t threads = 1;
  };
  /// @param w  outlives it; all customers are judged by the default rules. @param alerts  sorted
  sliced_answer(const workload& w, std::vector<finding> alerts, const settings& s);
  ~sliced_answer() { end(); }  ///< also without expect(): what waits is judged, and nobody told
  sliced_answer(const sliced_answer&) = delete;
  sliced_answer& operator=(const sliced_answer&) = delete;

  /// The states of the next accounts, by id. Waits while all threads are busy.
  void take(std::span<const account> some);
  /// After the last one. @throws failure (different) with a difference and who gave it
  void expect(const std::string& who);

  std::uint32_t slices() const { return static_cast<std::uint32_t>(rows_of_.size()); }

 private:
  struct part {
    std::uint32_t slice;
    std::vector<account> states;
  };
  void run();
  void hand_over();
  void end() noexcept;
  /// The first difference in a slice, or nothing.
  std::optional<std::string> compare(const part& p);

  const workload& w_;
  const settings s_;
  std::vector<std::vector<std::uint32_t>> rows_of_;  // by slice: places in w_.rows, ascending
  std::vector<std::vector<finding>> alerts_of_;      // by slice
  part filling_{};
  std::uint64_t taken_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<part> waiting_;  // for a thread
  bool ended_ = false;
  std::optional<std::string> difference_;
  std::exception_ptr failed_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace txmon::bench
