// apps/txmon/binary_file.hpp - records of 38 bytes in a file: mapped into memory to be read, streamed out to be written.
// Why: at full speed no field may be parsed; a record goes from the page cache to the actor as it is.
// Invariant: rows, labels, names, then a footer of 64 bytes that says where each begins; docs: README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "failure.hpp"
#include "rules.hpp"
#include "source.hpp"

namespace txmon {

/// The last 64 bytes of the file; little-endian.
struct binary_footer {
  std::array<char, 8> magic{'T', 'X', 'M', 'O', 'N', '3', '8', '\n'};
  std::uint32_t version = 1, record_bytes = sizeof(transaction);
  std::uint64_t rows = 0;
  std::uint64_t accounts = 0;
  std::uint64_t labels = 0;       ///< of 9 bytes each: number of the row from 1, kind
  std::uint64_t names_bytes = 0;  ///< each name and a line feed; 0: the accounts are A0, A1, ...
  std::array<std::uint64_t, 2> reserved{};
};
static_assert(sizeof(binary_footer) == 64);

class binary_source : public source {
 public:
  /// Maps the file and checks its footer. @throws failure
  binary_source(const std::string& path, bool lenient);
  /// Reads from memory, for tests; `bytes` outlives the source.
  binary_source(std::span<const std::byte> bytes, std::string name, bool lenient);
  ~binary_source() override;

  bool claim(piece& out) override;
  void parse(piece& from, block& out) override;
  void seek(const position& at) override;
  /// Of the first and the last records before it: all of them would be too many to read again for each checkpoint.
  std::uint64_t crc_at(const position& at) const override;
  std::uint64_t rows() const override { return footer_.rows; }

 private:
  void open();
  /// What is wrong with a record, or nothing.
  const char* fault(const transaction& t) const;

  std::string name_;
  std::span<const std::byte> bytes_;
  void* mapped_ = nullptr;
  binary_footer footer_;
  std::vector<label> labels_;  // by row from 0, ascending
  std::uint64_t claimed_ = 0, next_row_ = 0;
  bool lenient_;
};

/// Writes such a file; it appears whole or not at all.
class binary_writer {
 public:
  explicit binary_writer(const std::string& path) : file_{path} {}
  /// @throws failure
  void add(const block& rows);
  /// Labels, names and footer; then the file has its name. @throws failure
  void finish(const accounts& names);
  std::uint64_t rows() const { return footer_.rows; }

 private:
  output_file file_;
  binary_footer footer_;
  std::string labels_;
};

}  // namespace txmon
