// apps/txmon/bench/throughput.cpp - see throughput.hpp.
// What a run of the actors is timed from and to: timed_run.hpp. Sorting alerts and comparing them with the oracle's comes
// after the clock has been read.
// SPDX-License-Identifier: Apache-2.0
#include "throughput.hpp"

#include <fmt/format.h>

#include <perdure/result.hpp>

#include "account_view.hpp"
#include "batch.hpp"
#include "progress.hpp"
#include "timed_run.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {
namespace {

using json = nlohmann::ordered_json;

/// Rates of one way to do it, run by run.
class samples {
 public:
  explicit samples(std::size_t rows) : rows_{static_cast<double>(rows)} {}
  void add(double seconds) {
    seconds_.push_back(seconds);
    rate_.push_back(rows_ / seconds);
  }
  json to_json() const {
    return {{"transactions_per_s", ::bench::summary(rate_)}, {"seconds", seconds_}};
  }

 private:
  double rows_;
  std::vector<double> seconds_, rate_;
};

json of_actors(const bench_options& o, const workload& w, const right_answer& right,
               progress& now) {
  samples took{w.rows.size()};
  std::vector<double> core_seconds;
  json out;
  for (std::uint32_t run = 0; run <= o.runs; ++run) {  // the first one warms up and is checked, too
    memory_source from{w};
    monitor m{o.actors(w.accounts), from.names()};
    m.prepare();
    const run_time time = run_stream(m, from, o);
    if (run > 0) {
      took.add(time.seconds);
      core_seconds.push_back(time.core_seconds);
    }
    out = describe(m.figures());
    right.expect(fmt::format("actors, {}, run {}", name_of(w.by), run), m.rest(),
                 [&](const auto& use) { m.each_account(use); });
    now.reached(fmt::format("actors, run {} of {} is right", run, o.runs));
  }
  json all = took.to_json();
  all["core_seconds"] = ::bench::summary(core_seconds);
  all.update(out);
  return all;
}

std::vector<finding> findings_of(const std::vector<alert>& alerts) {
  std::vector<finding> out;
  out.reserve(alerts.size());
  for (const alert& a : alerts) out.push_back(to_finding(a, 0));
  sort_alerts(out);
  return out;
}
void check(const baseline::batch_result& r, const right_answer& right, const std::string& who) {
  right.expect(who, findings_of(r.alerts), [&](const auto& use) { use(r.states); });
}

json of_one_thread(const bench_options& o, const workload& w, const right_answer& right) {
  samples took{w.rows.size()};
  for (std::uint32_t run = 0; run <= o.runs; ++run) {
    const auto r = baseline::single_thread(w.rows, w.accounts, rule_schedule{}.common(0));
    check(r, right, "single thread");
    if (run > 0) took.add(r.seconds);
  }
  return took.to_json();
}

json of_batch(const bench_options& o, const workload& w, const right_answer& right) {
  samples took{w.rows.size()}, inside{w.rows.size()};
  json out;
  baseline::cuda_batch by_hand{w.rows, w.accounts, rule_schedule{}.common(0)};
  for (std::uint32_t run = 0; run <= o.runs; ++run) {
    const auto r = by_hand.run();
    check(r, right, "batch by hand");
    if (run == 0) continue;
    took.add(r.seconds);
    inside.add(r.device_seconds);
    out = {{"registers", r.registers}, {"local_bytes", r.local_bytes}};
  }
  json all = took.to_json();
  all["on_the_device"] = inside.to_json();
  all.update(out);
  return all;
}

}  // namespace

json describe(const workload& w, std::size_t alerts) {
  return {{"drawn", name_of(w.by)}, {"accounts", w.accounts},   {"transactions", w.rows.size()},
          {"seed", w.shape.seed},   {"gap_ns", w.shape.gap_ns}, {"alerts", alerts}};
}

json describe(const run_figures& f) {
  return {{"backend", f.layout.backend},
          {"device", f.layout.device},
          {"workers", f.layout.workers},
          {"lanes", f.layout.lanes},
          {"arena_bytes", f.layout.arena_bytes},
          {"ring_bytes", f.layout.ring_bytes},
          {"host_bytes", f.layout.host_bytes},
          {"registers", f.layout.registers},
          {"stack_bytes", f.layout.stack_bytes},
          {"loop_spill_bytes", f.layout.loop_spill_bytes},
          {"cubin_hash", f.layout.cubin_hash},
          {"handled", f.messages.handled},
          {"to_mailboxes", f.messages.to_mailboxes},
          {"dead", f.messages.dead_total()},
          {"batches", f.messages.batches},
          {"spilled", f.messages.spilled}};
}

json throughput(const bench_options& o, draw by) {
  progress now{name_of(by)};
  const workload w = make_workload(by, o.accounts, o.transactions, o.seed);
  const right_answer right{w.rows, w.accounts, rule_schedule{}};
  now.reached("the oracle's answer is known");
  json out{{"stream", describe(w, right.alerts())}, {"actors", of_actors(o, w, right, now)}};
  if (!o.baselines) return out;
  out["single_thread"] = of_one_thread(o, w, right);
  out["oracle"] = {{"seconds", right.seconds()},
                   {"transactions_per_s", static_cast<double>(w.rows.size()) / right.seconds()},
                   {"runs", 1}};
  if (out["actors"]["backend"] == "cuda") out["cuda_batch"] = of_batch(o, w, right);
  return out;
}

double rate_of(const json& report) {
  return report.at("actors").at("transactions_per_s").at("median");
}

}  // namespace txmon::bench
