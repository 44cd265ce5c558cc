// tests/generated/processes.cpp - see processes.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/generated/processes.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <system_error>

namespace perdure::generated {
namespace {

struct closes {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
/// A file without a name takes what a process writes: a pipe that nobody reads meanwhile would stop it.
using text_file = std::unique_ptr<std::FILE, closes>;

struct running {
  std::size_t which;
  text_file output;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

std::string all_of(std::FILE* from) {
  std::string text;
  std::rewind(from);
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, from)) > 0;) text.append(part, n);
  return text;
}

::pid_t start(const std::string& program, const std::vector<std::string>& arguments, int output) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  const ::pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execv(program.c_str(), words.data());
    ::_exit(127);
  }
  return child;
}

}  // namespace

void run_processes(const std::string& program,
                   const std::vector<std::vector<std::string>>& argument_lists, unsigned jobs,
                   const on_end& ended) {
  std::map<::pid_t, running> all;
  for (std::size_t next = 0; next < argument_lists.size() || !all.empty();) {
    if (next < argument_lists.size() && all.size() < jobs) {
      text_file output{std::tmpfile()};
      if (!output) fail("tmpfile");
      const ::pid_t child = start(program, argument_lists[next], ::fileno(output.get()));
      all.emplace(child, running{next++, std::move(output)});
      continue;
    }
    int status = 0;
    const ::pid_t child = ::waitpid(-1, &status, 0);
    if (child < 0 && errno != EINTR) fail("waitpid");
    const auto at = all.find(child);
    if (at == all.end()) continue;  // interrupted, or not one of ours
    const running done = std::move(at->second);
    all.erase(at);
    ended(done.which, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          all_of(done.output.get()));
  }
}

}  // namespace perdure::generated
