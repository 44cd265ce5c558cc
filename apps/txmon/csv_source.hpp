// apps/txmon/csv_source.hpp - transactions of a CSV file or of standard input, plain or gzip.
// Why: unpacking is one after another; cutting lines into fields is not, and is most of the work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "csv_parser.hpp"
#include "line_source.hpp"
#include "source.hpp"

namespace txmon {

class csv_source : public source {
 public:
  /// Opens the input and reads its header line. @param path  "-" for standard input.
  /// @param lenient  malformed lines are skipped and counted instead of ending the run.
  /// @throws failure
  csv_source(const std::string& path, const column_map& columns, bool lenient);

  bool claim(piece& out) override;
  void parse(piece& from, block& out) override;
  void seek(const position& at) override;

 private:
  /// @throws failure for a line that lines_ has cut
  void expect_whole(std::string_view line, std::uint64_t number) const;

  line_source lines_;
  std::optional<csv_parser> parser_;
  bool lenient_, once_;
  std::exception_ptr wrong_;  ///< with what stands behind the last piece
  std::uint64_t crc_ = 0;     ///< of the lines given so far, the header too
  std::uint64_t claimed_ = 0;
};

}  // namespace txmon
