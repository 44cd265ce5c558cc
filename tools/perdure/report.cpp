// tools/perdure/report.cpp - frames, tables and files of reports.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "perdure/detail/keys.hpp"
#include "statistics.hpp"
#include "tools/evidence/machine.hpp"
#include "tools/evidence/nvml.hpp"

namespace bench {

nlohmann::json begin_report(const std::string& name, const bench_options& options) {
  nlohmann::json r;
  r["perdure_bench"] = 1;
  r["name"] = name;
  r["command"] = options.command;
  r["date"] = evidence::date();
  r["commit"] = evidence::commit();
  r["host"] = evidence::host();
  r["config"] = {{"workers", options.workers},
                 {"lanes_each", options.lanes_each},
                 {"runs", options.runs},
                 {"seconds", options.seconds}};
  return r;
}

void add_system(nlohmann::json& report, const perdure::system& system,
                const perdure::program& actors, int device) {
  const perdure::layout_report l = system.layout();
  report["backend"] = l.backend;
  report["layout"] = {{"device", l.device},
                      {"workers", l.workers},
                      {"lanes", l.lanes},
                      {"ring_bytes", l.ring_bytes},
                      {"spill_bytes", l.spill_bytes},
                      {"outbox_bytes", l.outbox_bytes},
                      {"host_bytes", l.host_bytes},
                      {"arena_bytes", l.arena_bytes},
                      {"compile_ms", l.compile_ms},
                      {"load_ms", l.load_ms},
                      {"start_ms", l.start_ms},
                      {"context_ms", l.context_ms},
                      {"from_cache", l.from_cache},
                      {"embedded", l.embedded}};
  const std::string source{actors.device_source};
  report["device_source_hash"] = fmt::format("{:016x}", perdure::detail::fnv1a(source.c_str()));
  report["cubin_hash"] =
      l.cubin_hash.empty() ? nlohmann::json(nullptr) : nlohmann::json(l.cubin_hash);
  if (l.backend != "cuda") return;
  report["device"] = evidence::device(device);
  if (report["device"].is_null()) return;
  report["residency"] = evidence::residency(l.workers, l.lanes, report["device"]);
}

void note_load(nlohmann::json& report) {
  if (!report.contains("device") || !report["device"].is_object()) return;
  nlohmann::json& device = report["device"];
  device["under_load"] = evidence::device_state(device.value("uuid", ""));
}

void finish_report(nlohmann::json& report) { add_comparisons(report); }

namespace {

/// A file that appears whole under its name, or not at all.
class whole_file {
 public:
  explicit whole_file(const std::filesystem::path& named) : named_{named}, place_{named} {
    std::error_code error;
    // a rename would put a file in the place of the link
    for (int links = 0; links < 40 && std::filesystem::is_symlink(place_, error); ++links)
      place_ = place_.parent_path() / std::filesystem::read_symlink(place_);
    if (std::filesystem::exists(place_, error) &&
        !std::filesystem::is_regular_file(place_, error)) {
      throw std::runtime_error{fmt::format("{}: is not a regular file", named_.string())};
    }
    beside_ = place_.string() + "." + std::to_string(::getpid()) + ".part";
    out_.open(beside_);
    if (!out_) fail("cannot be opened for writing");
  }
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  ~whole_file() { forget(); }

  void write(const std::string& text) {
    out_ << text;
    out_.close();
    if (!out_) fail("cannot be written");
    std::error_code error;
    std::filesystem::rename(beside_, place_, error);
    if (error) fail("cannot be replaced");
  }

 private:
  void forget() const {
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
  }
  [[noreturn]] void fail(const char* step) const {
    const std::string why = std::strerror(errno);
    forget();
    throw std::runtime_error{fmt::format("{}: {}: {}", named_.string(), step, why)};
  }
  std::filesystem::path named_, place_, beside_;
  std::ofstream out_;
};

}  // namespace

void probe_json(const std::filesystem::path& to) { const whole_file there{to}; }

void write_json(const std::filesystem::path& to, const nlohmann::json& report) {
  whole_file{to}.write(report.dump(2) + '\n');
}

std::string table(const nlohmann::json& report) {
  std::string text = fmt::format(
      "{} on {} ({}), {} workers x {} lanes, {} runs\n", report.at("name").get<std::string>(),
      report.at("backend").get<std::string>(), report.at("layout").at("device").get<std::string>(),
      report.at("layout").at("workers").get<unsigned>(),
      report.at("layout").at("lanes").get<unsigned>(),
      report.at("config").at("runs").get<unsigned>());
  if (report.at("config").contains("scale")) {
    text.pop_back();
    text +=
        fmt::format(", {} times the usual size\n", report.at("config").at("scale").get<double>());
  }
  auto rows = [&](const nlohmann::json& figures, const std::string& prefix) {
    for (const auto& [key, s] : figures.items()) {
      if (!s.is_object()) continue;
      if (s.contains("median")) {
        text += fmt::format("  {:<44} {:>12.4g}   [{:.4g} .. {:.4g}], spread {:.1f}%\n",
                            prefix + key, s.at("median").get<double>(), s.at("min").get<double>(),
                            s.at("max").get<double>(), 100 * s.at("spread").get<double>());
      } else if (s.contains("skipped")) {
        text +=
            fmt::format("  {:<44} skipped: {}\n", prefix + key, s.at("skipped").get<std::string>());
      }
    }
  };
  rows(report.at("results"), "");
  rows(report.value("baselines", nlohmann::json::object()), "baseline: ");
  for (const nlohmann::json& c : report.value("comparisons", nlohmann::json::array())) {
    if (!c.contains("ratio")) continue;
    const auto& sure = c.at("ratio_interval95");
    text += fmt::format("  {} / {}: {:.3g} times [{:.3g} .. {:.3g}], {}\n",
                        c.at("result").get<std::string>(), c.at("baseline").get<std::string>(),
                        c.at("ratio").get<double>(), sure.at(0).get<double>(),
                        sure.at(1).get<double>(), c.at("verdict").get<std::string>());
  }
  return text + fmt::format("  answers checked: {}\n", report.at("answers").dump());
}

}  // namespace bench
