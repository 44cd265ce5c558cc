// apps/txmon/bench/latency.cpp - see latency.hpp.
// Start of a sample: the moment the transaction is due by the clock, whether or not the sender was there in time. End: the
// collector's thread has its alert. So a sender that falls behind shows up as latency. Two moments between are told, too:
// when the sender has handed the transaction to the lanes, and the hybrid time at which the account raised the alert, which
// is exact to a few microseconds (the clocks of host and device) and may lie after its handling, never before its sending.
// SPDX-License-Identifier: Apache-2.0
#include "latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <perdure/hlc.hpp>
#include <thread>

#include "batch_pool.hpp"
#include "progress.hpp"
#include "right_answer.hpp"
#include "throughput.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {
namespace {

using json = nlohmann::ordered_json;
using ::bench::percentile;
using ::bench::steady;

struct arrival {
  std::uint64_t number,
      raised_us;  ///< the latter of the wall clock, since the beginning of hybrid time
  steady::time_point at;
};

/// What happened to transactions on their way, in microseconds since the first was due.
struct journey {
  steady::time_point begin;
  double wall_us = 0;                     ///< of the wall clock at `begin`
  std::vector<steady::time_point> given;  ///< by row: it was with the lanes

  double since_us(steady::time_point t) const {
    return std::chrono::duration<double, std::micro>(t - begin).count();
  }
};

double wall_us() {
  constexpr std::chrono::sys_days hybrid_time_begins{std::chrono::year{2026} / 1 / 1};
  return std::chrono::duration<double, std::micro>(std::chrono::system_clock::now() -
                                                   hybrid_time_begins)
      .count();
}

/// Sends each row when it is due, as many at once as are due.
journey send_paced(monitor& m, const workload& w, double per_s, bool yields) {
  event_order order{0};
  batch_pool blocks;
  journey j;
  j.given.resize(w.rows.size());
  j.begin = steady::now() + std::chrono::milliseconds{5};
  j.wall_us = wall_us() - j.since_us(steady::now());
  for (std::size_t sent = 0; sent < w.rows.size();) {
    const double since = std::chrono::duration<double>(steady::now() - j.begin).count();
    const auto due = since < 0 ? std::size_t{0} : static_cast<std::size_t>(since * per_s) + 1;
    const std::size_t upto = std::min({due, w.rows.size(), sent + block_rows});
    if (upto <= sent) {
      if (yields) std::this_thread::yield();
      continue;
    }
    auto next = blocks.take();
    next->rows = std::span{w.rows}.subspan(sent, upto - sent);
    cut(*next, m.share());
    order.admit(*next);
    m.take(std::move(next));
    std::fill(j.given.begin() + static_cast<std::ptrdiff_t>(sent),
              j.given.begin() + static_cast<std::ptrdiff_t>(upto), steady::now());
    sent = upto;
  }
  m.release_all();
  return j;
}

/// Of the alerts of a run: from the moment each was due, and the stages of it.
struct stages {
  std::vector<double> all_us, given_us, raised_us, told_us;

  void add(const journey& j, const arrival& a, double per_s) {
    const double due = static_cast<double>(a.number - 1) / per_s * 1e6;
    const double given = j.since_us(j.given[a.number - 1]), came = j.since_us(a.at);
    const double raised = static_cast<double>(a.raised_us) - j.wall_us;
    all_us.push_back(came - due);
    given_us.push_back(given - due);
    raised_us.push_back(raised - given);
    told_us.push_back(came - raised);
  }
};
json spread_of(std::vector<double> us) {
  return {{"p50_us", percentile(us, 50)}, {"p99_us", percentile(us, 99)}};
}

}  // namespace

json latency(const bench_options& o, double per_s) {
  progress now{"latency"};
  // a second of it, unless that is more than was asked for; the sender tells no wake-up from a delay
  const auto rows = std::min<std::uint64_t>(o.transactions, static_cast<std::uint64_t>(per_s) + 1);
  const workload w = make_workload(draw::even, o.accounts, rows, o.seed);
  const right_answer right{w.rows, w.accounts, rule_schedule{}};
  std::vector<double> p50, p99, most;
  json runs = json::array(), layout;
  for (std::uint32_t run = 0; run <= o.runs; ++run) {  // the first one warms up and is checked, too
    memory_source from{w};
    std::vector<arrival> came;
    came.reserve(right.alerts());
    auto s = o.actors(w.accounts);
    s.on_alert = [&](const finding& f) {
      came.push_back({f.number, perdure::hlc{f.hlc}.microseconds(), steady::now()});
    };
    monitor m{s, from.names()};
    m.prepare();
    const bool yields = m.figures().layout.backend == "cpu";
    const journey sent = send_paced(m, w, per_s, yields);
    m.settle();
    layout = describe(m.figures());
    right.expect(fmt::format("actors at a load, run {}", run), m.rest(),
                 [&](const auto& use) { m.each_account(use); });
    now.reached(fmt::format("run {} of {} is right", run, o.runs));
    if (run == 0) continue;
    stages parts;
    for (const arrival& a : came) parts.add(sent, a, per_s);
    std::vector<double>& us = parts.all_us;
    json first(std::vector<double>(
        us.begin(),
        us.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(us.size(), 500))));
    p50.push_back(percentile(us, 50));
    p99.push_back(percentile(us, 99));
    most.push_back(us.empty() ? 0 : us.back());
    runs.push_back({{"alerts", us.size()},
                    {"p50_us", p50.back()},
                    {"p90_us", percentile(us, 90)},
                    {"p99_us", p99.back()},
                    {"max_us", most.back()},
                    {"due_to_lanes", spread_of(parts.given_us)},
                    {"lanes_to_account", spread_of(parts.raised_us)},
                    {"account_to_host", spread_of(parts.told_us)},
                    {"first_us", std::move(first)}});
  }
  json out{{"stream", describe(w, right.alerts())}, {"load_per_s", per_s},
           {"p50_us", ::bench::summary(p50)},       {"p99_us", ::bench::summary(p99)},
           {"max_us", ::bench::summary(most)},      {"runs", runs}};
  out.update(layout);
  return out;
}

}  // namespace txmon::bench
