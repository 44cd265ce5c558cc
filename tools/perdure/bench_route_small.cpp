// tools/perdure/bench_route_small.cpp - route with 8 bytes of payload, one type of actor, 32 bytes
// of state. Start and end as in bench_route.cpp. Checked: each message by its receiver (it is where
// its walk says), every count and sum over all actors after each run, and every actor's own count
// and sum against the host's replay of the first walks.
// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "route_runs.hpp"
#include "send_all.hpp"
#include "small_actors.actors.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

class pebbles {
 public:
  pebbles(perdure::system& system, std::uint32_t count) : system_{system}, count_{count} {
    actors_ = system
                  .spawn<pebble>(count,
                                 [&](std::size_t i) {
                                   pebble p;
                                   p.index = static_cast<std::uint32_t>(i);
                                   p.count = count;
                                   return p;
                                 })
                  .value();
  }

  /// Lets `tokens` tokens walk `hops` hops each. @return the seconds until all have come to rest.
  double walk(std::uint32_t tokens, std::uint32_t hops) {
    std::vector<perdure::ref<pebble>> to;
    std::vector<chip> first;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const chip c{mix(++tokens_made_), hops};
      to.push_back(actors_[stop_of(c.walk, count_)]);
      first.push_back(c);
      sent_by_host_ += worth_of(c);
    }
    if (replayed_.empty()) replay(first);
    const auto from = steady::now();
    send_all<pebble, chip>(system_, to, first, "route");
    system_.quiesce(120s).value();
    const double seconds = seconds_since(from);
    expected_ += static_cast<std::uint64_t>(tokens) * (static_cast<std::uint64_t>(hops) + 1);
    ++walks_;
    return seconds;
  }

  nlohmann::json check() const {
    std::vector<pebble> states(count_);
    system_.view(actors_, std::span{states}).value();
    std::uint64_t handled = 0, errors = 0, unlike = 0;
    std::uint32_t received = 0, sent = sent_by_host_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const pebble& p = states[i];
      handled += p.handled;
      errors += p.errors;
      received += p.received;
      sent += p.sent;
      const replay_of& r = replayed_[i];
      unlike += walks_ == 1 && (p.handled != r.handled || p.received != r.received) ? 1 : 0;
    }
    if (static_cast<std::uint32_t>(expected_) != static_cast<std::uint32_t>(handled) ||
        errors != 0 || sent != received || unlike != 0) {
      throw wrong_answer{fmt::format(
          "route: {} of {} messages handled, {} astray or late, {:#x} sent and {:#x} received, {} "
          "actors unlike the replay",
          handled, expected_, errors, sent, received, unlike)};
    }
    return {{"handled", handled},
            {"errors", errors},
            {"checksum", received},
            {"actors_unlike_replay", unlike}};
  }

 private:
  struct replay_of {
    std::uint32_t handled = 0, received = 0;
  };
  /// Walks the first tokens here; what actors must hold afterwards does not depend on the order.
  void replay(const std::vector<chip>& first) {
    replayed_.resize(count_);
    for (chip c : first) {
      for (;; c = next_of(c)) {
        replay_of& at = replayed_[stop_of(c.walk, count_)];
        ++at.handled;
        at.received += worth_of(c);
        if (c.left == 0) break;
      }
    }
  }

  perdure::system& system_;
  std::uint32_t count_;
  perdure::range<pebble> actors_;
  std::vector<replay_of> replayed_;
  std::uint32_t tokens_made_ = 0, sent_by_host_ = 0, walks_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace

nlohmann::json route_small(const bench_options& options) {
  nlohmann::json report = begin_report("route", options);
  route_shape shape;
  {
    auto system = perdure::system::start(small_actors::actors(), options.system()).value();
    add_system(report, system, small_actors::actors(), 0);
    shape = shape_of(options, system.layout(), 8);
    pebbles all{system, shape.actors};
    run_walks(report, options, system, all, shape.tokens);
    report["config"]["payload_bytes"] = sizeof(chip);
    add_memory<pebble>(report, shape, system.layout().workers);
    system.stop(5s).value();
  }
  report["baselines"] = route_baselines(options, shape);
  return report;
}

}  // namespace bench
