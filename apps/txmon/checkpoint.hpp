// apps/txmon/checkpoint.hpp - all that a run needs to go on, in one file.
// Why: a monitor that is killed must neither lose an alert nor raise one twice.
// Invariant: a file that carries its name is whole: written beside, synced, renamed; its CRC-32 is checked on reading.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alert_store.hpp"
#include "source.hpp"
#include "tally.hpp"
#include "transaction.hpp"

namespace txmon {

struct snapshot {
  std::uint64_t epoch =
      0;  ///< 0: nothing of the run counts yet; only what follows up to `alerts` is told
  bool complete = false;  ///< the input was read to its end
  std::string input;      ///< its full path, or how it is made
  std::string reading;    ///< how its fields are found and what is done with malformed lines
  std::string alerts;     ///< where the alerts went, as a full path
  std::string schedule;   ///< text of the rule file in force
  std::int64_t lateness_ms = 0;
  position at;  ///< in the input
  std::uint64_t next_number = 1;
  std::int64_t greatest_ms = 0;
  tally_counts counts;
  store_lengths lengths;
  std::uint32_t numbered = 0;      ///< accounts A0 .. of this many, or
  std::vector<std::string> names;  ///< by id
  std::vector<label> labels;
  std::vector<transaction> held_back;
  std::vector<std::byte> states;  ///< of the accounts, by id
};

/// The files of one folder: checkpoint-<epoch>.bin.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(std::filesystem::path folder) : folder_{std::move(folder)} {}

  /// @throws failure, such as for a full disk; then nothing has changed
  void write(const snapshot& s) const;
  /// Before the alerts of a new run are opened: its checkpoints and another run's would be mixed up after a crash.
  /// @throws failure, saying what to do, if there is a checkpoint
  void expect_unused() const;
  /// Before the alerts of a run that goes on are opened, which may create them.
  /// @throws failure, saying what to do, if these alerts are not of the run with these checkpoints
  void expect_resumable(const std::string& alerts_path) const;
  /// For alerts that tell their last epoch. @throws failure if they are not of the run with these checkpoints
  void expect_epoch(std::uint64_t epoch) const;
  /// Removes those of other epochs, and what killed runs did not finish writing.
  void keep_only(std::uint64_t epoch) const;
  /// The greatest epoch there is a file for.
  std::optional<std::uint64_t> newest() const;
  /// @throws failure if it is missing, damaged or of another version of this program
  snapshot read(std::uint64_t epoch) const;

 private:
  std::filesystem::path path_of(std::uint64_t epoch) const;
  std::filesystem::path folder_;
};

}  // namespace txmon
