// apps/txmon/bench/progress.hpp - what the bench is doing, on standard error.
// Why: a run of many accounts takes minutes, most of them outside what is timed; who waits should see which part it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "common/tell.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {

/// Says what a part has come to, and how long it took to get there since the last time.
class progress {
 public:
  explicit progress(std::string part) : part_{std::move(part)} {}
  void reached(const std::string& what) {
    apps::tell("{}: {} ({:.1f} s)", part_, what, ::bench::seconds_since(last_));
    last_ = ::bench::steady::now();
  }

 private:
  std::string part_;
  ::bench::steady::time_point last_ = ::bench::steady::now();
};

}  // namespace txmon::bench
