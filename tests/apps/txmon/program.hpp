// tests/apps/txmon/program.hpp - runs the program as a script would, and looks at what it leaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <regex>
#include <string>

namespace txmon::test {

struct ended {
  int code = -1;
  std::string text;  ///< standard output and standard error
};
/// Runs txmon with these arguments, after `before` (such as "cat x |"); on the CPU, but that `convert` runs nowhere.
inline ended run(const std::string& arguments, const std::string& before = "") {
  const std::string backend = arguments.starts_with("convert") ? "" : "--backend cpu ";
  const std::string command = before + " " TXMON_PROGRAM " " + backend + arguments + " 2>&1";
  ended e;
  std::FILE* out = popen(command.c_str(), "r");
  char chunk[4096];
  for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, out)) > 0;) e.text.append(chunk, n);
  const int status = pclose(out);
  e.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return e;
}
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Lines without the stamps that differ between runs.
inline std::string without_stamps(const std::string& lines) {
  return std::regex_replace(lines, std::regex{",\"hlc\":[0-9]+"}, "");
}

}  // namespace txmon::test
