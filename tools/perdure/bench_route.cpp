// tools/perdure/bench_route.cpp - tokens walk at random among many actors; every message is checked.
// Start of a run: before the first token is sent. End: quiesce() has seen every token end its walk. Then the host
// balances the account of every pair of actors: what one says it sent, the other says it received, in order.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "baseline_route.hpp"
#include "bench.hpp"
#include "bench_actors.actors.hpp"
#include "kernels/abi/actor_slot.cuh"
#include "report.hpp"
#include "route_runs.hpp"
#include "send_all.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

struct totals {
  std::uint64_t handled = 0, errors = 0, unbalanced = 0;
};

/// `count` reds and as many blues that know each other.
class walkers {
 public:
  walkers(perdure::system& system, std::uint32_t count) : system_{system}, count_{count} {
    for (unsigned e = 0; e < edges; ++e) {
      if (count % factor_of(e) == 0) {
        throw wrong_answer{
            fmt::format("route: {} actors of a type is a multiple of {}; give another --actors",
                        count, factor_of(e))};
      }
    }
    blues_ = system.spawn<blue>(count, [&](std::size_t i) { return placed<blue>(i, 0); }).value();
    reds_ = system.spawn<red>(count, [&](std::size_t i) { return placed<red>(i, blues_[0].bits); })
                .value();
    const std::vector<perdure::ref<blue>> to(blues_.begin(), blues_.end());
    const std::vector<greeting> greetings(count, greeting{reds_[0].bits});
    send_all<blue, greeting>(system_, to, greetings, "route");
    system.quiesce(60s).value();
  }

  /// Lets `tokens` tokens walk `hops` hops each. @return the seconds until all have come to rest.
  double walk(std::uint32_t tokens, std::uint32_t hops) {
    std::vector<perdure::ref<red>> to;
    std::vector<parcel> first;
    const std::uint64_t stamp = system_.now().bits;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const std::uint32_t walk = mix(++tokens_made_);
      to.push_back(reds_[walk % count_]);
      first.push_back(loaded<parcel>(token{walk, hops, 0, stamp, from_host}));
    }
    const auto from = steady::now();
    send_all<red, parcel>(system_, to, first, "route");
    system_.quiesce(120s).value();
    const double seconds = seconds_since(from);
    expected_ += static_cast<std::uint64_t>(tokens) * (static_cast<std::uint64_t>(hops) + 1);
    return seconds;
  }

  /// Reads all states and throws unless every message was handled, in order, with the clock going forward.
  nlohmann::json check() {
    std::vector<red> reds(count_);
    std::vector<blue> blues(count_);
    system_.view(reds_, std::span{reds}).value();
    system_.view(blues_, std::span{blues}).value();
    totals t;
    for (std::uint32_t i = 0; i < count_; ++i) {
      t.handled += reds[i].at.handled + blues[i].at.handled;
      t.errors += reds[i].at.errors + blues[i].at.errors;
      for (unsigned e = 0; e < edges; ++e) {
        t.unbalanced += reds[i].at.out[e] != blues[neighbour(e, i, count_)].at.in[e] ? 1 : 0;
        t.unbalanced += blues[i].at.out[e] != reds[neighbour(e, i, count_)].at.in[e] ? 1 : 0;
      }
    }
    if (t.handled != expected_ || t.errors != 0 || t.unbalanced != 0) {
      throw wrong_answer{fmt::format(
          "route: {} of {} messages handled, {} out of order, late or damaged, {} pairs unbalanced",
          t.handled, expected_, t.errors, t.unbalanced)};
    }
    return {{"handled", t.handled}, {"errors", t.errors}, {"unbalanced_pairs", t.unbalanced}};
  }

 private:
  template <class A>
  A placed(std::size_t i, std::uint64_t others) const {
    A a;
    a.at.others = others;
    a.at.index = static_cast<std::uint32_t>(i);
    a.at.count = count_;
    return a;
  }
  perdure::system& system_;
  std::uint32_t count_;
  perdure::range<blue> blues_;
  perdure::range<red> reds_;
  std::uint32_t tokens_made_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace

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
