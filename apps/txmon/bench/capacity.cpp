// apps/txmon/bench/capacity.cpp - see capacity.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "capacity.hpp"

#include "progress.hpp"
#include "right_answer.hpp"
#include "throughput.hpp"
#include "timed_run.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {

using json = nlohmann::ordered_json;
using ::bench::seconds_since;
using ::bench::steady;

json capacity(const bench_options& o) {
  progress now{"capacity"};
  const workload w = make_workload(draw::even, o.accounts, o.transactions, o.seed);
  const right_answer right{w.rows, w.accounts, rule_schedule{}};
  now.reached("the oracle's answer is known");
  memory_source from{w};
  monitor m{o.actors(o.accounts), from.names()};
  auto begin = steady::now();
  m.prepare();
  const double make_s = seconds_since(begin);
  now.reached(fmt::format("{} accounts are there", o.accounts));
  const run_time time = run_stream(m, from, o);
  now.reached("the stream is handled");
  json out{{"stream", describe(w, right)}, {"make_s", make_s}, {"run_s", time.seconds}};
  out["bytes_an_account"] = monitor::state_bytes();
  out.update(describe(m.figures()));
  begin = steady::now();
  right.expect("actors, capacity", m.rest(), [&](const auto& use) { m.each_account(use); });
  out["read_and_compare_s"] = seconds_since(begin);
  now.reached("every account is right");
  return out;
}

}  // namespace txmon::bench
