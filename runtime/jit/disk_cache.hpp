// runtime/jit/disk_cache.hpp - compiled units on disk, one file a key.
// Why: a compile takes seconds, a warm start must take milliseconds.
// Invariant: a file under its final name was written whole: a temporary is filled, synced, then
//   renamed. What is
//   read is used only if magic, length, key and checksum agree, so damage is found and never run.
// Threads: any number of threads and processes may load and store, also one key at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "perdure/result.hpp"
#include "runtime/jit/hash.hpp"

namespace perdure::runtime::jit {

/// What an entry holds. File, little-endian: 8 bytes "PRDCUB01"; key and checksum of the payload,
///   16 bytes each
/// (high word first); u64 payload bytes; payload: u64 log bytes, the log, then the cubin to the
///   end.
struct cache_entry {
  std::vector<std::uint8_t> cubin;
  std::string log;
};

class disk_cache {
 public:
  /// @param most_bytes  of all entries: what was not used for longest goes when another one is stored.
  explicit disk_cache(std::filesystem::path folder,
                      std::uint64_t most_bytes = std::uint64_t{1} << 30U)
      : folder_{std::move(folder)}, most_bytes_{most_bytes} {}

  /// `named` if not empty, else $PERDURE_CACHE, else $HOME/.cache/perdure; empty if none of them
  ///   is set.
  static std::filesystem::path folder_for(const std::filesystem::path& named);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const hash128& key) const {
    return folder_ / (key.hex() + ".cubin");
  }

  struct lookup {
    std::optional<cache_entry> entry;
    std::string damage;  ///< not empty: a file is there and it is not a whole entry of this key
  };
  /// What is found counts as used now.
  lookup load(const hash128& key) const;

  /// Makes the folder if need be; other entries may go, see the constructor. @return cannot_write with the file and the system's reason.
  result<void> store(const hash128& key, const cache_entry& entry) const;

 private:
  void make_room(const std::filesystem::path& newest) const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

/// Puts `text` into `file`, whole or not at all, readable by other users of the file at any time.
result<void> write_atomically(const std::filesystem::path& file, const std::string& text);

}  // namespace perdure::runtime::jit
