// tools/perdure/caf/main.cpp - `perdure-bench-caf`: the Savina programs by CAF with one number of
// threads, as JSON.
// Why a program of its own: CAF's threads and perdure's must not share a process, and CAF may be
// missing.
// Exit codes: 0 all well; 1 an error; 2 a wrong answer; over 100 usage. Standard output is one JSON
// array.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <caf/all.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runs.hpp"
#include "savina_rules.hpp"

namespace {

struct wish {
  std::vector<std::string> programs;
  std::uint32_t threads = 1, runs = 5, pairs = 1'024, members = 0;
  std::optional<std::uint32_t> burst, window;
  double scale = 1;

  std::uint32_t scaled(std::uint32_t count) const {
    return static_cast<std::uint32_t>(std::clamp(count * scale, 1.0, 4e9));
  }
};

/// A way to run a program. Where work is given out, both all at once (as Savina has it) and paced,
/// as perdure does it.
struct way {
  std::string name, variant;
  std::uint64_t messages;
  std::function<double(caf::actor_system&)> once;
};

std::vector<way> ways_of(const std::string& name, const wish& w) {
  namespace s = savina_caf;
  if (name == "ping_pong" || name == "ping_pong_pairs") {
    const bool many = name != "ping_pong";
    const std::uint32_t pairs = many ? w.pairs : 1,
                        pings = w.scaled(many ? savina::many_pings : savina::default_pings);
    return {{name, "plain", std::uint64_t{2} * pairs * pings,
             [=](caf::actor_system& in) { return s::ping_pong(in, pairs, pings); }}};
  }
  if (name == "count") {
    const std::uint32_t n = w.scaled(savina::default_increments),
                        burst = w.burst.value_or(savina::count_burst),
                        window = w.window.value_or(savina::count_window);
    return {{name, "at_once", std::uint64_t{n} + 2,
             [=](caf::actor_system& in) { return s::count(in, n, n, 1); }},
            {name, "paced", std::uint64_t{n} + 2,
             [=](caf::actor_system& in) { return s::count(in, n, burst, window); }}};
  }
  if (name == "big") {
    const std::uint32_t members = w.members != 0 ? w.members : savina::big_members,
                        pings = w.scaled(savina::default_big_pings);
    return {{name, "plain", std::uint64_t{2} * members * pings,
             [=](caf::actor_system& in) { return s::big(in, members, pings); }}};
  }
  if (name == "thread_ring") {
    const std::uint32_t hops = w.scaled(savina::default_hops);
    return {{name, "plain", hops, [=](caf::actor_system& in) { return s::thread_ring(in, hops); }}};
  }
  const std::uint32_t n = w.scaled(savina::default_transfers),
                      under_way = w.burst.value_or(savina::bank_burst) *
                                  w.window.value_or(savina::bank_window);
  return {{name, "at_once", std::uint64_t{4} * n,
           [=](caf::actor_system& in) { return s::banking(in, n, n); }},
          {name, "paced", std::uint64_t{4} * n,
           [=](caf::actor_system& in) { return s::banking(in, n, under_way); }}};
}

nlohmann::json measured(const way& one, const wish& w) {
  caf::actor_system_config config;
  config.set("scheduler.max-threads", w.threads);
  caf::actor_system system{config};
  one.once(system);  // warm-up
  std::vector<double> seconds;
  seconds.reserve(w.runs);
  for (std::uint32_t run = 0; run < w.runs; ++run) seconds.push_back(one.once(system));
  return {{"name", one.name},          {"variant", one.variant}, {"threads", w.threads},
          {"messages", one.messages},  {"seconds", seconds},     {"checked", true},
          {"caf_version", CAF_VERSION}};
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> all{"ping_pong", "ping_pong_pairs", "count",
                                     "big",       "thread_ring",     "banking"};
  wish w;
  CLI::App app{"the Savina programs by CAF"};
  app.add_option("--programs", w.programs)->check(CLI::IsMember(all));
  app.add_option("--threads", w.threads)->check(CLI::Range(1U, 1024U));
  app.add_option("--runs", w.runs)->check(CLI::Range(1U, 1000U));
  app.add_option("--scale", w.scale)->check(CLI::Range(1e-6, 1e3));
  app.add_option("--pairs", w.pairs)->check(CLI::Range(1U, 1'000'000U));
  app.add_option("--members", w.members)->check(CLI::Range(0U, 1'000'000U));
  app.add_option("--burst", w.burst)->check(CLI::Range(1U, 1024U));
  app.add_option("--window", w.window)->check(CLI::Range(1U, 256U));
  CLI11_PARSE(app, count, words);
  try {
    nlohmann::json entries = nlohmann::json::array();
    for (const std::string& name : w.programs.empty() ? all : w.programs) {
      for (const way& one : ways_of(name, w)) entries.push_back(measured(one, w));
    }
    std::printf("%s\n", entries.dump(2).c_str());
  } catch (const savina_caf::wrong_answer& e) {
    std::fprintf(stderr, "perdure-bench-caf: wrong answer: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "perdure-bench-caf: %s\n", e.what());
    return 1;
  }
  return 0;
}
