// tools/perdure/bench_savina.cpp - the Savina programs, one after the other, then the same by CAF.
// Those that share their actors' header share a system.
// Start of a run: before the host sends what starts it. End: the outcome is in the host's hands,
// out of its mailbox. Actors are spawned before, on both sides. Every run's answers are checked,
// and that nothing became a dead letter.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "baseline_caf.hpp"
#include "option_checks.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "savina_programs.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using outcome_box = perdure::mailbox<savina::outcome>;

/// Seconds of one run, checked.
double run_once(perdure::system& system, outcome_box& box, const savina_program& program) {
  std::array<perdure::letter<savina::outcome>, 1> letters;
  const auto before = system.statistics();
  const auto from = steady::now();
  program.begin();
  const std::size_t got = box.receive(letters, 120s).value();
  const double seconds = seconds_since(from);
  if (got == 0)
    throw perdure::bad_result{perdure::error{
        perdure::errc::timeout, fmt::format("{}: no outcome came in 120 s", program.name)}};
  system.quiesce(30s).value();
  const auto after = system.statistics();
  if (after.dead_total() != 0 || after.queued != 0 ||
      after.handled - before.handled < program.messages) {
    throw wrong_answer{fmt::format("{}: {} handled of {} at least, {} dead letters, {} queued",
                                   program.name, after.handled - before.handled, program.messages,
                                   after.dead_total(), after.queued)};
  }
  program.check(letters[0].body);
  return seconds;
}

/// Puts our figures beside CAF's: the better of Debian's here and of its main branch there.
nlohmann::json compared(const nlohmann::json& results, const nlohmann::json& caf,
                        const std::string& name, bool cuda) {
  const double ours = results.at(name + "_messages_per_s").at("median").get<double>();
  nlohmann::json row{{"ours_messages_per_s", ours}};
  double best = 0;
  if (caf.contains(name)) {
    best = caf.at(name).at("best").at("messages_per_s").at("median").get<double>();
    row["caf_here_messages_per_s"] = best;
    row["caf_here_threads"] = caf.at(name).at("best").at("threads");
    row["ratio_to_caf_here"] = ours / best;
  }
  row["caf_main_messages_per_s"] = caf_main_figure(name);
  // another host's figure says nothing about the cores that a CPU run had
  if (cuda && row.at("caf_main_messages_per_s").is_number())
    best = std::max(best, row.at("caf_main_messages_per_s").get<double>());
  if (best > 0) row["ratio_to_better"] = ours / best;
  return row;
}

}  // namespace

nlohmann::json savina(const bench_options& options) {
  savina_options wanted = options.savina;
  if (wanted.scale == 0) wanted.scale = std::min(1.0, options.seconds);
  const std::vector<std::string> names = wanted.programs.empty() ? savina_names() : wanted.programs;
  nlohmann::json report = begin_report("savina", options);
  report["config"]["scale"] = wanted.scale;
  report["config"]["apart"] = wanted.apart;
  report["config"]["rebalance"] = wanted.rebalance;
  nlohmann::json raw = nlohmann::json::array(), results;
  std::uint64_t outcomes = 0;
  perdure::options how = options.system();
  if (wanted.rebalance) how.placement = perdure::placement::counted;
  for (const perdure::program* actors :
       {&savina_count_actors::actors(), &savina_actors::actors()}) {
    const auto uses = [&](const std::string& name) { return &savina_actors_of(name) == actors; };
    if (std::none_of(names.begin(), names.end(), uses)) continue;
    auto system = perdure::system::start(*actors, how).value();
    if (report.contains("layout"))  // count's, which is the first
      report["count_system"] = {{"device_source_hash", report["device_source_hash"]},
                                {"cubin_hash", report["cubin_hash"]},
                                {"layout", report["layout"]}};
    add_system(report, system, *actors, 0);
    auto box = system.make_mailbox<savina::outcome>(64).value();
    for (const std::string& name : names) {
      if (!uses(name)) continue;
      const savina_program program = make_savina_program(name, system, box.ref(), wanted);
      run_once(system, box, program);  // warm-up
      if (wanted.rebalance)
        report["rebalanced"][name] = nlohmann::json::parse(system.rebalance(30s).value().json());
      std::vector<double> rate, took;
      for (std::uint32_t run = 0; run < options.runs; ++run) {
        const auto before = system.statistics();
        took.push_back(run_once(system, box, program));
        const auto after = system.statistics();
        rate.push_back(static_cast<double>(program.messages) / took.back());
        raw.push_back({{"program", name},
                       {"messages", program.messages},
                       {"seconds", took.back()},
                       {"handled", after.handled - before.handled},
                       {"spilled", after.spilled - before.spilled},
                       {"batches", after.batches - before.batches},
                       {"outbox_overflow", after.outbox_overflow - before.outbox_overflow}});
        ++outcomes;
      }
      results[name + "_messages_per_s"] = summary(rate);
      results[name + "_seconds"] = summary(took);
      report["config"][name] = program.parameters;
    }
    note_load(report);
    system.stop(5s).value();
  }
  report["answers"] = {{"outcomes", outcomes}, {"wrong", 0}, {"dead_letters", 0}};
  report["results"] = results;
  report["runs"] = std::move(raw);
  // After the loop and its host threads have gone: CAF has the cores for itself.
  const nlohmann::json caf = caf_baselines(options, wanted, names);
  const bool cuda = report.at("backend") == "cuda";
  nlohmann::json& baselines = report["baselines"];
  if (caf.contains("skipped")) baselines["caf"] = caf;
  for (const std::string& name : names) {
    if (caf.contains(name))
      baselines["caf_" + name + "_messages_per_s"] = caf.at(name).at("best").at("messages_per_s");
    const nlohmann::json main = caf_main_figure(name);
    if (options.baselines && cuda && main.is_number())
      baselines["caf_main_" + name + "_messages_per_s"] = summary({main.get<double>()});
    report["compared"][name] = compared(results, caf, name, cuda);
  }
  report["caf"] = caf;
  report["caf_main"] = {
      {"ping_pong", 3.0e6}, {"count", 1.8e6},
      {"big", 3.9e6},       {"mesh_of_1024", 7.7e6},
      {"threads", 16},      {"source", "hardware.md: CAF main, 16-vCPU x86 host, 2026-11-21"}};
  return report;
}

void add_savina_options(CLI::App& to, savina_options& o) {
  to.add_option("--programs", o.programs, "which ones; all unless given")
      ->check(CLI::IsMember(savina_names()));
  to.add_option("--scale", o.scale,
                "times Savina's number of messages; 1, or --seconds where that is less")
      ->check(real_between(1e-6, 1e3));
  to.add_option("--pairs", o.pairs, "of ping_pong_pairs")
      ->check(CLI::Range(1U, 1'000'000U))
      ->capture_default_str();
  to.add_option("--members", o.members, "actors of big; 0: Savina's 120")
      ->check(CLI::Range(0U, 1'000'000U))
      ->check([](const std::string& given) {
        return std::string{given == "1" ? "one member has nobody to send to; give 2 or more" : ""};
      });
  to.add_option("--burst", o.burst,
                "count, banking: messages that a handler sends at once; 1024 and 256 unless given")
      ->check(CLI::Range(1U, 1024U));
  to.add_option("--window", o.window, "count, banking: bursts under way; 8 unless given")
      ->check(CLI::Range(1U, 256U));
  to.add_flag("--apart", o.apart, "ping_pong, count: partners on neighbouring workers");
  to.add_flag("--rebalance", o.rebalance,
              "behind the warm-up run actors are moved to those that they talk to");
  to.add_option("--caf", o.caf, "the CAF program; beside this one unless given")->type_name("PATH");
  to.add_option("--caf-threads", o.caf_threads, "powers of two up to all cores unless given")
      ->check(CLI::Range(1U, 1024U));
  to.add_option("--caf-timeout", o.caf_timeout_s, "seconds for a run of the CAF program")
      ->check(real_between(1.0, 36'000.0))
      ->capture_default_str();
}

}  // namespace bench
