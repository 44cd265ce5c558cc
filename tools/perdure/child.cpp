// tools/perdure/child.cpp - fork, exec, read, wait with a limit.
// Invariant: the process has ended and was waited for when run_self or run_program returns.
// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "samples.hpp"

namespace bench {
namespace {

/// What execv takes; lives as long as `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& one : words) list.push_back(one.data());
  list.push_back(nullptr);
  return list;
}

/// In the child: never returns. It is ended when the thread that started it is, by a signal perhaps: nobody would wait for it.
/// @param out  standard output; error: standard error, too
[[noreturn]] void become(const char* program, std::vector<char*>& words, int out, bool error,
                         ::pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(126);  // it had ended before
  if (out < 0 || ::dup2(out, 1) < 0 || (error && ::dup2(out, 2) < 0)) ::_exit(126);
  ::execv(program, words.data());
  ::_exit(127);
}

/// Until it has ended; it is told to once the limit is over, and two seconds later it is ended.
void wait_for_end(::pid_t child, steady::time_point from, double limit_seconds,
                  child_outcome& outcome) {
  int told = 0;  // signals sent
  for (int status = 0;;) {
    const ::pid_t ended = ::waitpid(child, &status, WNOHANG);
    outcome.seconds = seconds_since(from);
    if (ended == child) {
      outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return;
    }
    if (ended < 0) throw std::runtime_error{"waiting for a process of its own failed"};
    if (outcome.seconds > limit_seconds + 2.0 * told && told < 2) {
      outcome.late = true;
      ::kill(child, told++ == 0 ? SIGTERM : SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

/// Reads until the other end is closed or the time is up.
void read_all(int end, steady::time_point from, double limit_seconds, std::string& into) {
  for (std::array<char, 4096> part{};;) {
    const double left = limit_seconds - seconds_since(from);
    if (left <= 0) return;
    ::pollfd ready{end, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min(left, 1.0) * 1e3) + 1) <= 0) continue;
    const ::ssize_t got = ::read(end, part.data(), part.size());
    if (got <= 0) return;
    into.append(part.data(), static_cast<std::size_t>(got));
  }
}

::pid_t forked() {
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"no process could be started"};
  return child;
}

}  // namespace

child_outcome run_self(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                       double limit_seconds) {
  std::vector<std::string> copy{"perdure"};
  copy.insert(copy.end(), arguments.begin(), arguments.end());
  std::vector<char*> words = pointers(copy);
  const std::string file = log.string();
  const auto from = steady::now();
  const ::pid_t self = ::getpid();
  const ::pid_t child = forked();
  if (child == 0) {
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    become("/proc/self/exe", words, out, true, self);
  }
  child_outcome outcome;
  wait_for_end(child, from, limit_seconds, outcome);
  return outcome;
}

child_outcome run_program(const std::vector<std::string>& command, double limit_seconds) {
  std::vector<std::string> copy = command;
  std::vector<char*> words = pointers(copy);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error{"no pipe could be made"};
  const auto from = steady::now();
  const ::pid_t self = ::getpid();
  const ::pid_t child = forked();
  if (child == 0) become(words[0], words, ends[1], false, self);
  ::close(ends[1]);
  child_outcome outcome;
  read_all(ends[0], from, limit_seconds, outcome.printed);
  wait_for_end(child, from, limit_seconds, outcome);
  ::close(ends[0]);
  return outcome;
}

}  // namespace bench
