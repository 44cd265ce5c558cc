// apps/txmon/csv_source.cpp - see csv_source.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "csv_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "failure.hpp"

namespace txmon {
namespace {
std::uint64_t crc_on(std::uint64_t crc, std::string_view text) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(text.data()), text.size());
}
}  // namespace

csv_source::csv_source(const std::string& path, const column_map& columns, bool lenient)
    : lines_{path}, lenient_{lenient}, once_{path == "-"} {
  std::string_view header;
  if (!lines_.next(header)) {
    throw failure{fmt::format("{}:1: the input is empty; expected a header line with column '{}'",
                              lines_.name(), columns.time)};
  }
  expect_whole(header, 1);
  parser_.emplace(columns, header, lines_.name());
  crc_ = crc_on(0, header);
}

void csv_source::expect_whole(std::string_view line, std::uint64_t number) const {
  if (line.size() > line_source::longest_line)
    throw failure{fmt::format("{}:{}: expected a line of at most {} bytes", lines_.name(), number,
                              line_source::longest_line)};
}

bool csv_source::claim(piece& out) {
  out.index = claimed_++;
  out.begin.lines = lines_.number();
  out.begin.crc = crc_;
  if (wrong_) std::rethrow_exception(wrong_);
  out.end.lines = out.begin.lines;
  std::string_view line;
  try {
    for (std::size_t n = 0; n < block_rows && lines_.next(line); ++n) {
      out.text.append(line);
      out.text += '\n';
      ++out.end.lines;
      if (!lines_.has_more_at_hand()) break;  // a pipe: what has come is not kept waiting
    }
  } catch (const failure&) {
    wrong_ = std::current_exception();
    if (out.text.empty()) throw;  // else the lines before it first
  }
  crc_ = crc_on(crc_, out.text);
  out.end.crc = crc_;
  return !out.text.empty();
}

void csv_source::parse(piece& from, block& out) {
  constexpr std::size_t reasons_kept = 5;
  std::uint64_t number = from.begin.lines, crc = from.begin.crc;
  for (std::string_view rest = from.text; !rest.empty();) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (out.wants_places) crc = crc_on(crc_on(crc, line), "\n");
    transaction t;
    try {
      expect_whole(line, ++number);
      const auto labelled = parser_->parse(line, number, names(), t);
      if (labelled) out.labels.push_back({out.rows.size(), *labelled});
      out.rows.push_back(t);
      if (out.wants_places) out.places.push_back({{0, number, crc}, out.skipped});
    } catch (const failure& why) {
      if (!lenient_) {
        const auto read = from.text.size() - rest.size() - line.size() - 1;
        from.end.lines = number - 1;
        from.end.crc = crc_on(from.begin.crc, std::string_view{from.text}.substr(0, read));
        throw;
      }
      ++out.skipped;
      if (out.reasons.size() < reasons_kept) out.reasons.emplace_back(why.what());
    }
  }
}

void csv_source::seek(const position& at) {
  if (once_) throw failure{"<stdin>: cannot be read again from a checkpoint; give a file"};
  std::string_view line;
  while (lines_.number() < at.lines) {
    if (!lines_.next(line)) {
      throw failure{fmt::format("{}: ends at line {}; the checkpoint was made after line {}",
                                lines_.name(), lines_.number(), at.lines)};
    }
    crc_ = crc_on(crc_on(crc_, line), "\n");
  }
  if (at.crc != 0 && at.crc != crc_) throw another_input(lines_.name(), "line", at.lines);
}

}  // namespace txmon
