// apps/txmon/bench/bench.cpp - see bench.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "capacity.hpp"
#include "latency.hpp"
#include "resident.hpp"
#include "throughput.hpp"
#include "common/output_file.hpp"
#include "common/validators.hpp"
#include "failure.hpp"
#include "tools/evidence/machine.hpp"
#include "tools/perdure/statistics.hpp"

namespace txmon::bench {
namespace {

using json = nlohmann::ordered_json;

void show(const std::string& what, const json& one) {
  if (!one.is_object() || !one.contains("transactions_per_s")) return;
  const json& rate = one["transactions_per_s"];
  if (rate.is_number()) {
    fmt::print("{:28} {:10.4g} transactions/s, one run\n", what, rate.get<double>());
    return;
  }
  fmt::print("{:28} {:10.4g} transactions/s  spread {:.0f} %\n", what, rate["median"].get<double>(),
             rate["spread"].get<double>() * 100);
}

void show(const json& results) {
  for (const auto& [name, one] : results.items()) {
    for (const auto& [who, figures] : one.items()) show(fmt::format("{}, {}", name, who), figures);
    if (one.contains("p50_us")) {
      fmt::print("{:28} p50 {:.1f} us, p99 {:.1f} us at {:.3g} transactions/s\n", name,
                 one["p50_us"]["median"].get<double>(), one["p99_us"]["median"].get<double>(),
                 one["load_per_s"].get<double>());
    }
    if (one.contains("make_s")) {
      fmt::print("{:28} {} accounts made in {:.2f} s\n", name,
                 one["stream"]["accounts"].get<std::uint64_t>(), one["make_s"].get<double>());
    }
  }
}

/// Each baseline beside the actors, with an interval: how many times their rate is the actors'.
void compare(json& one) {
  if (!one.contains("actors")) return;
  const std::vector<double> mine = one["actors"]["transactions_per_s"]["samples"];
  for (const char* who : {"single_thread", "cuda_batch"}) {
    if (!one.contains(who)) continue;
    const std::vector<double> other = one[who]["transactions_per_s"]["samples"];
    one["actors_beside"][who] = ::bench::compare(mine, other, true);
  }
}

}  // namespace

perdure::options bench_options::system(std::uint64_t with_accounts) const {
  perdure::options o;
  o.backend = backend == "cpu"    ? perdure::backend::cpu
              : backend == "cuda" ? perdure::backend::cuda
                                  : perdure::backend::automatic;
  o.seed = seed;
  o.workers = workers;
  o.lanes = lanes_each;
  o.inbox_slots = inbox_slots;
  o.host_slots = host_slots;
  o.host_lanes = std::max(8U, threads + 1);    // one a sender, one for the thread that measures
  constexpr std::uint64_t header = 8;          // of a slot, docs/adr/004
  constexpr std::uint64_t beside = 1U << 30U;  // makers, chunks that are not full
  o.memory_bytes = with_accounts * (monitor::state_bytes() + header) + beside;
  return o;
}

monitor::settings bench_options::actors(std::uint64_t with_accounts) const {
  monitor::settings s;
  s.system = system(with_accounts);
  s.lanes = threads;
  return s;
}

void declare(CLI::App& app, bench_options& o) {
  app.add_option("--accounts", o.accounts)
      ->check(CLI::Range(64U, 500'000'000U))
      ->capture_default_str();
  app.add_option("--transactions", o.transactions, "a run")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--runs", o.runs)->check(CLI::Range(1U, 1000U))->capture_default_str();
  app.add_option("--threads", o.threads, "that send to the accounts")
      ->check(CLI::Range(1U, 60U))
      ->capture_default_str();
  app.add_option("--readers", o.readers, "threads that take transactions from memory")
      ->check(CLI::Range(1U, 60U))
      ->capture_default_str();
  app.add_option("--load", o.load,
                 "transactions a second of latency; without it a tenth of what even takes")
      ->check(CLI::Range(1.0, 1e9));
  app.add_option("--workers", o.workers, "thread blocks or threads; 0: one an SM or core");
  app.add_option("--lanes-each", o.lanes_each, "threads of a thread block; 0: choose");
  app.add_option("--inbox-slots", o.inbox_slots);
  app.add_option(
      "--host-slots", o.host_slots,
      "of a worker's ring to the host; its rings of all lanes have some eight times as many");
  app.add_option("--seed", o.seed)->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--backend", o.backend)
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--only", o.only,
                 "of even, zipf, one, latency, resident, capacity; without it all but capacity")
      ->check(CLI::IsMember({"even", "zipf", "one", "latency", "resident", "capacity"}))
      ->delimiter(',');
  app.add_flag("!--no-baselines", o.baselines, "only the actors");
  app.add_option("--json", o.json, "write the report to this file")->check(apps::is_path);
}

void run(bench_options o) {
  if (o.only.empty()) o.only = {"even", "zipf", "one", "latency", "resident"};
  const auto wanted = [&](const char* name) {
    return std::find(o.only.begin(), o.only.end(), name) != o.only.end();
  };
  json report{{"txmon_bench", 1},
              {"commit", evidence::commit()},
              {"command", o.command},
              {"date", evidence::date()},
              {"host", evidence::host()},
              {"accounts", o.accounts},
              {"transactions", o.transactions},
              {"runs", o.runs},
              {"threads", o.threads},
              {"readers", o.readers},
              {"seed", o.seed},
              {"answers", "all alerts and all states of every run equal to the oracle's"}};
  json& results = report["results"] = json::object();
  const auto done = [&](const char* name, json one) {
    compare(one);
    show(json{{name, one}});
    std::fflush(stdout);
    results[name] = std::move(one);
  };
  const bool tenth = wanted("latency") && o.load == 0;
  if (wanted("even") || tenth) done("even", throughput(o, draw::even));
  if (wanted("latency"))
    done("latency", latency(o, tenth ? rate_of(results["even"]) / 10 : o.load));
  if (wanted("zipf")) done("zipf", throughput(o, draw::zipf));
  if (wanted("one")) done("one", throughput(o, draw::one));
  if (wanted("resident")) done("resident", resident(o));
  if (wanted("capacity")) done("capacity", capacity(o));
  for (const auto& [name, one] : results.items()) {
    const json& who = one.contains("actors") ? one["actors"] : one;
    if (who.value("backend", "cpu") == "cuda") report["device"] = evidence::device(0);
  }
  if (o.json.empty()) return;
  output_file file{o.json};
  file.write(report.dump(1) + "\n");
  file.commit();
}

}  // namespace txmon::bench
