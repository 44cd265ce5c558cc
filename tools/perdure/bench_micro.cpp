// tools/perdure/bench_micro.cpp - small costs, each by itself: payloads among actors and from the host, a burst, now(),
// spawn, start and stop, barriers. Every part names its start and end; every answer is checked.
// SPDX-License-Identifier: Apache-2.0
#include "load_walks.hpp"
#include "made_actors.actors.hpp"
#include "micro_actors.actors.hpp"
#include "micro_parts.hpp"
#include "report.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

class parts {
 public:
  parts(perdure::system& system, const bench_options& options, std::uint32_t actors)
      : system_{system}, options_{options}, carriers_{system, actors} {}

  /// From ask() to the reply in hand, one at a time.
  template <class Load>
  void round_trip(nlohmann::json& results) {
    std::vector<double> p50, p99;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      std::vector<double> us;
      for (const auto begun = steady::now(); us.empty() || seconds_since(begun) < share();) {
        const std::uint32_t walk = carriers_.next_walk();
        Load question;
        fill(question, walk, 0);
        const auto from = steady::now();
        const Load got =
            system_.ask<Load>(carriers_[walk % carriers_.size()], question, 5s).value();
        us.push_back(seconds_since(from) * 1e6);
        if (word_at(got.halves, 0) != mix(walk) || !is_whole(got))
          throw wrong_answer{fmt::format("micro: an answer of {} bytes is wrong", sizeof(Load))};
        carriers_.expect(1);
      }
      p50.push_back(percentile(us, 50));
      p99.push_back(percentile(us, 99));
    }
    results[fmt::format("round_trip_{}_bytes_p50_us", sizeof(Load))] = summary(p50);
    results[fmt::format("round_trip_{}_bytes_p99_us", sizeof(Load))] = summary(p99);
  }

  /// Loads of this size walk at random.
  template <class Load>
  void rate(nlohmann::json& results, std::uint32_t tokens) {
    results[fmt::format("payload_{}_bytes_messages_per_s", sizeof(Load))] =
        carriers_.rates<Load>(tokens, options_.runs, share());
  }

  /// One host thread sends loads of this size, 256 at once; from the first send to all at rest.
  template <class Load>
  void from_host(nlohmann::json& results) {
    constexpr std::uint32_t at_once = 256;
    std::vector<perdure::ref<carrier>> to;
    std::vector<Load> loads(at_once);
    for (std::uint32_t i = 0; i < at_once; ++i) {
      to.push_back(carriers_[mix(i) % carriers_.size()]);
      fill(loads[i], i, 0);
    }
    std::vector<double> rates;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      std::uint64_t sent = 0;
      const auto from = steady::now();
      for (; sent == 0 || seconds_since(from) < share(); sent += at_once)
        send_all<carrier, Load>(system_, to, loads, "micro");
      system_.quiesce(60s).value();
      rates.push_back(static_cast<double>(sent) / seconds_since(from));
      carriers_.expect(sent);
    }
    results[fmt::format("from_host_{}_bytes_messages_per_s", sizeof(Load))] = summary(rates);
  }

  /// So many at once to actors that rest; from the first send to all at rest again.
  void burst(nlohmann::json& results, std::uint32_t messages) {
    std::vector<perdure::ref<carrier>> to;
    std::vector<load_38> loads;
    for (std::uint32_t i = 0; i < messages; ++i) {
      to.push_back(carriers_[i % carriers_.size()]);
      fill(loads.emplace_back(), i, 0);
    }
    std::vector<double> us;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      const auto from = steady::now();
      send_all<carrier, load_38>(system_, to, loads, "micro");
      system_.quiesce(30s).value();
      us.push_back(seconds_since(from) * 1e6);
      carriers_.expect(messages);
    }
    results[fmt::format("burst_{}_us", messages)] = summary(us);
  }

  /// What a call of now() takes: many in one handler, less a handler that makes none.
  void clock(nlohmann::json& results) {
    constexpr std::uint32_t times = 20'000;
    std::vector<double> ns;
    for (std::uint32_t run = 0; run < options_.runs; ++run) {
      double took[2];
      for (const bool many : {false, true}) {
        const read_clock question{many ? times : 0};
        const auto from = steady::now();
        const auto got = system_.ask<clock_read>(carriers_[0], question, 5s).value();
        took[many ? 1 : 0] = seconds_since(from);
        if (got.times != question.times || got.errors != 0)
          throw wrong_answer{fmt::format("micro: {} readings did not rise", got.errors)};
      }
      ns.push_back(std::max(0.0, (took[1] - took[0]) * 1e9 / times));
    }
    results["now_ns"] = summary(ns);
  }

  /// From spawn() to the references in hand, and that all have their states.
  void alloc(nlohmann::json& results, std::uint32_t count) {
    std::vector<double> ns;
    std::uint64_t made = 0;
    for (std::uint32_t run = 0; run < options_.runs; ++run, made += count) {
      const auto from = steady::now();
      const auto crumbs =
          system_.spawn<crumb>(count, [&](std::size_t i) { return crumb{{}, made + i, 0}; })
              .value();
      ns.push_back(seconds_since(from) * 1e9 / count);
      std::vector<crumb> states(count);
      system_.view(crumbs, std::span{states}).value();
      for (std::uint32_t i = 0; i < count; ++i) {
        if (states[i].number != made + i)
          throw wrong_answer{fmt::format("micro: actor {} has another's state", i)};
      }
    }
    results[fmt::format("spawn_{}_ns_an_actor", count)] = summary(ns);
  }

  nlohmann::json check() { return carriers_.check(); }

 private:
  double share() const { return options_.seconds / 8; }

  perdure::system& system_;
  const bench_options& options_;
  load_walks<carrier> carriers_;
};

std::uint32_t actors_of(const bench_options& options, const perdure::system& system) {
  if (options.actors != 0) return static_cast<std::uint32_t>(options.actors);
  return system.layout().backend == "cuda" ? 100'000 : 1'000;
}
perdure::options with_buffers(const bench_options& options) {
  perdure::options how = options.system();
  if (options.backend != perdure::backend::cpu) how.buffer_slots = 1U << 15U;
  return how;
}

/// Among actors that make the long ones where these will lie.
nlohmann::json made_in_place(nlohmann::json& results, const bench_options& options) {
  auto system = perdure::system::start(made_actors::actors(), with_buffers(options)).value();
  load_walks<maker> all{system, actors_of(options, system)};
  const std::uint32_t workers = system.layout().workers;
  const auto rate = [&]<class Load>(const Load*, std::uint32_t tokens) {
    results[fmt::format("payload_{}_bytes_in_place_messages_per_s", sizeof(Load))] =
        all.rates<Load>(tokens, options.runs, options.seconds / 8);
  };
  rate(static_cast<const load_38*>(nullptr), workers * 512);
  rate(static_cast<const load_1024*>(nullptr), workers * 64);
  rate(static_cast<const load_4096*>(nullptr), workers * 64);
  nlohmann::json answers = all.check();
  system.stop(5s).value();
  return answers;
}

/// From start() to the first reply and from stop() to its return, code cached by an earlier start.
void start_and_stop(nlohmann::json& results, const bench_options& options) {
  std::vector<double> start_ms, stop_ms;
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    const auto from = steady::now();
    auto system = perdure::system::start(micro_actors::actors(), options.system()).value();
    auto one = system.spawn<carrier>(1).value();
    system.ask<clock_read>(one[0], read_clock{1}, 10s).value();
    start_ms.push_back(seconds_since(from) * 1e3);
    const auto stopping = steady::now();
    system.stop(5s).value();
    stop_ms.push_back(seconds_since(stopping) * 1e3);
  }
  results["start_again_ms"] = summary(start_ms);
  results["stop_ms"] = summary(stop_ms);
}

}  // namespace

nlohmann::json micro(const bench_options& options) {
  nlohmann::json report = begin_report("micro", options);
  nlohmann::json results = nlohmann::json::object();
  {
    auto system = perdure::system::start(micro_actors::actors(), with_buffers(options)).value();
    add_system(report, system, micro_actors::actors(), 0);
    const bool cuda = system.layout().backend == "cuda";
    const std::uint32_t workers = system.layout().workers;
    parts all{system, options, actors_of(options, system)};
    all.round_trip<load_38>(results);
    all.round_trip<load_60>(results);
    all.round_trip<load_240>(results);
    all.burst(results, 1'000);
    all.burst(results, cuda ? 100'000 : 10'000);
    all.clock(results);
    all.rate<load_38>(results, workers * 512);
    all.rate<load_240>(results, workers * 512);
    // a buffer each, and one more while a handler fills the next
    all.rate<load_1024>(results, workers * 64);
    all.rate<load_4096>(results, workers * 64);
    all.from_host<load_38>(results);
    all.from_host<load_240>(results);
    all.from_host<load_1024>(results);
    all.from_host<load_4096>(results);
    all.alloc(results, 1'000);
    all.alloc(results, cuda ? 1'000'000 : 10'000);
    note_load(report);
    report["answers"] = all.check();
    system.stop(5s).value();
  }
  report["answers"]["made_in_place"] = made_in_place(results, options);
  start_and_stop(results, options);
  report["results"] = std::move(results);
  report["runs"] = nlohmann::json::array();
  add_barriers(report, options);
  return report;
}

}  // namespace bench
