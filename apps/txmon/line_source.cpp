// apps/txmon/line_source.cpp - see line_source.hpp; zlib reads plain files through unchanged.
// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "failure.hpp"

namespace txmon {

line_source::line_source(const std::string& path)
    : name_{path == "-" ? "<stdin>" : path}, buffer_(4 * longest_line) {
  errno = 0;
  if (path == "-") {
    begin_live();
    const int copy = live_ ? -1 : dup(STDIN_FILENO);
    if (copy >= 0) file_.reset(gzdopen(copy, "rb"));
    if (!file_ && copy >= 0) close(copy);
    if (live_) return;
  } else {
    file_.reset(gzopen(path.c_str(), "rb"));
  }
  if (!file_) {
    throw failure{
        fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno ? errno : ENOMEM))};
  }
  gzbuffer(file_.get(), 256 * 1024);
}

void line_source::begin_live() {
  struct stat about{};
  if (fstat(STDIN_FILENO, &about) != 0 || S_ISREG(about.st_mode)) return;
  // The first byte tells gzip (0x1f) from text; tee looks at it and leaves it in the pipe.
  std::array<int, 2> peek{};
  char first = 0;
  if (pipe(peek.data()) != 0) return;
  if (tee(STDIN_FILENO, peek[1], 1, 0) == 1 && read(peek[0], &first, 1) != 1) first = 0;
  close(peek[0]);
  close(peek[1]);
  live_ = first != '\x1f';
}

bool line_source::has_more_at_hand() const {
  if (!live_ || std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr) return true;
  pollfd in{STDIN_FILENO, POLLIN, 0};
  return poll(&in, 1, 0) > 0;
}

bool line_source::next(std::string_view& line) {
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* lf = std::memchr(from, '\n', end_ - begin_);
    const bool last = lf == nullptr;
    if (last && end_ - begin_ <= longest_line && refill()) continue;
    if (last && begin_ == end_) return false;
    std::size_t size =
        last ? end_ - begin_ : static_cast<std::size_t>(static_cast<const char*>(lf) - from);
    ++number_;
    if (size > longest_line) {
      throw failure{
          fmt::format("{}:{}: expected a line of at most {} bytes", name_, number_, longest_line)};
    }
    from = buffer_.data() + begin_;  // refill may have moved it
    begin_ += size + (last ? 0 : 1);
    if (size > 0 && from[size - 1] == '\r') --size;
    line = {from, size};
    return true;
  }
}

bool line_source::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (live_) {
    ssize_t some = 0;
    while ((some = read(STDIN_FILENO, buffer_.data() + end_, buffer_.size() - end_)) < 0 &&
           errno == EINTR) {
    }
    if (some < 0)
      throw failure{
          fmt::format("{}:{}: cannot be read on: {}", name_, number_ + 1, std::strerror(errno))};
    end_ += static_cast<std::size_t>(some);
    return some > 0;
  }
  const int got =
      gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* text = gzerror(file_.get(), &code);
  if (got < 0 ||
      (code != Z_OK && code != Z_STREAM_END)) {  // Z_BUF_ERROR: the gzip stream ends too early
    const char* why = code == Z_ERRNO       ? std::strerror(errno)
                      : code == Z_BUF_ERROR ? "the gzip stream is cut short"
                                            : text;
    throw failure{fmt::format("{}:{}: cannot be read on: {}", name_, number_ + 1, why)};
  }
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

}  // namespace txmon
