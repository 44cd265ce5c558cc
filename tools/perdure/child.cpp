// tools/perdure/child.cpp - fork, exec, wait with a limit.
// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

#include "samples.hpp"

namespace bench {
namespace {

/// In the child: never returns.
[[noreturn]] void become(std::vector<char*>& words, const char* log) {
  const int out = ::open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(126);
  ::execv("/proc/self/exe", words.data());
  ::_exit(127);
}

}  // namespace

child_outcome run_child(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                        double limit_seconds) {
  std::vector<std::string> copy{"perdure"};
  copy.insert(copy.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& one : copy) words.push_back(one.data());
  words.push_back(nullptr);
  const std::string file = log.string();
  const auto from = steady::now();
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"no process could be started"};
  if (child == 0) become(words, file.c_str());
  child_outcome outcome;
  int told = 0;  // signals sent
  for (int status = 0;;) {
    const ::pid_t ended = ::waitpid(child, &status, WNOHANG);
    outcome.seconds = seconds_since(from);
    if (ended == child) {
      outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return outcome;
    }
    if (ended < 0) throw std::runtime_error{"waiting for a process of its own failed"};
    if (outcome.seconds > limit_seconds + 2.0 * told && told < 2) {
      outcome.late = true;
      ::kill(child, told++ == 0 ? SIGTERM : SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

}  // namespace bench
