// apps/common/output_file.hpp - a file that appears whole or not at all.
// Why: a reader of out/ must never meet half a list of alerts.
// Invariant: until commit() only `<path>.part-<pid>` exists; the destructor removes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace apps {

/// Makes a new name last: the folder that holds `path` reaches the disk. @throws failure
void sync_folder_of(const std::filesystem::path& path);

/// Removes what killed processes left of `path`: `<path>.part-<pid>` where no such process is there any more.
void remove_parts_of_the_dead(const std::filesystem::path& path);

/// The same of every file in a folder.
void remove_parts_of_the_dead_in(const std::filesystem::path& folder);

/// Whether two names lead to one file, be it there yet or not.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Before long work: opens what will be written there and takes it away again; an older file stays. @throws failure
void expect_writable(const std::filesystem::path& path);

/// Before the first file is opened: one that got the number of a closed standard error would get what is told, too.
void hold_standard_files();

/// Behind the last line: what was printed has left the buffer. @throws failure
void expect_printed();

class output_file {
 public:
  /// Makes the directory if need be and opens the temporary file. @throws failure
  explicit output_file(std::filesystem::path path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  /// @throws failure when the disk is full or gone
  void write(std::string_view text);
  /// Flushes to the disk and closes; commit() may still fail only at the rename. @throws failure
  void close();
  /// Gives the file its name, replacing an older one at once, and syncs the folder: a name that is only in memory would
  /// be gone after a power cut, with the older file in its place. @throws failure
  void commit();

 private:
  [[noreturn]] void refuse(const char* what) const;
  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
  bool committed_ = false;
};

}  // namespace apps
