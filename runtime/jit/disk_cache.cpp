// runtime/jit/disk_cache.cpp - see disk_cache.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/disk_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

namespace perdure::runtime::jit {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view magic = "PRDCUB01";
constexpr std::size_t head_bytes = 8 + 16 + 16 + 8;

void put(std::string& to, std::uint64_t value) {
  for (int i = 0; i < 8; ++i, value >>= 8U) to.push_back(static_cast<char>(value & 0xffU));
}
void put(std::string& to, const hash128& value) {
  put(to, value.high);
  put(to, value.low);
}
std::uint64_t take(std::string_view& from) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8U | static_cast<std::uint8_t>(from[i]);
  from.remove_prefix(8);
  return value;
}
hash128 take_hash(std::string_view& from) {
  hash128 value;
  value.high = take(from);
  value.low = take(from);
  return value;
}

/// A file descriptor that is closed once.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_{fd} {}
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

/// @return the file's bytes; nothing if it cannot be read, with errno saying why.
std::optional<std::string> read_file(const fs::path& file) {
  const descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (in.get() < 0) return std::nullopt;
  std::string bytes;
  char block[1 << 16];
  for (;;) {
    const auto n = ::read(in.get(), block, sizeof(block));
    if (n == 0) return bytes;
    if (n > 0) {
      bytes.append(block, static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

result<void> write_atomically(const fs::path& file, const std::string& text) {
  static std::atomic<unsigned> serial{0};  // relaxed: only makes names of this process differ
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed)
    return error{errc::cannot_write, file.parent_path().string() + ": " + failed.message()};

  fs::path temporary = file;
  temporary += "." + std::to_string(::getpid()) + "." +
               std::to_string(serial.fetch_add(1, std::memory_order_relaxed)) + ".tmp";
  descriptor out{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (out.get() < 0) return error{errc::cannot_write, temporary.string() + ": " + reason()};
  if (write_all(out.get(), text) && ::fsync(out.get()) == 0 && out.close() &&
      ::rename(temporary.c_str(), file.c_str()) == 0) {
    return {};
  }
  const auto why = reason();
  ::unlink(temporary.c_str());
  return error{errc::cannot_write, file.string() + ": " + why};
}

fs::path disk_cache::folder_for(const fs::path& named) {
  if (!named.empty()) return named;
  if (const char* set = std::getenv("PERDURE_CACHE"); set != nullptr && *set != '\0') return set;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path{home} / ".cache" / "perdure";
  return {};
}

disk_cache::lookup disk_cache::load(const hash128& key) const {
  const auto bytes = read_file(file_of(key));
  if (!bytes)
    return errno == ENOENT || errno == ENOTDIR
               ? lookup{}
               : lookup{std::nullopt, "cannot be read: " + reason()};
  std::string_view rest{*bytes};
  if (rest.size() < head_bytes)
    return {std::nullopt, "is cut short: " + std::to_string(rest.size()) + " bytes"};
  if (!rest.starts_with(magic))
    return {std::nullopt, "does not begin as an entry of this version does"};
  rest.remove_prefix(magic.size());
  if (take_hash(rest) != key) return {std::nullopt, "holds another key"};
  const auto checksum = take_hash(rest);
  const auto payload_bytes = take(rest);
  if (rest.size() != payload_bytes) {
    return {std::nullopt, "has " + std::to_string(rest.size()) + " of " +
                              std::to_string(payload_bytes) + " bytes"};
  }
  if (hash128{}.bytes(rest) != checksum) return {std::nullopt, "has a wrong checksum"};
  if (rest.size() < 8) return {std::nullopt, "holds nothing"};
  const auto log_bytes = take(rest);
  if (log_bytes > rest.size()) return {std::nullopt, "has a log longer than itself"};
  cache_entry entry;
  entry.log = rest.substr(0, log_bytes);
  rest.remove_prefix(log_bytes);
  entry.cubin.assign(rest.begin(), rest.end());
  std::error_code ignored;  // a folder of somebody else's: then it does not count as used
  fs::last_write_time(file_of(key), fs::file_time_type::clock::now(), ignored);
  return {std::move(entry), {}};
}

result<void> disk_cache::store(const hash128& key, const cache_entry& entry) const {
  std::string payload;
  put(payload, entry.log.size());
  payload.append(entry.log).append(entry.cubin.begin(), entry.cubin.end());
  std::string file{magic};
  put(file, key);
  put(file, hash128{}.bytes(payload));
  put(file, payload.size());
  auto written = write_atomically(file_of(key), file + payload);
  if (written) make_room(file_of(key));
  return written;
}

namespace {

/// What stands behind the key in the name of a file of ours; empty for others': the folder may be shared.
std::string behind_key(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.find_first_not_of("0123456789abcdef") == 32 ? name.substr(32) : std::string{};
}
/// What a process left that was killed while it wrote.
bool is_leftover(const std::string& behind, fs::file_time_type written) {
  return behind.starts_with(".cubin.") && behind.ends_with(".tmp") &&
         fs::file_time_type::clock::now() - written > std::chrono::hours{24};
}

}  // namespace

/// Others may load and remove at the same time: what cannot be read or removed is passed over.
void disk_cache::make_room(const fs::path& newest) const {
  struct item {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<item> items;
  std::uint64_t total = 0;
  std::error_code failed;
  for (fs::directory_iterator at{folder_, failed}, end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;
    item i{at->last_write_time(gone), 0, at->path()};
    if (!gone) i.bytes = at->file_size(gone);
    if (gone) continue;
    const std::string behind = behind_key(i.path);
    if (is_leftover(behind, i.used)) fs::remove(i.path, gone);
    if (behind != ".cubin") continue;
    total += i.bytes;
    if (i.path != newest) items.push_back(std::move(i));
  }
  std::sort(items.begin(), items.end(),
            [](const item& a, const item& b) { return a.used < b.used; });
  for (const item& oldest : items) {
    if (total <= most_bytes_) return;
    std::error_code gone;
    if (fs::remove(oldest.path, gone)) total -= oldest.bytes;
  }
}

}  // namespace perdure::runtime::jit
