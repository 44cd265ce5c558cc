// apps/txmon/bench/timed_run.cpp - see timed_run.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "timed_run.hpp"

#include <sys/resource.h>

#include "ingest.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {

double core_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

run_time run_stream(monitor& m, memory_source& from, const bench_options& o) {
  event_order order{0};
  return run_stream(m, from, o, order);
}

run_time run_stream(monitor& m, memory_source& from, const bench_options& o, event_order& order) {
  const double used = core_seconds();
  const auto begin = ::bench::steady::now();
  ingest(from, {.threads = o.readers, .lanes = m.share()}, [&](parsed& next) {
    order.admit(*next.cut);
    m.take(std::move(next.cut));
    return true;
  });
  m.release_all();
  m.settle();
  return {::bench::seconds_since(begin), core_seconds() - used};
}

}  // namespace txmon::bench
