// apps/wavesim3d/main.cpp - the command line: reads a scene, steps it, writes pictures, traces and a summary.
// Invariant: the scene is wholly checked before anything runs; each file appears whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/failure.hpp"
#include "common/output_file.hpp"
#include "common/tell.hpp"
#include "common/validators.hpp"
#include "checkpoint.hpp"
#include "live_view.hpp"
#include "outputs.hpp"
#include "places.hpp"
#include "report.hpp"
#include "scene.hpp"
#include "simulation.hpp"

namespace {

using namespace wavesim3d;
using clock = std::chrono::steady_clock;

struct arguments {
  std::string scene, out, json, backend = "auto";
  std::string checkpoint, resume;
  int checkpoint_every = 0;
  double memory_gib = 0;
  int serve = -1;  ///< port; -1: no live view
  std::uint32_t workers = 0, cluster = 0;
  bool quiet = false, vti = false, no_animation = false;
};

void declare(CLI::App& app, arguments& a) {
  app.option_defaults()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);  // a script's, then the user's
  app.add_option("scene", a.scene, "scene file, see apps/wavesim3d/README.md")
      ->required()
      ->check(apps::is_path);
  app.add_option(
         "--out", a.out,
         "directory for pictures, traces.csv and result.json; out/wavesim3d/SCENE if left out")
      ->check(apps::is_path);
  app.add_option("--backend", a.backend, "where the tiles live")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--workers", a.workers, "thread blocks or threads; 0: all there are");
  app.add_option("--cluster", a.cluster, "thread blocks a cluster: 1, 2, 4 or 8; 0: choose");
  app.add_option("--json", a.json, "also write result.json to this file; - for standard output")
      ->check(apps::is_path);
  app.add_option("--memory-gib", a.memory_gib, "for tiles; 0: a quarter of what is free")
      ->check(CLI::Range(0.0, 1e6))
      ->check(apps::is_number);
  auto* kept = app.add_option("--checkpoint", a.checkpoint,
                              "file to go on from later; written at the end, too")
                   ->check(apps::is_path);
  app.add_option("--checkpoint-every", a.checkpoint_every, "steps")
      ->check(CLI::Range(1, 100'000'000))
      ->needs(kept);
  app.add_option("--resume", a.resume, "go on from this checkpoint; of the same scene")
      ->check(CLI::ExistingFile);
  auto* served =
      app.add_option(
             "--serve", a.serve,
             "live view on http://127.0.0.1:PORT (0: any), until it is interrupted; writes no files")
          ->check(CLI::Range(0, 65535));
  auto* vti = app.add_flag("--vti", a.vti, "also write the last field for ParaView");
  for (auto* writes : {kept, vti, app.get_option("--json"), app.get_option("--out")})
    served->excludes(writes);
  app.add_flag("--no-animation", a.no_animation, "no films of the slices");
  app.add_flag("--quiet", a.quiet, "no summary, no progress");
  apps::take_decimals_only(app);
  app.footer("wavesim3d bench measures the tiles beside the same physics by hand: bench --help");
}

double ms_since(clock::time_point from) {
  return std::chrono::duration<double, std::milli>(clock::now() - from).count();
}

/// A line on stderr, at most one a second and none in the first two.
class progress {
 public:
  explicit progress(bool quiet) : quiet_{quiet} {}
  void tick(const scene& s, int step) {
    if (quiet_ || clock::now() < next_) return;
    next_ = clock::now() + std::chrono::seconds{1};
    apps::tell("wavesim3d: step {} of {}", step, s.steps);
  }

 private:
  bool quiet_;
  clock::time_point next_ = clock::now() + std::chrono::seconds{2};
};

void write_text(const std::filesystem::path& to, const std::string& text) {
  apps::output_file file{to};
  file.write(text);
  file.commit();
}

/// Steps to the end, with what is due on the way.
void step_through(const arguments& a, simulation& sim, outputs& out, run_report& r) {
  const scene& s = sim.what();
  const auto keep = [&] {
    if (a.checkpoint.empty()) return;
    checkpoint c = sim.save();
    c.energies = out.energies();
    write_checkpoint(a.checkpoint, s, c);
  };
  progress shown{a.quiet};
  // in pieces of about a tenth of a second, so that there is something to say
  int piece = 16;
  const auto step = [&] { return static_cast<int>(sim.step()); };  // a scene has fewer than 2^31
  while (step() < s.steps) {
    const int stop = out.next_stop(step());
    const int kept =
        a.checkpoint_every > 0 ? (step() / a.checkpoint_every + 1) * a.checkpoint_every : s.steps;
    const auto from = clock::now();
    const int now = std::min({piece, stop - step(), kept - step()});
    sim.advance(now);
    const double took = ms_since(from);
    r.steps_ms += took;
    r.steps_here += now;
    if (now == piece && took < 50) piece *= 2;
    if (step() == stop) out.take(sim);
    if (step() == kept || step() == s.steps) keep();
    shown.tick(s, step());
  }
}

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void serve(const arguments& a, simulation& sim) {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = true; });
  serve_live(sim, static_cast<unsigned short>(a.serve), interrupted, [&](unsigned short port) {
    fmt::print("wavesim3d: {} is at http://127.0.0.1:{}/, until ctrl-C\n", sim.what().name, port);
    std::fflush(stdout);
  });
}

void run(arguments a) {
  const auto begin = clock::now();
  const scene s = read_scene(a.scene);
  if (a.out.empty()) a.out = (std::filesystem::path{"out/wavesim3d"} / s.name).string();
  perdure::options opts;
  opts.backend = a.backend == "cpu"    ? perdure::backend::cpu
                 : a.backend == "cuda" ? perdure::backend::cuda
                                       : perdure::backend::automatic;
  if (!a.quiet) opts.on_warning = [](const std::string& w) { apps::tell("wavesim3d: {}", w); };
  opts.workers = a.workers;
  opts.cluster = a.cluster;
  opts.memory_bytes = static_cast<std::size_t>(std::ceil(a.memory_gib * (1U << 30U)));
  std::optional<checkpoint> old;
  if (!a.resume.empty()) {
    old = read_checkpoint(a.resume, s);
    if (old->step > s.steps) {
      throw apps::failure{
          fmt::format("{}: is at step {}, the scene ends at {}", a.resume, old->step, s.steps),
          apps::exit_code::usage};
    }
    if (a.serve >= 0 && !old->takes_orders()) {
      throw apps::failure{
          fmt::format(
              "{}: was written by a plain run, whose tiles take no orders, so that it cannot be "
              "served; leave out --resume, and --serve starts the scene at its first step",
              a.resume),
          apps::exit_code::usage};
    }
    if (!a.quiet) apps::tell("wavesim3d: goes on behind step {}", old->step);
  }
  auto made = old ? std::make_unique<simulation>(s, opts, *old)
                  : std::make_unique<simulation>(s, opts, a.serve >= 0);
  simulation& sim = *made;
  if (a.serve >= 0) return serve(a, sim);
  outputs out{s, a.out, {a.vti, !a.no_animation}};  // knows every cell: of a grid that fits
  expect_places({a.scene, a.out, a.json, a.checkpoint, a.resume}, out);
  if (old) out.resume(*old);
  old.reset();
  run_report r;
  step_through(a, sim, out, r);
  measure(r, sim.field());
  const auto layout = sim.layout();
  r.backend = layout.backend;
  r.device = layout.device;
  r.workers = static_cast<int>(layout.workers);
  r.lanes = static_cast<int>(layout.lanes);
  r.cluster = static_cast<int>(layout.cluster);
  r.links = static_cast<int>(layout.links);
  r.links_on_chip = static_cast<int>(layout.links_on_chip);
  r.registers = static_cast<int>(layout.registers);
  r.stack_bytes = static_cast<int>(layout.stack_bytes);
  r.start_ms = layout.start_ms;
  r.tiles = sim.tiles();
  out.finish(sim, [&](const std::string& line) {
    if (!a.quiet) apps::tell("wavesim3d: {}", line);
  });
  r.files = out.files();
  r.total_ms = ms_since(begin);
  const std::string summary =
      to_json(s, r).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  write_text(std::filesystem::path{a.out} / "result.json", summary);
  if (a.json == "-") fmt::print("{}", summary);
  if (!a.json.empty() && a.json != "-") write_text(a.json, summary);
  if (!a.quiet && a.json != "-") fmt::print("{}", to_text(s, r));
  apps::expect_printed();
}

}  // namespace

/// `wavesim3d bench`: the program beside this one, which has the kernels by hand that this one does without.
int bench(char** arguments) {
  std::error_code code;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
  const std::string program = (here / "wavesim3d-bench").string();
  execv(program.c_str(), arguments);
  apps::tell("wavesim3d: error: {}: {}", program, std::strerror(errno));
  return static_cast<int>(apps::exit_code::failed);
}

int main(int argc, char** argv) {
  apps::hold_standard_files();
  if (argc > 1 && std::string_view{argv[1]} == "bench") return bench(argv + 1);
  CLI::App app{"wavesim3d: sound in a box, a tile of cells an actor"};
  arguments a;
  declare(app, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(apps::exit_code::usage);
  }
  try {
    run(a);
    return static_cast<int>(apps::exit_code::done);
  } catch (const apps::failure& e) {
    apps::tell("wavesim3d: error: {}", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    apps::tell("wavesim3d: error: {}", e.what());
    return static_cast<int>(apps::exit_code::failed);
  }
}
