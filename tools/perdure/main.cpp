// tools/perdure/main.cpp - the `perdure` program: what this machine offers, and what the actors do on it.
// Exit codes: 0 all well; 1 an error of the library or of a file; 2 a benchmark got a wrong answer; over 100 usage.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "bench.hpp"
#include "info.hpp"
#include "perdure/result.hpp"
#include "report.hpp"

namespace {

using benchmark = nlohmann::json (*)(const bench::bench_options&);

int run_bench(benchmark run, const bench::bench_options& options, const std::string& json) {
  const nlohmann::json report = run(options);
  if (!json.empty()) bench::write_json(json, report);
  fmt::print("{}", bench::table(report));
  return 0;
}

int run_once(const bench::bench_options& options, const std::string& json) {
  const nlohmann::json report = bench::start_once(options);
  if (!json.empty()) bench::write_json(json, report);
  return 0;
}

int run_info(const std::string& json) {
  const nlohmann::json facts = bench::machine_facts();
  if (!json.empty()) bench::write_json(json, facts);
  fmt::print("{}", bench::facts_text(facts));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  CLI::App app{"perdure: actors that live on the GPU"};
  app.require_subcommand(1);
  std::string json;
  bench::bench_options options;
  options.command.assign(words, words + count);
  const std::map<std::string, perdure::backend> backends{{"auto", perdure::backend::automatic},
                                                         {"cpu", perdure::backend::cpu},
                                                         {"cuda", perdure::backend::cuda}};
  int code = 0;

  auto* info =
      app.add_subcommand("info", "backends, devices, driver, NVRTC and cache of this machine");
  info->add_option("--json", json, "also write the facts to FILE")->type_name("FILE");
  info->callback([&] { code = run_info(json); });

  auto* all = app.add_subcommand("bench", "measure, with every answer checked");
  all->require_subcommand(1);
  auto add = [&](const char* name, const char* what, benchmark run) {
    auto* sub = all->add_subcommand(name, what);
    sub->add_option("--json", json, "also write the report, raw samples included, to FILE")
        ->type_name("FILE");
    sub->add_option("--backend", options.backend, "auto, cpu or cuda")
        ->transform(CLI::CheckedTransformer(backends, CLI::ignore_case).description(""))
        ->type_name("NAME");
    sub->add_option("--workers", options.workers, "thread blocks or threads; 0: one an SM or core")
        ->check(CLI::Range(0U, 65536U));
    sub->add_option("--actors", options.actors, "0: what suits the backend");
    sub->add_option("--runs", options.runs, "runs; at least five for a figure to publish")
        ->check(CLI::Range(1U, 1000U))
        ->capture_default_str();
    sub->add_option("--seconds", options.seconds, "about how long a run takes")
        ->check(CLI::Range(0.001, 600.0))
        ->capture_default_str();
    sub->add_option("--cache", options.cache, "folder of compiled programs")->type_name("DIR");
    sub->add_flag("!--no-baselines", options.baselines,
                  "leave out what the figures are compared with");
    sub->callback([&, run] { code = run_bench(run, options, json); });
    return sub;
  };
  add("rtt", "host -> actor -> host: one ask at a time", bench::rtt);
  add("inject", "one host thread sends to counting actors", bench::inject);
  add("route", "tokens walk at random among many actors", bench::route)
      ->add_option("--tokens", options.tokens, "tokens under way at once; 0: 1,024 a worker");
  bench::add_savina_options(*add("savina", "programs of the Savina suite", bench::savina),
                            options.savina);
  bench::add_graph_options(
      *add("graph", "chains of small steps: actors, CUDA graphs, launches", bench::graph),
      options.graph);
  auto* start = add("start", "from start() to the first reply, cold and warm", bench::start);
  bool once = false;
  start->add_flag("--once", once, "one start, in this process")->group("");
  start->callback(
      [&] { code = once ? run_once(options, json) : run_bench(bench::start, options, json); });

  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const bench::wrong_answer& e) {
    fmt::print(stderr, "perdure: wrong answer: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {  // perdure::bad_result says its code, context and advice
    fmt::print(stderr, "perdure: {}\n", e.what());
    return 1;
  }
  return code;
}
