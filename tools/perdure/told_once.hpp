// tools/perdure/told_once.hpp - what the library warns of, on standard error, each text once.
// Why: a benchmark starts the same system for every run; that it runs on the CPU is to be said, but once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace bench {

/// Any thread.
inline void tell_once(const std::string& what) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock{mutex};
  if (told.insert(what).second) fmt::print(stderr, "perdure: {}\n", what);
}

}  // namespace bench
