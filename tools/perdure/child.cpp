// tools/perdure/child.cpp - one process, one pipe, one deadline.
// Invariant: the process has ended and was waited for when run_child returns.
// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "samples.hpp"

namespace bench {
namespace {

/// Reads until the other end is closed. @return false if the time was up before.
bool read_all(int from, double seconds, std::string& into) {
  const auto began = steady::now();
  for (std::array<char, 4096> part{};;) {
    const double left = seconds - seconds_since(began);
    if (left <= 0) return false;
    ::pollfd ready{from, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min(left, 1.0) * 1e3) + 1) <= 0) continue;
    const ::ssize_t got = ::read(from, part.data(), part.size());
    if (got <= 0) return true;
    into.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

child_outcome run_child(const std::vector<std::string>& command, double seconds) {
  child_outcome outcome;
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return outcome;
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  if (child > 0) {
    const auto began = steady::now();
    outcome.late = !read_all(ends[0], seconds, outcome.printed);
    int status = 0;
    ::pid_t ended = 0;  // it may have closed its output and still run
    while (!outcome.late && (ended = ::waitpid(child, &status, WNOHANG)) == 0) {
      outcome.late = seconds_since(began) > seconds;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    if (outcome.late) {
      ::kill(child, SIGKILL);
      ended = ::waitpid(child, &status, 0);
    }
    if (ended == child && WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  }
  ::close(ends[0]);
  return outcome;
}

}  // namespace bench
