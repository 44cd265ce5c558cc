// runtime/record/whole_file.cpp - see whole_file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace perdure::runtime {
namespace {

error cannot_write(const std::filesystem::path& file, const std::string& why) {
  return error{errc::cannot_write, fmt::format("{}: {}", file.string(), why)};
}

}  // namespace

result<void> whole_file::open(const std::filesystem::path& file, std::string_view meanwhile) {
  std::error_code none;
  const auto there = std::filesystem::status(file, none);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    return cannot_write(file, "it is there, and no file");
  file_ = file;
  auto part = file;
  part += meanwhile;
  errno = 0;
  out_.open(part, std::ios::binary | std::ios::trunc);
  if (!out_) return cannot_write(part, std::strerror(errno));
  part_ = std::move(part);
  return {};
}

whole_file::~whole_file() {
  if (part_.empty()) return;
  out_.close();
  std::error_code none;
  std::filesystem::remove(part_, none);
}

result<void> whole_file::finish() {
  errno = 0;
  out_.close();
  if (!out_) return cannot_write(part_, errno != 0 ? std::strerror(errno) : "not all was taken");
  std::error_code why;
  std::filesystem::rename(part_, file_, why);
  if (why) return cannot_write(file_, why.message());
  part_.clear();
  return {};
}

}  // namespace perdure::runtime
