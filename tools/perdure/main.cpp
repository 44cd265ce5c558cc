// tools/perdure/main.cpp - the `perdure` program: what this machine offers, and what the actors do
// on it.
// Exit codes: 0 all well; 1 an error of the library or of a file; 2 a benchmark got a wrong answer;
// over 100 usage.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "all.hpp"
#include "benches.hpp"
#include "info.hpp"
#include "option_checks.hpp"
#include "perdure/result.hpp"
#include "report.hpp"

namespace {

/// To standard error; where that is closed or full nobody can be told.
void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

int run_bench(const bench::entry& one, const bench::bench_options& options,
              const std::string& json) {
  if (!json.empty()) bench::probe_json(json);
  nlohmann::json report = one.run(options);
  bench::finish_report(report);
  if (!json.empty()) bench::write_json(json, report);
  fmt::print("{}", bench::table(report));
  return 0;
}

int run_once(const bench::bench_options& options, bool embedded, const std::string& json) {
  if (!json.empty()) bench::probe_json(json);
  const nlohmann::json report = bench::start_once(options, embedded);
  if (!json.empty()) bench::write_json(json, report);
  return 0;
}

int run_info(const std::string& json) {
  const nlohmann::json facts = bench::machine_facts();
  if (!json.empty()) bench::write_json(json, facts);
  fmt::print("{}", bench::facts_text(facts));
  return 0;
}

/// "A subcommand is required" does not say which word was taken for none.
/// @throws CLI::ParseError  if the word is there, is no option and names no command of `app`.
void check_command(const CLI::App& app, const std::vector<std::string>& words, std::size_t at) {
  if (at >= words.size() || words[at].starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->check_name(words[at])) return;
    names.push_back(sub->get_name());
  }
  throw CLI::ValidationError{fmt::format("'{}' is none of {}", words[at], fmt::join(names, ", "))};
}

/// The options that every benchmark has, but that what lasts a minute has no runs: its windows are samples.
void add_common(CLI::App& sub, bench::bench_options& options, bool has_runs = true) {
  static const std::map<std::string, perdure::backend> backends{
      {"auto", perdure::backend::automatic},
      {"cpu", perdure::backend::cpu},
      {"cuda", perdure::backend::cuda}};
  sub.add_option("--backend", options.backend, "auto, cpu or cuda")
      ->transform(CLI::CheckedTransformer(backends, CLI::ignore_case).description(""))
      ->type_name("NAME");
  sub.add_option("--workers", options.workers, "thread blocks or threads; 0: one an SM or core")
      ->check(CLI::Range(0U, 4096U));
  sub.add_option(
         "--lanes-each", options.lanes_each,
         "lanes a worker, on a GPU threads of its block, a multiple of 32; 0: the library's choice")
      ->check(CLI::Range(0U, 1024U));
  if (has_runs) {
    sub.add_option("--runs", options.runs, "runs; at least five for a figure to publish")
        ->check(CLI::Range(1U, 1000U))
        ->capture_default_str();
  }
  sub.add_option("--seconds", options.seconds, "about how long a run takes")
      ->check(bench::real_between(0.001, 600.0))
      ->default_str(has_runs ? fmt::format("{}", options.seconds) : "60");
  sub.add_option("--cache", options.cache, "folder of compiled programs")->type_name("DIR");
  sub.add_flag("!--no-baselines", options.baselines,
               "leave out what the figures are compared with");
}

/// Of those that have as many actors as they are told to.
void add_actors(CLI::App& sub, bench::bench_options& options) {
  sub.add_option("--actors", options.actors, "0: what suits the backend")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{0x7fffffffU}));
}

}  // namespace

int main(int count, char** words) {
  CLI::App app{"perdure: actors that live on the GPU"};
  app.require_subcommand(1);
  std::string json;
  bench::bench_options options;
  options.command.assign(words, words + count);
  bool once = false, embedded = false;
  int code = 0;

  auto* info =
      app.add_subcommand("info", "backends, devices, driver, NVRTC and cache of this machine");
  info->add_option("--json", json, "also write the facts to FILE")
      ->check(bench::not_empty())
      ->type_name("FILE");
  info->callback([&] { code = run_info(json); });

  auto* bench_words = app.add_subcommand("bench", "measure, with every answer checked");
  bench_words->require_subcommand(1);
  for (const bench::entry& one : bench::benches()) {
    auto* sub = bench_words->add_subcommand(one.name, one.help);
    sub->add_option("--json", json, "also write the report, raw samples included, to FILE")
        ->check(bench::not_empty())
        ->type_name("FILE");
    add_common(*sub, options, !one.lasts);
    if (one.sized) add_actors(*sub, options);
    if (one.own_options != nullptr) one.own_options(*sub, options);
    if (one.run == bench::start) {
      sub->add_flag("--once", once, "one start, in this process")->group("");
      sub->add_flag("--embedded", embedded, "of --once: with the code that is embedded")->group("");
    }
    sub->callback([&, chosen = &one, sub] {
      if (chosen->lasts) options.runs = 1;
      if (chosen->lasts && sub->count("--seconds") == 0) options.seconds = 60;
      code = once ? run_once(options, embedded, json) : run_bench(*chosen, options, json);
    });
  }

  bench::all_options everything;
  auto* all = bench_words->add_subcommand(
      "all", "every benchmark, each in a process of its own; a failure does not stop the rest");
  add_common(*all, options);
  all->add_option("--out", everything.out, "folder of the reports; bench-DATE unless named")
      ->type_name("DIR");
  all->add_option("--only", everything.only, "of these only, such as route,route_hot,hop")
      ->delimiter(',')
      ->type_name("NAMES");
  all->add_option("--sustain", everything.sustain_seconds, "seconds of what is about lasting")
      ->check(bench::real_between(0.001, 3600.0))
      ->capture_default_str();
  all->add_option("--savina-scale", everything.savina_scale, "times Savina's number of messages")
      ->check(bench::real_between(1e-6, 1e3))
      ->capture_default_str();
  all->add_option("--limit", everything.limit_seconds,
                  "seconds that a benchmark may take beyond what it is told to last")
      ->check(bench::real_between(1.0, 3600.0))
      ->capture_default_str();
  all->callback([&] { code = bench::run_all(options, everything) == 0 ? 0 : 1; });

  try {
    check_command(app, options.command, 1);
    if (options.command.size() > 1 && options.command[1] == "bench")
      check_command(*bench_words, options.command, 2);
    app.parse(count, words);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const bench::wrong_answer& e) {
    tell(fmt::format("perdure: wrong answer: {}\n", e.what()));
    return 2;
  } catch (const std::exception& e) {  // perdure::bad_result says its code, context and advice
    tell(fmt::format("perdure: {}\n", e.what()));
    return 1;
  }
  // a pipe that is full, or a device: what was to be read there is lost
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    tell("perdure: cannot write to standard output\n");
    return 1;
  }
  return code;
}
