// runtime/record/recorder.hpp - writes a recording while its system runs.
// Why: what a run gets from outside (actors, links, a host's messages) is written as it comes; what the workers noted, when they
//      have left.
// Invariant: under its name the file is there only when it is whole; until then it is `<name>.<process>.<system>.part`.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "perdure/result.hpp"
#include "runtime/record/format.hpp"
#include "runtime/record/whole_file.hpp"

namespace perdure::runtime {

class recorder {
 public:
  /// @param system  its number. @return cannot_write: there can be no such file.
  static result<std::unique_ptr<recorder>> open(const std::filesystem::path& file,
                                                const program& actors, std::uint64_t seed,
                                                std::uint32_t system);

  /// @param states  one behind the other.
  void spawned(std::uint64_t first, std::size_t count, std::span<const std::byte> states);
  void linked(std::span<const recorded::link_row> links);
  /// Before or behind its handling: whoever reads the file looks for it.
  void sent(const recorded::sent_row& how, const void* message);
  void taken(std::span<const abi::record_entry> entries);
  /// @param states  an actor_header and the state of each.
  void states(std::uint64_t first, std::size_t count, std::span<const std::byte> states);
  /// The last word. @param missing,cut_short  as end_row's. @return cannot_write, of this call or one before; there is no file then.
  result<void> finish(std::uint64_t missing, bool cut_short);

 private:
  recorder() = default;
  void put(recorded::chunk_kind kind, std::span<const std::byte> head,
           std::span<const std::byte> body);
  void put_sent();

  std::mutex mutex_;
  whole_file file_;
  std::vector<std::byte> sent_;  ///< rows that are not in the file yet
  std::uint64_t entries_ = 0;
  bool no_memory_ = false;  ///< something is not in it
};

}  // namespace perdure::runtime
