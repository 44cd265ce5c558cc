// apps/txmon/byte_source.cpp - see byte_source.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "failure.hpp"

namespace txmon {
namespace {

/// read(2), to its end.
std::size_t read_some(int file, void* to, std::size_t room) {
  ssize_t some = 0;
  while ((some = ::read(file, to, room)) < 0 && errno == EINTR) {
  }
  if (some < 0) throw failure{std::strerror(errno)};
  return static_cast<std::size_t>(some);
}

}  // namespace

byte_source::byte_source(const std::string& path) : packed_(256 * 1024) {
  file_ = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (file_ < 0 || fstat(file_, &about) != 0)
    throw failure{fmt::format("cannot be opened: {}", std::strerror(errno))};
  pipe_ = !S_ISREG(about.st_mode);
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream_, gzip_only) != Z_OK)
    throw failure{fmt::format("cannot be opened: {}", std::strerror(ENOMEM))};
}

byte_source::~byte_source() {
  inflateEnd(&stream_);
  if (file_ > STDIN_FILENO) close(file_);
}

bool byte_source::at_hand() const {
  if (!pipe_ || begin_ != end_) return true;
  pollfd in{file_, POLLIN, 0};
  return poll(&in, 1, 0) > 0;
}

std::size_t byte_source::read(char* to, std::size_t room) {
  if (kind_ == kind::unknown) kind_ = at_member() ? kind::gzip : kind::plain;
  if (kind_ == kind::gzip) return unpack(to, room);
  if (begin_ == end_) return read_some(file_, to, room);
  const std::size_t n = std::min(room, end_ - begin_);
  std::memcpy(to, packed_.data() + begin_, n);
  begin_ += n;
  return n;
}

bool byte_source::fill() {
  std::memmove(packed_.data(), packed_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t some = read_some(file_, packed_.data() + end_, packed_.size() - end_);
  end_ += some;
  return some > 0;
}

bool byte_source::has(std::size_t count) {
  while (end_ - begin_ < count)
    if (!fill()) return false;
  return true;
}

bool byte_source::at_member() {
  // A pipe of text may give its first line alone: one byte tells text apart, and only gzip waits for the second.
  return has(1) && packed_[begin_] == 0x1f && has(2) && packed_[begin_ + 1] == 0x8b;
}

std::size_t byte_source::unpack(char* to, std::size_t room) {
  room = std::min<std::size_t>(room, std::numeric_limits<uInt>::max());
  for (;;) {
    if (between_) {
      if (!has(1)) return 0;
      if (!at_member()) throw failure{"there are bytes behind the gzip stream"};
      inflateReset(&stream_);
      between_ = false;
    }
    stream_.next_in = packed_.data() + begin_;
    stream_.avail_in = static_cast<uInt>(end_ - begin_);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    begin_ = end_ - stream_.avail_in;
    between_ = code == Z_STREAM_END;
    if (!between_ && code != Z_OK && code != Z_BUF_ERROR)
      throw failure{stream_.msg != nullptr ? stream_.msg : zError(code)};
    if (const std::size_t n = room - stream_.avail_out; n > 0) return n;
    if (!between_ && begin_ == end_ && !fill()) throw failure{"the gzip stream is cut short"};
  }
}

}  // namespace txmon
