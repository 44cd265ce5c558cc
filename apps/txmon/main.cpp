// apps/txmon/main.cpp - the program: reads, monitors, verifies, writes; or converts.
// Why: what a script needs to know (exit codes, files) is decided in one place.
// Invariant: without checkpoints, the files of a run appear only after all of them have been written in full.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench.hpp"
#include "binary_file.hpp"
#include "command_line.hpp"
#include "common/tell.hpp"
#include "common/validators.hpp"
#include "distinct_files.hpp"
#include "failure.hpp"
#include "report.hpp"
#include "session.hpp"
#include "tools/evidence/machine.hpp"

namespace {

using namespace txmon;
using clock = std::chrono::steady_clock;

volatile std::sig_atomic_t rules_changed = 0;
std::atomic<int> stop_signal{0};  // written by a signal's handler

void warn(const std::string& what) { apps::tell("txmon: {}", what); }

double ms_since(clock::time_point from) {
  return std::chrono::duration<double, std::milli>(clock::now() - from).count();
}

/// A line on stderr, at most one a second and none in the first two.
class progress {
 public:
  progress(bool quiet, std::uint64_t all) : quiet_{quiet}, all_{all} {}
  void operator()(std::uint64_t rows) {
    if (quiet_ || clock::now() < next_) return;
    next_ = clock::now() + std::chrono::seconds{1};
    const auto share =
        all_ > 0 ? fmt::format(" of {} ({:.0f} %)", all_,
                               100.0 * static_cast<double>(rows) / static_cast<double>(all_))
                 : "";
    apps::tell("txmon: {} transactions{}", rows, share);
  }

 private:
  bool quiet_;
  std::uint64_t all_;
  clock::time_point next_ = clock::now() + std::chrono::seconds{2};
};

/// Before the work, which would be lost: opens what will be written and takes it away again. Older files stay.
/// @throws failure naming the place
void expect_places(const arguments& a) {
  apps::expect_writable(std::filesystem::path{a.out} / "result.json");
  if (const auto copy = copy_path(a); !copy.empty()) apps::expect_writable(copy);
  if (!a.checkpoints.empty())
    apps::expect_writable(std::filesystem::path{a.checkpoints} / "checkpoint-0.bin");
}

void write_all(const arguments& a, const run_report& r, alert_store& store) {
  nlohmann::ordered_json all = to_json(r);
  all["commit"] = evidence::commit();
  all["date"] = evidence::date();
  all["host"] = evidence::host();
  if (r.figures.layout.backend == "cuda") all["gpu"] = evidence::device(system_options(a).device);
  const std::string summary = all.dump(2) + "\n";
  const std::filesystem::path out{a.out};
  output_file result{out / "result.json"};
  std::optional<output_file> copy;
  if (const auto path = copy_path(a); !path.empty()) copy.emplace(path);
  result.write(summary);
  if (copy) copy->write(summary);
  result.close();
  if (copy) copy->close();
  store.publish();
  result.commit();
  if (copy) copy->commit();
  if (a.json == "-") fmt::print("{}", summary);
}

session::settings settings_of(const arguments& a, const opened_input& in) {
  session::settings s;
  s.actors.system = system_options(a);
  s.actors.schedule = in.rules;
  s.actors.lanes = a.lanes;
  s.actors.speed = a.speed;
  s.reading.threads = a.threads;
  s.input = a.input.empty()  ? "--generate " + a.generate
            : a.input == "-" ? a.input
                             : std::filesystem::weakly_canonical(a.input).string();
  s.reading_as = in.reading;
  s.alerts = std::filesystem::weakly_canonical(alerts_path(a)).string();
  s.read_once = a.input == "-";
  s.lateness_ms = a.lateness_ms;
  s.ahead = {a.most_ahead_ms, a.lenient};
  s.idle_flush = std::chrono::milliseconds{a.idle_flush_ms};
  s.epoch_rows = a.epoch_rows;
  s.epoch_time = std::chrono::milliseconds{static_cast<std::int64_t>(a.epoch_seconds * 1000)};
  s.checkpoints = a.checkpoints;
  s.resume = a.resume;
  s.verify = a.verify;
  s.on_progress = progress{a.quiet, in.from->rows()};
  if (!a.quiet) s.on_skipped = [](const std::string& why) { warn("skipped: " + why); };
  s.on_refused = [](const std::string& why) {
    warn("the new rules are not taken, they change what has been judged: " + why);
  };
  s.on_accepted = [](std::optional<std::int64_t> from_ms) {
    warn(from_ms ? fmt::format("new rules in force from event time {} ms", *from_ms)
                 : "the rules were read again and say the same");
  };
  if (!a.rules_file.empty()) {
    s.new_schedule = [path = a.rules_file]() -> std::shared_ptr<const rule_schedule> {
      if (rules_changed == 0) return nullptr;
      rules_changed = 0;
      try {
        return std::make_shared<const rule_schedule>(rule_schedule::read(path));
      } catch (const std::exception& e) {  // whatever is wrong with a file, the monitor goes on
        warn(fmt::format("the new rules are not taken: {}", e.what()));
        return nullptr;
      }
    };
  }
  return s;
}

/// The first SIGTERM or SIGINT asks the session to end; a second one ends the program as ever.
void stop_on_signals() {
  for (const int each : {SIGTERM, SIGINT}) {
    struct sigaction was{}, on_stop{};
    on_stop.sa_handler = [](int number) { stop_signal = number; };
    on_stop.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    if (sigaction(each, nullptr, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaction(each, &on_stop, nullptr);
  }
}

/// Leaves at once: a thread may wait for rows that never come.
[[noreturn]] void stopped(const arguments& a, const std::string& wrong) {
  if (!wrong.empty()) {
    apps::tell("txmon: error: {}", wrong);
  } else if (a.checkpoints.empty()) {
    warn(fmt::format("stopped by signal {}: without --checkpoints nothing is stored",
                     int{stop_signal}));
  } else {
    warn(fmt::format("stopped by signal {}: the alerts until then are stored{}", int{stop_signal},
                     a.input == "-" ? "" : "; --resume goes on"));
  }
  std::fflush(nullptr);
  std::_Exit(wrong.empty() ? 128 + stop_signal : static_cast<int>(exit_code::failed));
}

void run(const arguments& a) {
  if (a.resume && a.input == "-")
    throw failure{
        "--resume: standard input cannot be read again; what it gave until then is judged and stored. Begin anew, "
        "with what follows, in another folder for --checkpoints and with other --alerts",
        exit_code::usage};
  if (a.verify && a.resume)
    throw failure{"--verify needs the whole input: not together with --resume", exit_code::usage};
  if (!a.rules_file.empty()) {
    struct sigaction on_change{};
    on_change.sa_handler = [](int) { rules_changed = 1; };
    on_change.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &on_change, nullptr);
  }
  expect_distinct_files(a, false);
  const auto begin = clock::now();
  const opened_input in = open_input(a);
  run_report r;
  r.input = a.input.empty() ? "--generate " + a.generate : a.input;
  r.alerts_path = alerts_path(a);
  const checkpoint_folder checkpoints{a.checkpoints};
  if (a.resume) {
    checkpoints.expect_resumable(r.alerts_path);
  } else if (!a.checkpoints.empty()) {
    checkpoints.expect_unused();
  }
  expect_places(a);
  auto store = alert_store::open(r.alerts_path,
                                 a.checkpoints.empty() ? store_mode::whole
                                 : a.resume            ? store_mode::resumed
                                                       : store_mode::growing,
                                 warn);
  auto settings = settings_of(a, in);
  settings.stop_asked = [] { return stop_signal != 0; };
  settings.on_stopped = [&](const std::string& wrong) {
    store.reset();  // what grows is closed, what would have to be complete is removed
    stopped(a, wrong);
  };
  session s{std::move(settings), *in.from, *store};
  r.start_ms = ms_since(begin);
  const auto streaming = clock::now();
  stop_on_signals();
  s.run();
  r.stream_ms = ms_since(streaming);
  r.counts = s.counts().counts();
  r.figures = s.figures();
  if (r.counts.late > 0) {
    r.warnings.push_back(fmt::format(
        "{} of {} transactions came late, more than {} ms (--lateness) below the greatest time "
        "before them, and were judged by no rule; the greatest of all is {} ms",
        r.counts.late, r.counts.transactions, a.lateness_ms, s.greatest_ms()));
  }
  for (const auto& what : r.warnings) warn("warning: " + what);
  accounts& names = in.from->names();
  const auto states = s.accounts_now();
  r.accounts = states.size();
  for (std::uint32_t id = 0; id < states.size(); ++id)
    r.accounts_checksum += checksum_of(states[id], names.name_of(id));
  if (a.verify) {
    if (const auto difference = s.difference())
      throw failure{"actors and oracle differ: " + *difference, exit_code::different};
    r.verified = true;
  }
  for (std::size_t v = 0; v < s.schedule().size(); ++v) r.rules.push_back(s.schedule().to_json(v));
  r.seed = a.seed;
  r.lateness_ms = a.lateness_ms;
  r.most_ahead_ms = a.most_ahead_ms;
  r.ingest_threads = a.threads;
  r.lanes = a.lanes;
  r.epochs = s.epochs();
  r.resumed = s.resumed();
  r.total_ms = ms_since(begin);
  write_all(a, r, *store);
  if (!a.quiet && a.json != "-") fmt::print("{}", to_text(r));
}

void convert(const arguments& a) {
  expect_distinct_files(a, true);
  const opened_input in = open_input(a);
  binary_writer out{a.to};
  progress shown{a.quiet, in.from->rows()};
  std::uint64_t skipped = 0;
  for (piece p; in.from->claim(p); p = {}) {
    block b;
    in.from->parse(p, b);
    out.add(b);
    skipped += b.skipped;
    shown(out.rows());
  }
  if (!a.rules_to.empty()) {
    output_file rules{a.rules_to};
    rules.write(in.generated_rules);
    rules.commit();
  }
  out.finish(in.from->names());
  fmt::print("{}: {} rows, {} accounts, {} lines skipped\n", a.to, out.rows(),
             in.from->names().size(), skipped);
}

}  // namespace

int main(int argc, char** argv) {
  apps::hold_standard_files();
  CLI::App app{"txmon: watches a stream of transactions with one actor an account"};
  arguments a;
  declare_source(app, a);
  declare_run(app, a);
  CLI::App* converting = app.add_subcommand("convert", "writes the input as a binary file");
  declare_convert(*converting, a);
  bench::bench_options measured;
  CLI::App* measuring =
      app.add_subcommand("bench", "measures the actors beside the same rules without them");
  bench::declare(*measuring, measured);
  app.require_subcommand(0, 1);
  for (CLI::App* each : {&app, converting, measuring}) apps::take_decimals_only(*each);
  for (int i = 0; i < argc; ++i) measured.command += (i == 0 ? "" : " ") + std::string{argv[i]};
  try {
    app.parse(argc, argv);
    for (const CLI::App* word : app.get_subcommands()) expect_nothing_before(*word, app);
    const bool source_given = *measuring || !a.input.empty() ||
                              app.count("--generate") + converting->count("--generate") > 0;
    if (!source_given) throw CLI::RequiredError("--input");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(exit_code::usage);
  }
  try {
    if (*measuring) {
      bench::run(measured);
    } else if (*converting) {
      convert(a);
    } else {
      run(a);
    }
    apps::expect_printed();
    return static_cast<int>(exit_code::done);
  } catch (const failure& e) {
    apps::tell("txmon: error: {}", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    apps::tell("txmon: error: {}", e.what());
    return static_cast<int>(exit_code::failed);
  }
}
