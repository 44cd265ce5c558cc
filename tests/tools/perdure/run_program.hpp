// tests/tools/perdure/run_program.hpp - runs the `perdure` program and keeps what it said; a folder for what it writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace perdure_program {

using nlohmann::json;

struct outcome {
  int code;
  std::string text;  ///< both streams
};

inline outcome run(const std::string& arguments, const std::string& environment = {}) {
  const std::string line = environment + " '" PERDURE_PROGRAM "' " + arguments + " 2>&1";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  outcome o{-1, {}};
  if (pipe == nullptr) return o;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    o.text.append(part.data(), n);
  const int status = ::pclose(pipe);
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return o;
}

class PerdureProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "perdure-program-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file() const { return (folder_ / "report.json").string(); }

  /// Runs a benchmark on the CPU and returns its report after checking what all reports have.
  json bench(const std::string& name, const std::string& more = {}) {
    const bool lasts = name == "sustain" || name == "clock";
    const outcome o = run("bench " + name + " --backend cpu --workers 2 " +
                          (lasts ? "--seconds 0.5" : "--runs 2 --seconds 0.02") + " --json '" +
                          file() + "' " + more);
    EXPECT_EQ(o.code, 0) << o.text;
    std::ifstream in{file()};
    const json r = json::parse(in, nullptr, false);
    EXPECT_FALSE(r.is_discarded()) << o.text;
    if (r.is_discarded()) return {};
    EXPECT_EQ(r.at("perdure_bench"), 1);
    EXPECT_EQ(r.at("name"), name);
    EXPECT_EQ(r.at("backend"), "cpu");
    EXPECT_EQ(r.at("command").at(1), "bench");
    EXPECT_EQ(r.at("layout").at("workers"), 2);
    for (const char* key :
         {"date", "commit", "host", "config", "device_source_hash", "results", "runs", "answers"}) {
      EXPECT_TRUE(r.contains(key)) << key;
    }
    EXPECT_TRUE(r.contains("cubin_hash") && r.at("cubin_hash").is_null())
        << "a CPU runs no cubin, and the report says so";
    EXPECT_NE(o.text.find("answers checked"), std::string::npos) << o.text;
    return r;
  }
  std::filesystem::path folder_;
};

}  // namespace perdure_program
