// apps/txmon/line_source.hpp - lines of a file or of standard input, plain or gzip, one at a time.
// Why: an input may be larger than memory, and a pipe has no size.
// Invariant: a line is given once, without its LF or CR LF, whole unless it is too long; a damaged gzip is an error, not
//            an end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.hpp"

namespace txmon {

class line_source {
 public:
  static constexpr std::size_t longest_line = 64 * 1024;  ///< bytes

  /// @param path  a file, or "-" for standard input. @throws failure if it cannot be opened.
  explicit line_source(const std::string& path);

  /// The next line, valid until the next call. Of a line over longest_line it gives the first longest_line + 1 bytes, for
  /// the caller to refuse, and drops the rest. @return false at the end of the input.
  /// @throws failure on a read error, or a damaged, cut or followed gzip stream.
  bool next(std::string_view& line);

  /// Another whole line has been read already, or the input may give one without delay.
  bool has_more_at_hand() const;

  /// Number of the line given last, from 1.
  std::uint64_t number() const { return number_; }
  /// What to call the input in messages.
  const std::string& name() const { return name_; }

 private:
  /// Moves what is left to the front and reads more behind it. @return false at the end of the input.
  bool refill();
  /// Reads behind end_. @return false at the end of the input.
  bool read_on();
  /// The line at begin_ has not ended after longest_line + 2 bytes: the next one begins behind its LF.
  std::string_view cut_line();

  std::string name_;
  byte_source bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace txmon
