// apps/txmon/bench/capacity.cpp - see capacity.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "capacity.hpp"

#include "right_answer.hpp"
#include "throughput.hpp"
#include "ingest.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {

using json = nlohmann::ordered_json;
using ::bench::seconds_since;
using ::bench::steady;

json capacity(const bench_options& o) {
  const workload w = make_workload(draw::even, o.accounts, o.transactions, o.seed);
  const right_answer right{w.rows, w.accounts, rule_schedule{}};
  memory_source from{w};
  monitor m{o.actors(o.accounts), from.names()};
  auto begin = steady::now();
  m.prepare();
  const double make_s = seconds_since(begin);
  event_order order{0};
  begin = steady::now();
  ingest(from, {.threads = o.readers, .lanes = o.threads}, [&](parsed& next) {
    order.admit(next.cut);
    m.take(std::make_shared<const batch>(std::move(next.cut)));
    return true;
  });
  m.release_all();
  m.settle();
  const double run_s = seconds_since(begin);
  json out{{"stream", describe(w, right)}, {"make_s", make_s}, {"run_s", run_s}};
  out["bytes_an_account"] = monitor::state_bytes();
  out.update(describe(m.figures()));
  begin = steady::now();
  right.expect("actors, capacity", m.rest(), [&](const auto& use) { m.each_account(use); });
  out["read_and_compare_s"] = seconds_since(begin);
  return out;
}

}  // namespace txmon::bench
