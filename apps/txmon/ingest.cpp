// apps/txmon/ingest.cpp - see ingest.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "ingest.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "batch_pool.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

class gate {
 public:
  gate(source& from, const ingest_settings& how, const std::function<bool(parsed&)>& deliver)
      : from_{from}, how_{how}, deliver_{deliver}, early_(std::size_t{2} * how.threads) {}

  void run() {
    for (piece p; claim(p); p = {}) {
      arrived next;
      try {
        if (how_.before_parse) how_.before_parse(p.index);
        next.what.cut = pool_.take();
        batch& b = *next.what.cut;
        b.own.clear();
        next.what.rows.rows = std::move(b.own);
        next.what.rows.wants_places = how_.places;
        try {
          from_.parse(p, next.what.rows);
        } catch (const failure&) {
          next.wrong = std::current_exception();  // the rows before it are good
        }
        b.own = std::move(next.what.rows.rows);
        b.rows = b.own.empty() ? next.what.rows.in_place : b.own;
        cut(b, how_.lanes);
        next.what.after = p.end;
      } catch (...) {
        next = {{}, std::current_exception()};
      }
      if (!hand_in(p.index, std::move(next))) return;
    }
  }
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  struct arrived {
    parsed what;
    std::exception_ptr wrong;
  };

  bool claim(piece& p) {
    const std::lock_guard lock{claim_};
    if (at_end_) return false;
    try {
      at_end_ = !from_.claim(p);
      claimed_ += at_end_ ? 0 : 1;
    } catch (...) {
      at_end_ = true;  // blocks before it are still delivered; then this is thrown
      hand_in(claimed_, {{}, std::current_exception()});
    }
    return !at_end_;
  }

  /// Delivers the block and those that wait for it, or leaves it to whoever delivers. @return whether more are wanted.
  bool hand_in(std::uint64_t index, arrived next) {
    std::unique_lock lock{turn_};
    ++waiting_;
    changed_.wait(lock, [&] { return index - next_ < early_.size() || ended_; });
    --waiting_;
    early_[index % early_.size()] = std::move(next);
    if (delivers_) return !ended_;
    delivers_ = true;
    while (!ended_ && early_[next_ % early_.size()]) {
      auto now = std::exchange(early_[next_ % early_.size()], std::nullopt);
      lock.unlock();  // `delivers_` keeps the others out
      const bool more = deliver(*now);
      now.reset();
      lock.lock();
      ended_ = !more;
      ++next_;
      if (waiting_ != 0) changed_.notify_all();
    }
    delivers_ = false;
    return !ended_;
  }

  bool deliver(arrived& now) {
    try {
      const bool some = now.what.cut && (!now.wrong || !now.what.cut->rows.empty());
      if (some && !deliver_(now.what)) return false;
      if (now.wrong) std::rethrow_exception(now.wrong);
      return true;
    } catch (...) {
      failed_ = std::current_exception();
      return false;
    }
  }

  source& from_;
  const ingest_settings& how_;
  const std::function<bool(parsed&)>& deliver_;
  batch_pool pool_;

  std::mutex claim_;
  bool at_end_ = false;
  std::uint64_t claimed_ = 0;

  std::mutex turn_;
  std::condition_variable changed_;
  std::vector<std::optional<arrived>> early_;  ///< block i lies at i modulo its size
  std::uint64_t next_ = 0;                     ///< the block whose turn it is
  std::uint32_t waiting_ = 0;                  ///< threads, for room in `early_`
  bool delivers_ = false, ended_ = false;
  std::exception_ptr failed_;  ///< who delivers writes it
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
