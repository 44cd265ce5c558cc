// apps/txmon/bench/capacity.cpp - see capacity.hpp.
// Start of making: before the first account is spawned. End: after the last one was told to the workers. The stream is cut
// into as many parts as runs are asked for; each is timed as timed_run.hpp says, one after another on the same accounts.
// SPDX-License-Identifier: Apache-2.0
#include "capacity.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "event_order.hpp"
#include "progress.hpp"
#include "sliced_answer.hpp"
#include "throughput.hpp"
#include "timed_run.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {
namespace {

using json = nlohmann::ordered_json;
using ::bench::seconds_since;
using ::bench::steady;

/// The most memory of the host that this process has had so far.
std::uint64_t host_peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

/// Makes the accounts. @return seconds, of all and by tenths
json make_accounts(monitor& m, std::uint64_t accounts, progress& now) {
  const auto begin = steady::now();
  auto last = begin;
  std::uint64_t shown = 0;
  json tenths = json::array();
  m.prepare([&](std::uint64_t there) {
    if (there < shown + accounts / 10 && there != accounts) return;
    tenths.push_back({{"accounts", there - shown}, {"seconds", seconds_since(last)}});
    now.reached(fmt::format("{} of {} accounts are there", there, accounts));
    shown = there;
    last = steady::now();
  });
  const double seconds = seconds_since(begin);
  return {{"make_s", seconds},
          {"made_per_s", static_cast<double>(accounts) / seconds},
          {"make_parts", tenths}};
}

/// @return how fast each part of the stream was
json run_parts(monitor& m, const workload& w, const bench_options& o, progress& now) {
  std::vector<double> rate, seconds;
  event_order order{0};
  for (std::uint32_t part = 0; part < o.runs; ++part) {
    const std::uint64_t begin = w.rows.size() * part / o.runs;
    const std::uint64_t end = w.rows.size() * (part + 1) / o.runs;
    memory_source from{w, begin, end};
    const run_time time = run_stream(m, from, o, order);
    seconds.push_back(time.seconds);
    rate.push_back(static_cast<double>(end - begin) / time.seconds);
    now.reached(fmt::format("part {} of {} is handled, {:.3g} transactions/s", part + 1, o.runs,
                            rate.back()));
  }
  return {{"transactions_per_s", ::bench::summary(rate)}, {"seconds", seconds}};
}

json bytes_of(const run_figures& f, std::uint64_t accounts) {
  const std::uint64_t beside = f.layout.ring_bytes + f.layout.spill_bytes + f.layout.outbox_bytes;
  return {{"state", monitor::state_bytes()},
          {"of_arena", static_cast<double>(f.layout.arena_bytes) / static_cast<double>(accounts)},
          {"with_rings",
           static_cast<double>(f.layout.arena_bytes + beside) / static_cast<double>(accounts)}};
}

}  // namespace

json capacity(const bench_options& o) {
  progress now{"capacity"};
  const workload w = make_workload(draw::even, o.accounts, o.transactions, o.seed);
  now.reached(fmt::format("{} transactions are in memory", w.rows.size()));
  memory_source names{w};
  monitor m{o.actors(o.accounts), names.names()};
  now.reached("the system has started");
  json out{{"stream", json{}}};
  out.update(make_accounts(m, o.accounts, now));
  out["actors"] = run_parts(m, w, o, now);
  out["actors"].update(describe(m.figures()));
  out["bytes_an_account"] = bytes_of(m.figures(), o.accounts);
  const std::uint64_t peak = host_peak_bytes();

  auto alerts = m.rest();
  out["stream"] = describe(w, alerts.size());
  const auto begin = steady::now();
  sliced_answer::settings how;
  how.threads = std::max(2U, std::thread::hardware_concurrency()) - 1;
  how.slice = std::clamp(o.accounts / (4 * how.threads), 64U, how.slice);
  sliced_answer right{w, std::move(alerts), how};
  std::uint64_t read = 0, shown = 0;
  m.each_account([&](std::span<const account> some) {
    right.take(some);
    read += some.size();
    if (read < shown + o.accounts / 10 && read != o.accounts) return;
    now.reached(fmt::format("{} accounts are read", read));
    shown = read;
  });
  right.expect("actors, capacity");
  out["compared"] = {{"accounts", o.accounts},
                     {"alerts", out["stream"]["alerts"]},
                     {"slices", right.slices()},
                     {"threads", how.threads},
                     {"seconds", seconds_since(begin)}};
  out["host_peak_bytes"] = {{"before_comparing", peak}, {"with_the_oracle", host_peak_bytes()}};
  now.reached("every account and every alert is right");
  return out;
}

}  // namespace txmon::bench
