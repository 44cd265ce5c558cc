// apps/txmon/alert_store.hpp - where alerts stay: a file of JSON lines or an SQLite database.
// Why: an alert must be stored once, whether the program ends, is killed, or goes on from a checkpoint.
// Invariant: epochs are stored in order and whole; within and across them alerts are in finding::key order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "accounts.hpp"
#include "outcome.hpp"
#include "transaction.hpp"

namespace txmon {

/// What one stretch of the input gave.
struct epoch {
  std::uint64_t index = 0;      ///< from 1
  std::vector<finding> alerts;  ///< sorted
  std::vector<transaction> late;
};

/// How long the files of a store are, for a store that is cut back when a run goes on from a checkpoint.
struct store_lengths {
  std::uint64_t alerts = 0, late = 0;  ///< bytes
};

enum class store_mode {
  whole,    ///< appears under its name when the run is complete
  growing,  ///< must not exist yet; has each epoch as soon as it is committed
  resumed   ///< as growing, but goes on
};

class alert_store {
 public:
  /// Told what somebody should know who waits for the store, or reads it.
  using teller = std::function<void(const std::string&)>;
  /// A database for names ending in .db, .sqlite or .sqlite3; JSON lines for .jsonl. @throws failure
  static std::unique_ptr<alert_store> open(const std::string& path, store_mode mode,
                                           teller warn = {});

  alert_store() = default;
  alert_store(const alert_store&) = delete;
  alert_store& operator=(const alert_store&) = delete;
  virtual ~alert_store() = default;

  /// The last epoch committed; without tells_epoch() the newest checkpoint decides, and cut_back() follows.
  virtual std::uint64_t last_epoch() const = 0;
  virtual bool tells_epoch() const = 0;
  virtual void cut_back(const store_lengths& to) = 0;
  /// Writes an epoch; it counts from commit() on. @throws failure, such as for a full disk
  virtual void write(const epoch& e, const accounts& names) = 0;
  virtual store_lengths lengths() const = 0;
  virtual void commit() = 0;
  /// The run is complete and its last epoch committed: gives a whole store its name; of any other, one file is left.
  virtual void publish() = 0;
};

/// One alert as a line of JSON, with its line feed.
std::string to_line(const finding& f, const accounts& names);

}  // namespace txmon
