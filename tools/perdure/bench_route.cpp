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
#include "samples.hpp"

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
    send_all<blue, greeting>(to, greetings);
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
    send_all<red, parcel>(to, first);
    system_.quiesce(120s).value();
    const double seconds = seconds_since(from);
    expected_ += static_cast<std::uint64_t>(tokens) * (static_cast<std::uint64_t>(hops) + 1);
    return seconds;
  }

  /// Reads all states and throws unless every message was handled, in order, with the clock going forward.
  totals check() {
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
    return t;
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
  template <class A, class M>
  void send_all(const std::vector<perdure::ref<A>>& to, const std::vector<M>& messages) {
    for (std::size_t at = 0; at < to.size();) {
      const std::size_t sent =
          system_.send_many<A, M>(std::span{to}.subspan(at), std::span{messages}.subspan(at))
              .value();
      if (sent == 0)
        throw perdure::bad_result{perdure::error{perdure::errc::inbox_full,
                                                 "route: nothing was taken within send_timeout"}};
      at += sent;
    }
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
  nlohmann::json report = begin_report("route", options);
  route_shape shape;
  {
    auto system = perdure::system::start(bench_actors::actors(), options.system()).value();
    add_system(report, system, bench_actors::actors(), 0);
    const auto layout = system.layout();
    const bool cuda = layout.backend == "cuda";
    const std::uint64_t actors = options.actors != 0 ? options.actors : cuda ? 1'000'000 : 10'000;
    if (actors < 2 || actors > 0x7fffffffU) {
      throw perdure::bad_result{
          perdure::error{perdure::errc::bad_option,
                         fmt::format("--actors {} is not within 2..2147483647", actors)}};
    }
    const std::uint32_t tokens = options.tokens != 0 ? options.tokens : layout.workers * 1024;
    walkers all{system, static_cast<std::uint32_t>(actors / 2)};

    // Warm-up, and how many hops make a run of the wanted length.
    std::uint32_t hops = 20;
    double took = all.walk(tokens, hops);
    while (took < std::min(0.1, options.seconds) && hops < (1U << 30U))
      took = all.walk(tokens, hops *= 4);
    hops = static_cast<std::uint32_t>(std::max(1.0, hops * options.seconds / took));

    std::vector<double> rate;
    nlohmann::json raw = nlohmann::json::array();
    totals checked;
    for (std::uint32_t run = 0; run < options.runs; ++run) {
      const auto before = system.statistics();
      const double seconds = all.walk(tokens, hops);
      const auto after = system.statistics();
      const double messages = static_cast<double>(tokens) * (static_cast<double>(hops) + 1);
      rate.push_back(messages / seconds);
      raw.push_back({{"messages", messages},
                     {"seconds", seconds},
                     {"batches", after.batches - before.batches},
                     {"rounds", after.rounds - before.rounds},
                     {"spilled", after.spilled - before.spilled},
                     {"outbox_overflow", after.outbox_overflow - before.outbox_overflow},
                     {"wraps", after.wraps - before.wraps}});
      checked = all.check();
    }
    report["config"]["actors"] = actors;
    report["config"]["tokens"] = tokens;
    report["config"]["hops"] = hops;
    report["config"]["payload_bytes"] = {
        {"parcel", sizeof(parcel)}, {"express", sizeof(express)}, {"slip", sizeof(slip)}};
    report["config"]["shares"] = {{"parcel", 0.75}, {"express", 0.1875}, {"slip", 0.0625}};
    // the states of a chunk's slots lie in the arena, and one pointer a chunk in a table
    const auto slot = perdure::abi::slot_stride(sizeof(red), alignof(red));
    report["memory"] = {{"state_bytes", sizeof(red)},
                        {"slot_bytes", slot},
                        {"table_bytes_a_slot", 8.0 / perdure::abi::chunk_slots / layout.workers}};
    report["results"] = {{"messages_per_s", summary(rate)}};
    report["runs"] = std::move(raw);
    const auto stats = system.statistics();
    report["answers"] = {{"handled", checked.handled},
                         {"errors", checked.errors},
                         {"unbalanced_pairs", checked.unbalanced},
                         {"dead_letters", stats.dead_total()}};
    if (stats.dead_total() != 0)
      throw wrong_answer{fmt::format("route: {} dead letters", stats.dead_total())};
    shape = {cuda, static_cast<std::uint32_t>(actors), tokens, options.runs, options.seconds};
    system.stop(5s).value();
  }
  report["baselines"] =
      route_baselines(options, shape);  // after the loop has gone: it wants the whole device
  return report;
}

}  // namespace bench
