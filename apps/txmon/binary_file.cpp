// apps/txmon/binary_file.cpp - see binary_file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "binary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>

#include "codes.hpp"
#include "money.hpp"

namespace txmon {
namespace {
constexpr std::size_t label_bytes = 9;
}

binary_source::binary_source(const std::string& path, bool lenient)
    : name_{path}, lenient_{lenient} {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (file < 0 || fstat(file, &about) != 0) {
    const int why = errno;
    if (file >= 0) close(file);
    throw failure{fmt::format("{}: cannot be opened: {}", path, std::strerror(why))};
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  void* at = size > 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int why = errno;
  close(file);
  if (at == MAP_FAILED)
    throw failure{fmt::format("{}: cannot be mapped: {}", path, std::strerror(why))};
  mapped_ = at;
  bytes_ = {static_cast<const std::byte*>(at), size};
  try {
    open();
  } catch (...) {
    munmap(mapped_, bytes_.size());
    throw;
  }
  if (size > 0) madvise(mapped_, size, MADV_SEQUENTIAL);
}

binary_source::binary_source(std::span<const std::byte> bytes, std::string name, bool lenient)
    : name_{std::move(name)}, bytes_{bytes}, lenient_{lenient} {
  open();
}

binary_source::~binary_source() {
  if (mapped_ != nullptr) munmap(mapped_, bytes_.size());
}

void binary_source::open() {
  auto refuse = [&](const std::string& what) { throw failure{name_ + ": " + what}; };
  binary_footer& f = footer_;
  if (bytes_.size() < sizeof f)
    refuse(fmt::format("expected at least {} bytes, found {}", sizeof f, bytes_.size()));
  std::memcpy(&f, bytes_.data() + bytes_.size() - sizeof f, sizeof f);
  const binary_footer good;
  if (f.magic != good.magic) refuse("no footer of txmon: the file is cut short or of another kind");
  if (f.version != good.version || f.record_bytes != good.record_bytes)
    refuse(fmt::format("version {} with records of {} bytes; expected {} and {}", f.version,
                       f.record_bytes, good.version, good.record_bytes));
  // Each part alone is bounded first, so that the sum cannot wrap around.
  const std::uint64_t size = bytes_.size() - sizeof f;
  if (f.rows > size / sizeof(transaction) || f.labels > size / label_bytes ||
      f.names_bytes > size ||
      f.rows * sizeof(transaction) + f.labels * label_bytes + f.names_bytes != size)
    refuse(fmt::format(
        "the footer tells of {} rows, {} labels and {} bytes of names, the file has {} bytes",
        f.rows, f.labels, f.names_bytes, bytes_.size()));
  if (f.accounts > std::numeric_limits<std::uint32_t>::max() - 1)
    refuse(fmt::format("the footer tells of {} accounts; at most 2^32 - 2 fit", f.accounts));
  const std::byte* at = bytes_.data() + f.rows * sizeof(transaction);
  for (std::uint64_t i = 0; i < f.labels; ++i, at += label_bytes) {
    label l;
    std::memcpy(&l.row, at, sizeof l.row);
    l.kind = static_cast<std::uint8_t>(at[8]);
    if (l.row == 0 || l.row > f.rows || l.kind > rule_count ||
        (!labels_.empty() && l.row - 1 <= labels_.back().row))
      refuse(fmt::format("label {}: expected an ascending row from 1 to {} and a kind up to {}",
                         i + 1, f.rows, rule_count));
    --l.row;
    labels_.push_back(l);
  }
  if (f.names_bytes == 0) {
    names().number(static_cast<std::uint32_t>(f.accounts));
    return;
  }
  std::string_view text{reinterpret_cast<const char*>(at), f.names_bytes};
  for (std::uint64_t n = 1; !text.empty(); ++n) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) refuse(fmt::format("name {}: is cut short", n));
    if (!is_account_name(text.substr(0, end)))
      refuse(fmt::format("name {}: expected {}", n, account_name_rule()));
    names().id_of(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (names().size() != f.accounts)
    refuse(fmt::format("{} different names for {} accounts", names().size(), f.accounts));
}

bool binary_source::claim(piece& out) {
  out.index = claimed_++;
  out.begin.rows = next_row_;
  next_row_ = std::min<std::uint64_t>(next_row_ + block_rows, footer_.rows);
  out.end.rows = next_row_;
  return out.end.rows != out.begin.rows;
}

const char* binary_source::fault(const transaction& t) const {
  if (t.account.get() >= footer_.accounts) return "account: expected less than the file's accounts";
  if (t.counterparty.get() >= footer_.accounts)
    return "counterparty: expected less than the file's accounts";
  if (t.cents.get() > static_cast<std::uint64_t>(max_cents))
    return "cents: expected 0 to 9000000000000";
  if (t.currency == 0 || t.currency > currency_count) return "currency: expected 1 to 181";
  if (t.country > country_count) return "country: expected 0 to 249";
  if (t.type >= kind_count) return "type: expected 0 to 4";
  if (static_cast<unsigned>(t.via) >= channel_count) return "channel: expected 0 to 5";
  if (t.time_ms.get() > static_cast<std::uint64_t>(last_time_ms))
    return "time_ms: expected 0 to 2^48";
  return nullptr;
}

void binary_source::parse(piece& from, block& out) {
  const auto count = from.end.rows - from.begin.rows;
  out.rows.resize(count);
  std::memcpy(out.rows.data(), bytes_.data() + from.begin.rows * sizeof(transaction),
              count * sizeof(transaction));
  auto label_at = std::lower_bound(labels_.begin(), labels_.end(), from.begin.rows,
                                   [](const label& l, std::uint64_t row) { return l.row < row; });
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t row = from.begin.rows + i;
    const bool labelled = label_at != labels_.end() && label_at->row == row;
    if (const char* wrong = fault(out.rows[i])) {
      const auto text =
          fmt::format("{}: row {} (byte {}): {}", name_, row + 1, row * sizeof(transaction), wrong);
      if (!lenient_) {
        out.rows.resize(kept);
        from.end.rows = row;
        throw failure{text};
      }
      ++out.skipped;
      if (out.reasons.size() < 5) out.reasons.push_back(text);
    } else {
      if (labelled) out.labels.push_back({kept, label_at->kind});
      out.rows[kept++] = out.rows[i];
      if (out.wants_places) out.places.push_back({{row + 1}, out.skipped});
    }
    if (labelled) ++label_at;
  }
  out.rows.resize(kept);
}

void binary_source::seek(const position& at) {
  if (at.rows > footer_.rows)
    throw failure{fmt::format("{}: has {} rows; the checkpoint was made after row {}", name_,
                              footer_.rows, at.rows)};
  if (at.crc != 0 && at.crc != crc_at(at)) throw another_input(name_, "row", at.rows);
  next_row_ = at.rows;
}

std::uint64_t binary_source::crc_at(const position& at) const {
  const auto before = bytes_.first(at.rows * sizeof(transaction));
  const auto some = std::min<std::size_t>(before.size(), 64 * 1024);
  uLong crc = 0;
  for (const auto part : {before.first(some), before.last(some)})
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  return crc;
}

void binary_writer::add(const block& rows) {
  for (const label& l : rows.labels) {
    const std::uint64_t row = footer_.rows + l.row + 1;
    labels_.append(reinterpret_cast<const char*>(&row), sizeof row);
    labels_ += static_cast<char>(l.kind);
    ++footer_.labels;
  }
  file_.write(
      {reinterpret_cast<const char*>(rows.rows.data()), rows.rows.size() * sizeof(transaction)});
  footer_.rows += rows.rows.size();
}

void binary_writer::finish(const accounts& names) {
  file_.write(labels_);
  footer_.accounts = names.size();
  for (std::uint32_t id = 0; id < names.size() && !names.numbered(); ++id) {
    const std::string name = names.name_of(id) + "\n";
    footer_.names_bytes += name.size();
    file_.write(name);
  }
  file_.write({reinterpret_cast<const char*>(&footer_), sizeof footer_});
  file_.commit();
}

}  // namespace txmon
