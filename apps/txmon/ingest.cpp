// apps/txmon/ingest.cpp - see ingest.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "ingest.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace txmon {
namespace {

class gate {
 public:
  gate(source& from, const ingest_settings& how, const std::function<bool(parsed&)>& deliver)
      : from_{from}, how_{how}, deliver_{deliver} {}

  void run() {
    for (piece p; claim(p); p = {}) {
      parsed next;
      std::exception_ptr wrong;
      try {
        if (how_.before_parse) how_.before_parse(p.index);
        from_.parse(p, next.rows);
        next.cut = cut(std::move(next.rows.rows), how_.lanes);
        next.after = p.end;
      } catch (...) {
        wrong = std::current_exception();
      }
      if (!pass(p.index, next, wrong)) return;
    }
  }
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  bool claim(piece& p) {
    const std::lock_guard lock{claim_};
    if (at_end_) return false;
    try {
      at_end_ = !from_.claim(p);
      claimed_ += at_end_ ? 0 : 1;
    } catch (...) {
      at_end_ = true;  // blocks before it are still delivered; then this is thrown
      parsed none;
      pass(claimed_, none, std::current_exception());
    }
    return !at_end_;
  }

  /// Waits for the block's turn and delivers it. @return whether more are wanted.
  bool pass(std::uint64_t index, parsed& next, const std::exception_ptr& wrong) {
    std::unique_lock lock{turn_};
    changed_.wait(lock, [&] { return next_ == index || ended_; });
    if (ended_) return false;
    lock.unlock();  // it is this thread's turn: nobody else passes before next_ moves
    bool more = false;
    std::exception_ptr why = wrong;
    if (!why) {
      try {
        more = deliver_(next);
      } catch (...) {
        why = std::current_exception();
      }
    }
    lock.lock();
    if (why) failed_ = why;
    ended_ = !more;
    ++next_;
    changed_.notify_all();
    return more;
  }

  source& from_;
  const ingest_settings& how_;
  const std::function<bool(parsed&)>& deliver_;

  std::mutex claim_;
  bool at_end_ = false;
  std::uint64_t claimed_ = 0;

  std::mutex turn_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  bool ended_ = false;
  std::exception_ptr failed_;
};

}  // namespace

void ingest(source& from, const ingest_settings& how, const std::function<bool(parsed&)>& deliver) {
  gate g{from, how, deliver};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 1; i < how.threads; ++i) threads.emplace_back([&] { g.run(); });
    g.run();
  }
  g.rethrow();
}

}  // namespace txmon
