// tests/codegen/run_tool.hpp - runs perdure-gen as a build does, and keeps what it said and wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace perdure::test {
namespace fs = std::filesystem;

inline std::string read(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
inline void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream{file, std::ios::binary} << text;
}

/// A folder of its own for one test, removed at the end.
class scratch {
 public:
  scratch()
      : path_{fs::temp_directory_path() /
              ("perdure-codegen." + std::to_string(std::random_device{}()))} {
    fs::create_directories(path_);
  }
  ~scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    if (!fs::exists(path_ / folder)) return names;
    for (const auto& e : fs::directory_iterator{path_ / folder})
      names.push_back(e.path().filename().string());
    return names;
  }

 private:
  fs::path path_;
};

struct outcome {
  int code = -1;
  std::string out, err;
};

/// @param words  the command line after the program's name; no word may hold a single quote.
inline outcome run_tool(const scratch& in, const std::vector<std::string>& words) {
  std::string line = "'" PERDURE_GEN_PATH "'";
  for (const auto& w : words) line += " '" + w + "'";
  const auto out = in / ".stdout", err = in / ".stderr";
  const int status =
      std::system((line + " >'" + out.string() + "' 2>'" + err.string() + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

}  // namespace perdure::test
