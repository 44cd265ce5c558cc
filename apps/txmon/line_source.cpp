// apps/txmon/line_source.cpp - see line_source.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "line_source.hpp"

#include <fmt/format.h>

#include <cstring>

#include "failure.hpp"

namespace txmon {

line_source::line_source(const std::string& path) try
    : name_{path == "-" ? "<stdin>" : path}, bytes_{path}, buffer_(4 * longest_line) {
} catch (const failure& why) {
  throw failure{fmt::format("{}: {}", path == "-" ? "<stdin>" : path, why.what())};
}

bool line_source::has_more_at_hand() const {
  return std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr || bytes_.at_hand();
}

bool line_source::next(std::string_view& line) {
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const auto* lf = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const bool last = lf == nullptr;
    const bool may_fit = end_ - begin_ <= longest_line + 1;  // with a CR
    if (last && may_fit && refill()) continue;
    if (last && begin_ == end_) return false;
    if (last && !may_fit) {
      line = cut_line();
      ++number_;
      return true;
    }
    ++number_;
    from = buffer_.data() + begin_;  // refill may have moved it
    std::size_t size = last ? end_ - begin_ : static_cast<std::size_t>(lf - from);
    begin_ += size + (last ? 0 : 1);
    if (size > 0 && from[size - 1] == '\r') --size;
    line = std::string_view{from, size}.substr(0, longest_line + 1);
    return true;
  }
}

std::string_view line_source::cut_line() {
  constexpr std::size_t kept = longest_line + 1;
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  const void* lf = nullptr;  // not in what has been read
  do {
    begin_ = end_ = kept;
  } while (read_on() && (lf = std::memchr(buffer_.data() + kept, '\n', end_ - kept)) == nullptr);
  if (lf != nullptr)
    begin_ = static_cast<std::size_t>(static_cast<const char*>(lf) - buffer_.data()) + 1;
  return {buffer_.data(), kept};
}

bool line_source::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  return read_on();
}

bool line_source::read_on() {
  try {
    const std::size_t got = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got > 0;
  } catch (const failure& why) {
    throw failure{
        fmt::format("{}:{}: cannot be read any further: {}", name_, number_ + 1, why.what())};
  }
}

}  // namespace txmon
