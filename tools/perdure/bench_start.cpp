// tools/perdure/bench_start.cpp - from start() to the first reply: cold (empty cache), warm, and with embedded code.
// Each sample is a process of its own, so that nothing is loaded already. On a GPU the driver and the context are
// up before the clock starts; what they took is given beside it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "bench.hpp"
#include "echo_actors.actors.hpp"
#include "report.hpp"
#include "runtime/driver/context.hpp"
#include "samples.hpp"

namespace bench {
namespace {

/// A folder of its own under the temporary one, gone afterwards.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-start-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{name + ": cannot be made"};
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const char* name_of(perdure::backend b) {
  return b == perdure::backend::cpu ? "cpu" : b == perdure::backend::cuda ? "cuda" : "auto";
}

/// Runs `perdure bench start --once` and reads its report.
nlohmann::json in_a_process(const bench_options& options, const std::filesystem::path& folder,
                            bool embedded) {
  const std::string file = (folder / "once.json").string(), cache = (folder / "cache").string();
  const std::string workers = std::to_string(options.workers);
  const std::string lanes = std::to_string(options.lanes_each);
  const char* arguments[] = {"perdure",     "bench",         "start",
                             "--once",      "--backend",     name_of(options.backend),
                             "--workers",   workers.c_str(), "--lanes-each",
                             lanes.c_str(), "--cache",       cache.c_str(),
                             "--json",      file.c_str(),    embedded ? "--embedded" : nullptr,
                             nullptr};
  const ::pid_t child = ::fork();
  if (child == 0) {
    // NVRTC asks the driver's own cache, too: cold means none of it is there
    const std::string drivers = (folder / "driver").string();
    ::setenv("CUDA_CACHE_PATH", drivers.c_str(), 1);
    ::execv("/proc/self/exe", const_cast<char**>(arguments));
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    throw std::runtime_error{
        "start: the process that was to start a system failed; its error is above"};
  }
  std::ifstream in{file};
  return nlohmann::json::parse(in);
}

}  // namespace

nlohmann::json start_once(const bench_options& options, bool embedded) {
  using namespace std::chrono_literals;
  std::optional<perdure::driver::context> context;
  double context_ms = 0;
  if (options.backend != perdure::backend::cpu) {
    const auto from = steady::now();
    if (auto cuda = perdure::driver::api::load()) {
      if (auto made = perdure::driver::context::retain(**cuda, 0))
        context.emplace(std::move(*made));
    }
    context_ms = seconds_since(from) * 1e3;
  }
  nlohmann::json report = begin_report("start", options);
  perdure::program actors = echo_actors::actors();
  if (!embedded) actors.cubins = {};
  const auto from = steady::now();
  auto system = perdure::system::start(actors, options.system()).value();
  const double started_ms = seconds_since(from) * 1e3;
  auto echoes = system.spawn<echo>(1).value();
  const answer a = system.ask<answer>(echoes[0], question{7}, 10s).value();
  const double reply_ms = seconds_since(from) * 1e3;
  if (a.mixed != mix(7) || a.handled != 1) throw wrong_answer{"start: the first reply is wrong"};
  add_system(report, system, echo_actors::actors(), 0);
  report["once"] = {{"driver_and_context_ms", context ? context_ms : 0.0},
                    {"started_ms", started_ms},
                    {"reply_ms", reply_ms}};
  system.stop(5s).value();
  return report;
}

nlohmann::json start(const bench_options& options) {
  nlohmann::json report = begin_report("start", options);
  std::vector<double> cold, warm, with_code, context;
  nlohmann::json raw = nlohmann::json::array();
  const auto keep = [&](const char* how, const nlohmann::json& once, std::vector<double>& ms) {
    ms.push_back(once.at("once").at("reply_ms").get<double>());
    context.push_back(once.at("once").at("driver_and_context_ms").get<double>());
    raw.push_back({{"how", how}, {"once", once.at("once")}, {"layout", once.at("layout")}});
  };
  for (std::uint32_t run = 0; run < options.runs; ++run) {
    // a new one a run: its first start finds no cache, its second finds one
    const scratch_folder folder;
    bool cuda = false;
    for (const bool first : {true, false}) {
      const nlohmann::json once = in_a_process(options, folder.path(), false);
      cuda = once.at("backend") == "cuda";
      if (cuda && once.at("layout").at("from_cache").get<bool>() == first) {
        throw wrong_answer{first ? "start: an empty cache was said to hold the program"
                                 : "start: the second start did not find the cache"};
      }
      keep(first ? "cold" : "warm", once, first ? cold : warm);
      for (const char* key :
           {"backend", "layout", "device", "device_source_hash", "cubin_hash", "residency"}) {
        if (once.contains(key)) report[key] = once.at(key);
      }
    }
    if (!cuda || echo_actors::actors().cubins.empty()) continue;
    const scratch_folder empty;
    const nlohmann::json once = in_a_process(options, empty.path(), true);
    // none of them may be of this device, or of so many lanes
    if (once.at("layout").at("embedded").get<bool>()) keep("embedded", once, with_code);
  }
  report["results"] = {{"cold_ms", summary(cold)},
                       {"warm_ms", summary(warm)},
                       {"driver_and_context_ms", summary(context)}};
  if (!with_code.empty()) report["results"]["embedded_ms"] = summary(with_code);
  report["runs"] = std::move(raw);
  report["answers"] = {{"replies", report["runs"].size()}, {"wrong", 0}};
  return report;
}

}  // namespace bench
