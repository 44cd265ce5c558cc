// apps/txmon/line_store.cpp - alerts as JSON lines; late transactions beside them in <name>.late.jsonl.
// Invariant: what follows the lengths of the last checkpoint was never committed, and is cut off on resume.
// SPDX-License-Identifier: Apache-2.0
#include "line_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "codes.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

/// A file that grows by whole epochs.
class growing_file {
 public:
  growing_file(std::string path, bool resumed) : path_{std::move(path)} {
    std::error_code code;
    const std::filesystem::path at{path_};
    if (at.has_parent_path()) std::filesystem::create_directories(at.parent_path(), code);
    file_ = std::fopen(path_.c_str(), resumed ? "r+b" : "wbx");
    if (file_ == nullptr && resumed && errno == ENOENT) file_ = std::fopen(path_.c_str(), "wbx");
    if (file_ == nullptr) {
      refuse(errno == EEXIST
                 ? "is there already; go on from its checkpoint with --resume, or remove it"
                 : std::strerror(errno));
    }
    sync_folder_of(path_);
    if (std::fseek(file_, 0, SEEK_END) != 0) refuse(std::strerror(errno));
    length_ = static_cast<std::uint64_t>(std::ftell(file_));
  }
  growing_file(const growing_file&) = delete;
  growing_file& operator=(const growing_file&) = delete;
  ~growing_file() { std::fclose(file_); }

  void cut_back(std::uint64_t length) {
    if (length > length_)
      refuse(fmt::format("has {} bytes, fewer than the {} that the checkpoint tells of", length_,
                         length));
    if (ftruncate(fileno(file_), static_cast<off_t>(length)) != 0 ||
        std::fseek(file_, 0, SEEK_END) != 0)
      refuse(std::strerror(errno));
    length_ = length;
  }
  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      refuse(std::strerror(errno));
    length_ += text.size();
  }
  void sync() {
    if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) refuse(std::strerror(errno));
  }
  std::uint64_t length() const { return length_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw failure{fmt::format("{}: {}", path_, why)};
  }
  std::string path_;
  std::FILE* file_ = nullptr;
  std::uint64_t length_ = 0;
};

class whole_lines final : public alert_store {
 public:
  explicit whole_lines(const std::string& path) : alerts_{path}, late_{late_path(path)} {}
  std::uint64_t last_epoch() const override { return 0; }
  bool tells_epoch() const override { return true; }
  void cut_back(const store_lengths&) override {}
  void write(const epoch& e, const accounts& names) override {
    for (const finding& f : e.alerts) alerts_.write(to_line(f, names));
    for (const transaction& t : e.late) late_.write(late_line(t, names));
  }
  store_lengths lengths() const override { return {}; }
  void commit() override {}
  void publish() override {
    alerts_.close();
    late_.close();
    alerts_.commit();
    late_.commit();
  }

 private:
  output_file alerts_, late_;
};

class growing_lines final : public alert_store {
 public:
  growing_lines(const std::string& path, bool resumed)
      : alerts_{path, resumed}, late_{late_path(path), resumed} {}
  std::uint64_t last_epoch() const override { return 0; }
  bool tells_epoch() const override { return false; }
  void cut_back(const store_lengths& to) override {
    alerts_.cut_back(to.alerts);
    late_.cut_back(to.late);
  }
  void write(const epoch& e, const accounts& names) override {
    for (const finding& f : e.alerts) alerts_.write(to_line(f, names));
    for (const transaction& t : e.late) late_.write(late_line(t, names));
    alerts_.sync();
    late_.sync();
  }
  store_lengths lengths() const override { return {alerts_.length(), late_.length()}; }
  void commit() override {}
  void publish() override {}

 private:
  growing_file alerts_, late_;
};

}  // namespace

std::string late_path(const std::string& alerts_path) {
  return std::filesystem::path{alerts_path}.replace_extension(".late.jsonl").string();
}

std::unique_ptr<alert_store> open_lines(const std::string& path, store_mode mode) {
  if (mode == store_mode::whole) return std::make_unique<whole_lines>(path);
  return std::make_unique<growing_lines>(path, mode == store_mode::resumed);
}

std::string to_line(const finding& f, const accounts& names) {
  // Names are letters, digits, '-', '_' and '.' only (is_account_name), so nothing needs escaping.
  std::string evidence;
  for (const auto n : f.evidence) evidence += fmt::format("{}{}", evidence.empty() ? "" : ",", n);
  std::string value = std::to_string(f.value);
  if (f.fired == rule::geography && f.why != reason::travel)
    value = fmt::format("\"{}\"", country_name(static_cast<std::uint16_t>(f.value)));
  return fmt::format(
      R"({{"transaction":{},"time_ms":{},"account":"{}","side":"{}","rule":"{}","severity":"{}",)"
      R"("reason":"{}","score":{},"value":{},"limit":{},"from_ms":{},"counterparty":"{}",)"
      R"("evidence":[{}],"hlc":{}}})"
      "\n",
      f.number, f.time_ms, names.name_of(f.account), name_of(f.direction), name_of(f.fired),
      name_of(f.level), name_of(f.why), f.score, value, f.limit, f.from_ms,
      names.name_of(f.counterparty), evidence, f.hlc);
}

std::string late_line(const transaction& t, const accounts& names) {
  return fmt::format(
      R"({{"transaction":{},"time_ms":{},"account":"{}","counterparty":"{}","cents":{}}})"
      "\n",
      t.number.get(), t.when(), names.name_of(t.account.get()), names.name_of(t.counterparty.get()),
      t.amount());
}

}  // namespace txmon
