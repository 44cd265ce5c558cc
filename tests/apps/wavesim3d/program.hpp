// tests/apps/wavesim3d/program.hpp - the program as a script meets it: run by a shell, judged by files and exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace wavesim3d_test {

namespace fs = std::filesystem;

class Program : public testing::Test {
 protected:
  Program() : here_{fs::temp_directory_path() / ("wavesim3d-" + std::to_string(getpid()))} {
    fs::remove_all(here_);
    fs::create_directories(here_);
  }
  ~Program() override { fs::remove_all(here_); }
  /// Runs it with its output in `said_`. @return the exit code.
  int run(const std::string& arguments, const std::string& environment = "") {
    const auto log = here_ / "log";
    const std::string line =
        environment + WAVESIM3D_PROGRAM + " " + arguments + " >" + log.string() + " 2>&1";
    const int status = std::system(line.c_str());
    std::ifstream in{log};
    std::stringstream text;
    text << in.rdbuf();
    said_ = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  fs::path write(const std::string& text) const {
    std::ofstream{here_ / "scene.json"} << text;
    return here_ / "scene.json";
  }
  fs::path here_;
  std::string said_;
};

inline constexpr const char* small =
    R"({"cells": [40, 20, 10], "steps": 30,
        "sources": [{"kind": "ricker", "at": [20, 10, 5], "frequency_hz": 3000}],
        "receivers": [{"name": "ear", "at": [30, 10, 5]}],
        "slices": [{"axis": "z", "index": 5, "every": 10}]})";

}  // namespace wavesim3d_test
