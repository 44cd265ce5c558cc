// apps/txmon/checkpoint.cpp - see checkpoint.hpp; the fields are written in one order, by one list.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <type_traits>

#include "failure.hpp"
#include "line_store.hpp"

namespace txmon {
namespace {

constexpr std::array<char, 8> magic{'T', 'X', 'C', 'K', 'P', 'T', '6', '\n'};

/// Calls io(field) for every field of a snapshot, in the order of the file.
template <class Snapshot, class Io>
void each_field(Snapshot& s, Io& io) {
  io(s.epoch);
  io(s.complete);
  io(s.input);
  io(s.reading);
  io(s.alerts);
  io(s.schedule);
  io(s.lateness_ms);
  io(s.at);
  io(s.next_number);
  io(s.greatest_ms);
  io(s.counts);
  io(s.lengths);
  io(s.numbered);
  std::uint64_t names = s.names.size();
  io(names);
  if constexpr (!std::is_const_v<Snapshot>) s.names.resize(names);
  for (auto& name : s.names) io(name);
  io(s.labels);
  io(s.held_back);
  io(s.states);
}

template <class T>
inline constexpr bool is_run = false;
template <class T>
inline constexpr bool is_run<std::vector<T>> = true;
template <>
inline constexpr bool is_run<std::string> = true;

class writer {
 public:
  explicit writer(output_file& out) : out_{out} {}
  template <class T>
  void operator()(const T& field) {
    if constexpr (is_run<T>) {
      const std::uint64_t n = field.size();
      put(&n, sizeof n);
      put(field.data(), n * sizeof *field.data());
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      put(&field, sizeof field);
    }
  }
  void put(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const char*>(bytes);
    if (size > 0) crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(at), size);
    out_.write({at, size});
  }
  std::uint32_t crc() const { return static_cast<std::uint32_t>(crc_); }

 private:
  output_file& out_;
  uLong crc_ = crc32_z(0, nullptr, 0);
};

class reader {
 public:
  reader(const std::string& bytes, std::string name) : bytes_{bytes}, name_{std::move(name)} {}
  template <class T>
  void operator()(T& field) {
    if constexpr (is_run<T>) {
      std::uint64_t n = 0;
      get(&n, sizeof n);
      if (n > (bytes_.size() - at_) / sizeof *field.data()) damaged();
      field.resize(n);
      get(field.data(), n * sizeof *field.data());
    } else {
      get(&field, sizeof field);
    }
  }
  void get(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) damaged();
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  [[noreturn]] void damaged() const {
    throw failure{fmt::format(
        "{}: is damaged at byte {}; remove it to go on from an older one, or start anew", name_,
        at_)};
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::string name_;
  std::size_t at_ = 0;
};

/// The epoch in a file's name, if it is a checkpoint's.
std::optional<std::uint64_t> epoch_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view head = "checkpoint-", tail = ".bin";
  if (!name.starts_with(head) || !name.ends_with(tail)) return std::nullopt;
  std::uint64_t n = 0;
  const char *from = name.data() + head.size(), *to = name.data() + name.size() - tail.size();
  const auto [stop, code] = std::from_chars(from, to, n);
  return code == std::errc{} && stop == to ? std::optional{n} : std::nullopt;
}

/// What output_file has of a checkpoint before it is whole. A folder is of one run, and that one writes none just now.
bool is_part(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".part-");
  return at != std::string::npos && epoch_of(name.substr(0, at));
}

}  // namespace

std::filesystem::path checkpoint_folder::path_of(std::uint64_t epoch) const {
  return folder_ / fmt::format("checkpoint-{}.bin", epoch);
}

void checkpoint_folder::write(const snapshot& s) const {
  output_file out{path_of(s.epoch)};
  writer w{out};
  w(magic);
  each_field(s, w);
  const std::uint32_t crc = w.crc();
  out.write({reinterpret_cast<const char*>(&crc), sizeof crc});
  out.commit();
}

void checkpoint_folder::expect_unused() const {
  const auto left = newest();
  if (!left) return;
  throw failure{
      fmt::format(
          "{}: has a checkpoint already, of epoch {}; go on from it with --resume, or remove it",
          folder_.string(), *left),
      exit_code::usage};
}

void checkpoint_folder::expect_epoch(std::uint64_t epoch) const {
  const auto last = newest();
  // A run keeps the checkpoint of its last epoch, and may have been killed before it committed the next one.
  if (last ? *last <= epoch + 1 && std::filesystem::exists(path_of(epoch)) : epoch == 0) return;
  throw failure{
      fmt::format("{}: has {}, but the alerts go to epoch {}: they are of another run; name the "
                  "alerts and the folder of one run",
                  folder_.string(),
                  last ? fmt::format("a checkpoint of epoch {}", *last) : "no checkpoint", epoch),
      exit_code::usage};
}

void checkpoint_folder::expect_resumable(const std::string& alerts_path) const {
  const auto last = newest();
  if (std::error_code code; last.value_or(0) > 0 && !std::filesystem::exists(alerts_path, code)) {
    throw failure{fmt::format("{}: is not there, but {} has a checkpoint of epoch {}; name the "
                              "alerts of that run, or another folder to begin anew",
                              alerts_path, folder_.string(), *last),
                  exit_code::usage};
  }
  if (last || std::filesystem::path{alerts_path}.extension() != ".jsonl") return;
  for (const auto& path : {alerts_path, late_path(alerts_path)}) {
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    if (code || size == 0) continue;
    throw failure{
        fmt::format("{}: has {} bytes, but there is no checkpoint in {} to go on from; name the "
                    "folder with its checkpoints, or remove the file to begin anew",
                    path, size, folder_.string()),
        exit_code::usage};
  }
}

void checkpoint_folder::keep_only(std::uint64_t epoch) const {
  std::error_code ignored;
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator{folder_, ignored}) {
    const auto n = epoch_of(entry.path());
    if (n ? *n != epoch : is_part(entry.path())) others.push_back(entry.path());
  }
  for (const auto& path : others) std::filesystem::remove(path, ignored);
}

std::optional<std::uint64_t> checkpoint_folder::newest() const {
  std::error_code ignored;
  std::optional<std::uint64_t> best;
  for (const auto& entry : std::filesystem::directory_iterator{folder_, ignored}) {
    const auto n = epoch_of(entry.path());
    if (n && (!best || *n > *best)) best = n;
  }
  return best;
}

snapshot checkpoint_folder::read(std::uint64_t epoch) const {
  const std::string name = path_of(epoch).string();
  std::ifstream in{name, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open() || in.bad()) throw failure{name + ": cannot be read"};
  reader r{bytes, name};
  std::array<char, 8> found{};
  r(found);
  if (found != magic) {
    const bool other = std::equal(magic.begin(), magic.begin() + 6, found.begin());
    throw failure{
        name +
            (other
                 ? ": was made by another version of txmon; end the run with that one, or begin anew in "
                   "another folder with other alerts"
                 : ": is no checkpoint of txmon"),
        exit_code::usage};
  }
  std::uint32_t crc = 0;
  if (bytes.size() < sizeof crc) r.damaged();
  const std::size_t size = bytes.size() - sizeof crc;
  std::memcpy(&crc, bytes.data() + size, sizeof crc);
  if (crc != crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), size))
    r.damaged();
  snapshot s;
  each_field(s, r);
  r(crc);
  if (!r.at_end()) r.damaged();
  return s;
}

}  // namespace txmon
