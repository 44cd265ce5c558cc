// tools/perdure/bench_route.cpp - tokens walk at random among many actors; every message is
// checked.
// Start of a run: before the first token is sent. End: quiesce() has seen every token end its walk.
// Then the host balances the account of every pair of actors: what one says it sent, the other says
// it received, in order.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_route.hpp"
#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "kernels/abi/actor_slot.cuh"
#include "report.hpp"
#include "route_runs.hpp"
#include "walkers.hpp"

namespace bench {

using namespace std::chrono_literals;

nlohmann::json route(const bench_options& options) {
  if (options.hot) return route_hot(options);
  if (options.payload == 8) return route_small(options);
  nlohmann::json report = begin_report("route", options);
  route_shape shape;
  {
    auto system = perdure::system::start(bench_actors::actors(), options.system()).value();
    add_system(report, system, bench_actors::actors(), 0);
    shape = shape_of(options, system.layout(), 38);
    walkers all{system, shape.actors / 2};
    run_walks(report, options, system, all, shape.tokens);
    report["config"]["payload_bytes"] = {
        {"parcel", sizeof(parcel)}, {"express", sizeof(express)}, {"slip", sizeof(slip)}};
    report["config"]["shares"] = {{"parcel", 0.75}, {"express", 0.1875}, {"slip", 0.0625}};
    add_memory<red>(report, shape, system.layout().workers);
    system.stop(5s).value();
  }
  report["baselines"] =
      route_baselines(options, shape);  // after the loop has gone: it wants the whole device
  return report;
}

}  // namespace bench
