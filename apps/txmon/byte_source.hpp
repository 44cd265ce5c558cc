// apps/txmon/byte_source.hpp - the bytes of a file or of standard input; gzip is unpacked, one member after another.
// Why: zlib's own reader takes what follows a finished member as garbage to be passed over, and half an input with it.
// Invariant: every byte of the file is plain text, or belongs to a whole gzip member, or is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <vector>

namespace txmon {

class byte_source {
 public:
  /// @param path  a file, or "-" for standard input. @throws failure if it cannot be opened.
  explicit byte_source(const std::string& path);
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  /// Waits for at least one byte. @param room  over 0. @return how many came; 0 at the end.
  /// @throws failure whose text is the reason alone: a read error, or a damaged, cut or followed gzip stream
  std::size_t read(char* to, std::size_t room);

  /// read() may give something without delay.
  bool at_hand() const;

 private:
  enum class kind { unknown, plain, gzip };

  /// Reads more behind what is there. @return false at the end.
  bool fill();
  /// At least so many packed bytes are there, after reading on if need be.
  bool has(std::size_t count);
  /// The two bytes that a gzip member begins with come next.
  bool at_member();
  std::size_t unpack(char* to, std::size_t room);

  int file_ = -1;
  bool pipe_ = false;  // it gives what has come, and may have none
  kind kind_ = kind::unknown;
  std::vector<unsigned char> packed_;  // plain: no more than what the kind was told by
  std::size_t begin_ = 0, end_ = 0;
  z_stream stream_{};
  bool between_ = true;  // before, between or behind members
};

}  // namespace txmon
