// tests/tools/perdure_programs/bench_run.cpp - one process, its text, its report.
// SPDX-License-Identifier: Apache-2.0
#include "bench_run.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

ran run_line(const std::string& line) {
  ran r;
  std::FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return r;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    r.text.append(part.data(), n);
  const int status = ::pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

ran run_bench(const std::string& name, const std::string& more) {
  std::string folder = (std::filesystem::temp_directory_path() / "perdure-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return {};
  const std::string file = folder + "/report.json";
  ran r = run_line("'" PERDURE_PROGRAM "' bench " + name +
                   " --backend cpu --workers 2 --runs 2 --json '" + file + "' " + more);
  if (std::ifstream in{file}; in) r.report = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove_all(folder);
  if (r.code != 0) return r;
  EXPECT_TRUE(r.report.is_object()) << r.text;
  for (const char* key : {"date", "commit", "host", "config", "device_source_hash", "results",
                          "runs", "answers", "baselines"})
    EXPECT_TRUE(r.report.contains(key)) << key;
  EXPECT_EQ(r.report.value("name", ""), name);
  EXPECT_EQ(r.report.value("backend", ""), "cpu");
  EXPECT_NE(r.text.find("answers checked"), std::string::npos) << r.text;
  return r;
}
