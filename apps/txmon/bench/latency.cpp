// apps/txmon/bench/latency.cpp - see latency.hpp.
// Start of a sample: the moment the transaction is due by the clock, whether or not the sender was there in time. End: the
// collector's thread has its alert. So a sender that falls behind shows up as latency.
// SPDX-License-Identifier: Apache-2.0
#include "latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

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
  std::uint64_t number;
  steady::time_point at;
};

/// Sends each row when it is due, as many at once as are due. @return when number 1 was due
steady::time_point send_paced(monitor& m, const workload& w, std::uint32_t lanes, double per_s,
                              bool yields) {
  event_order order{0};
  const auto begin = steady::now() + std::chrono::milliseconds{5};
  for (std::size_t sent = 0; sent < w.rows.size();) {
    const double since = std::chrono::duration<double>(steady::now() - begin).count();
    const auto due = since < 0 ? std::size_t{0} : static_cast<std::size_t>(since * per_s) + 1;
    const std::size_t upto = std::min({due, w.rows.size(), sent + block_rows});
    if (upto <= sent) {
      if (yields) std::this_thread::yield();
      continue;
    }
    const auto row = [&](std::size_t i) { return w.rows.begin() + static_cast<std::ptrdiff_t>(i); };
    batch b = cut({row(sent), row(upto)}, lanes);
    order.admit(b);
    m.take(std::make_shared<const batch>(std::move(b)));
    sent = upto;
  }
  m.release_all();
  return begin;
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
    s.on_alert = [&](const finding& f) { came.push_back({f.number, steady::now()}); };
    monitor m{s, from.names()};
    m.prepare();
    layout = describe(m.figures());
    const auto begin = send_paced(m, w, o.threads, per_s, layout["backend"] == "cpu");
    right.expect(fmt::format("actors at a load, run {}", run), m.rest(),
                 [&](const auto& use) { m.each_account(use); });
    now.reached(fmt::format("run {} of {} is right", run, o.runs));
    std::vector<double> us;
    for (const arrival& a : came) {
      const double due = static_cast<double>(a.number - 1) / per_s;
      us.push_back((std::chrono::duration<double>(a.at - begin).count() - due) * 1e6);
    }
    if (run == 0) continue;
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
                    {"first_us", std::move(first)}});
  }
  json out{{"stream", describe(w, right)},     {"load_per_s", per_s},
           {"p50_us", ::bench::summary(p50)},  {"p99_us", ::bench::summary(p99)},
           {"max_us", ::bench::summary(most)}, {"runs", runs}};
  out.update(layout);
  return out;
}

}  // namespace txmon::bench
