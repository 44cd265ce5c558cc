// tools/perdure/report.hpp - the frame of every report: who ran what, where, when; and how it
// reaches a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bench.hpp"

namespace bench {

/// {perdure_bench, name, command, date, host, config}
nlohmann::json begin_report(const std::string& name, const bench_options& options);

/// Adds backend, device (with clocks and power as they are now), grid and memory of a running
/// system, and the hashes of the generated device source and of the cubin that runs (null on a CPU:
/// there is none).
void add_system(nlohmann::json& report, const perdure::system& system,
                const perdure::program& actors, int device);

/// Clocks, power and temperature as they are at the end of the last run, as
/// report["device"]["under_load"]; call it while the loop still runs. Nothing on a CPU.
void note_load(nlohmann::json& report);

/// The last step of every report: each result beside its baselines, with effect sizes.
void finish_report(nlohmann::json& report);

/// Before a run, whether the report will find its place: a file that can be written, or a name in a folder that can. What is
/// there stays as it is. @throws std::runtime_error naming the file: a folder, a pipe or a device is none.
void probe_json(const std::filesystem::path& to);

/// Writes the whole file or leaves what was there; a link keeps pointing to the file that it names. @throws std::runtime_error naming the file.
void write_json(const std::filesystem::path& to, const nlohmann::json& report);

/// A table for people.
std::string table(const nlohmann::json& report);

}  // namespace bench
