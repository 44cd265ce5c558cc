// apps/wavesim3d/animation.cpp - see animation.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "animation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <system_error>

namespace wavesim3d {
namespace {

/// Runs a program that is found in PATH, its output in `log`. @return its exit code; 127: there is none.
int run(const std::vector<std::string>& line, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(line.size() + 1);
  for (const std::string& word : line) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int in = open("/dev/null", O_RDONLY);
    if (out >= 0 && in >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0 && dup2(in, 0) >= 0)
      execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string animate(const std::filesystem::path& to,
                    const std::vector<std::filesystem::path>& pictures) {
  const auto part = [&](const char* what) {
    auto path = to;
    path += fmt::format("{}.part-{}", what, getpid());
    return path;
  };
  const auto list = part(".txt"), log = part(".log"), film = part("");
  {
    std::ofstream names{list};
    for (const auto& p : pictures) {
      std::string quoted;
      for (const char c : std::filesystem::absolute(p).string())
        quoted += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
      names << "file '" << quoted << "'\nduration 0.1\n";
    }
  }
  const int code = run({"ffmpeg",
                        "-hide_banner",
                        "-loglevel",
                        "error",
                        "-y",
                        "-f",
                        "concat",
                        "-safe",
                        "0",
                        "-i",
                        list.string(),
                        "-vf",
                        "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,fps=10",
                        "-c:v",
                        "libx264",
                        "-crf",
                        "18",
                        "-pix_fmt",
                        "yuv420p",
                        "-f",
                        "mp4",
                        film.string()},
                       log);
  std::string said;
  std::error_code failed;
  if (code == 127) {
    said = "ffmpeg is not installed (Debian: apt-get install ffmpeg)";
  } else if (code != 0) {
    std::ifstream in{log};
    said = "ffmpeg: " + std::string{std::istreambuf_iterator<char>{in}, {}};
    while (!said.empty() && said.back() == '\n') said.pop_back();
  } else {
    std::filesystem::rename(film, to, failed);
    if (failed) said = failed.message();
  }
  for (const auto& path : {list, log, film}) std::filesystem::remove(path, failed);
  return said;
}

}  // namespace wavesim3d
