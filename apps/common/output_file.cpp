// apps/common/output_file.cpp - see output_file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "common/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/failure.hpp"

namespace apps {

void sync_folder_of(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int at = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = at >= 0 && fsync(at) == 0;
  const int why = errno;
  if (at >= 0) ::close(at);
  // EINVAL: this file system has no such thing. EACCES: a folder that may be written but not read.
  if (!synced && why != EINVAL && why != EACCES) {
    throw failure{fmt::format("{}: the folder cannot be synced: {}", folder, std::strerror(why))};
  }
}

namespace {

constexpr std::string_view part = ".part-";

/// Whether the name is that of a part, and its process is gone.
bool is_of_the_dead(std::string_view name) {
  const auto at = name.rfind(part);
  if (at == std::string_view::npos) return false;
  const std::string_view number = name.substr(at + part.size());
  pid_t pid = 0;
  const auto [stop, code] = std::from_chars(number.data(), number.data() + number.size(), pid);
  return code == std::errc{} && stop == number.data() + number.size() && pid > 0 &&
         kill(pid, 0) != 0 && errno == ESRCH;
}

/// @param head  of their names
void remove_parts(const std::filesystem::path& folder, const std::string& head) {
  std::vector<std::filesystem::path> dead;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(head) && is_of_the_dead(name)) dead.push_back(entry.path());
  }
  for (const auto& each : dead) std::filesystem::remove(each, ignored);
}

}  // namespace

void remove_parts_of_the_dead(const std::filesystem::path& path) {
  remove_parts(path.has_parent_path() ? path.parent_path() : ".",
               path.filename().string() + std::string{part});
}

void remove_parts_of_the_dead_in(const std::filesystem::path& folder) { remove_parts(folder, ""); }

bool same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  namespace fs = std::filesystem;
  // of a name of which nothing is there yet, weakly_canonical makes no full one by itself
  return fs::weakly_canonical(fs::absolute(one)) == fs::weakly_canonical(fs::absolute(other));
}

void expect_writable(const std::filesystem::path& path) { const output_file probe{path}; }

void hold_standard_files() {
  for (int each = 0; each < 3; ++each) {
    if (fcntl(each, F_GETFD) >= 0) continue;
    // the wrong way round: reading and writing fail as they did
    (void)open("/dev/null", each == 0 ? O_WRONLY : O_RDONLY);
  }
}

void expect_printed() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw failure{fmt::format("standard output cannot be written: {}", std::strerror(errno))};
}

output_file::output_file(std::filesystem::path path) : path_{std::move(path)} {
  temporary_ = path_;
  temporary_ += fmt::format("{}{}", part, getpid());
  std::error_code code;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), code);
  if (code)
    throw failure{
        fmt::format("{}: the directory cannot be made: {}", path_.string(), code.message())};
  // A rename would put a plain file in the place of a directory or a device such as /dev/null.
  if (std::filesystem::exists(path_, code) && !std::filesystem::is_regular_file(path_, code)) {
    throw failure{fmt::format("{}: is not a regular file", path_.string())};
  }
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) refuse("cannot be opened for writing");
}

output_file::~output_file() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(temporary_, ignored);
}

void output_file::write(std::string_view text) {
  if (text.empty()) return;  // fwrite takes no null pointer, not even for nothing
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) refuse("cannot be written");
}

void output_file::close() {
  const bool flushed = std::fflush(file_) == 0 && fsync(fileno(file_)) == 0;
  if (!flushed) refuse("cannot be written");
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!closed) refuse("cannot be written");
}

void output_file::commit() {
  if (file_ != nullptr) close();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse("cannot be renamed into place");
  committed_ = true;
  sync_folder_of(path_);
}

void output_file::refuse(const char* what) const {
  throw failure{fmt::format("{}: {}: {}", path_.string(), what, std::strerror(errno))};
}

}  // namespace apps
