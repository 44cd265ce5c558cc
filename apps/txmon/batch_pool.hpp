// apps/txmon/batch_pool.hpp - batches that are used again, so that a block costs no new memory.
// Why: a block and its copies for the lanes take half a megabyte; allocated anew, the system's pages for it take as long to
//      come as its rows take to be cut, and each of them is given back while other threads run.
// Invariant: a batch is on the shelf or somebody has it; the shelf lives as long as any of its batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "event_order.hpp"

namespace txmon {

/// Every member may be called from any thread.
class batch_pool {
 public:
  /// One whose contents mean nothing, but whose memory is there. It comes back when the last owner drops it.
  std::shared_ptr<batch> take() {
    return {shelf_->take().release(),
            [to = shelf_](batch* b) { to->put(std::unique_ptr<batch>{b}); }};
  }

 private:
  class shelf {
   public:
    std::unique_ptr<batch> take() {
      const std::lock_guard lock{mutex_};
      if (free_.empty()) {
        free_.reserve(++made_);  // so that put() need not
        return std::make_unique<batch>();
      }
      auto last = std::move(free_.back());  // the one that is most likely still in a cache
      free_.pop_back();
      return last;
    }
    void put(std::unique_ptr<batch> b) noexcept {
      const std::lock_guard lock{mutex_};
      free_.push_back(std::move(b));
    }

   private:
    std::mutex mutex_;
    std::size_t made_ = 0;
    std::vector<std::unique_ptr<batch>> free_;
  };
  std::shared_ptr<shelf> shelf_ = std::make_shared<shelf>();
};

}  // namespace txmon
