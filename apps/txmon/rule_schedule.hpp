// apps/txmon/rule_schedule.hpp - which terms hold for which customer from which event time on, read from a JSON file.
// Why: a change of rules must be exact in event time, and a misspelt key that is ignored is a rule that never fires.
// Invariant: versions are ordered by from_ms, the first from the beginning of time; read() checks every value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules.hpp"

namespace txmon {

class rule_schedule {
 public:
  /// A lane notes in 16 bits which version an account has.
  static constexpr std::size_t most_changes = 65'534;

  /// One version: the defaults.
  rule_schedule();

  /// Reads a rule file; README.md has the keys and their bounds.
  /// @throws failure (usage) naming the file and the key: unknown, of the wrong type, or out of bounds.
  static rule_schedule read(const std::string& path);
  /// As read(), from text. @param name  what to call it in messages.
  static rule_schedule parse(std::string_view text, const std::string& name);

  std::size_t size() const { return versions_.size(); }
  /// Version `v` holds from this event time on, ms.
  std::int64_t from_ms(std::size_t v) const { return versions_[v].from_ms; }
  /// The version in force at an event time.
  std::size_t at(std::int64_t time_ms) const;
  /// For the customers that no version names.
  const terms& common(std::size_t v) const { return versions_[v].common; }
  const terms& of(std::size_t v, std::string_view customer) const;
  /// Whether version `v` names any customer: else of() is common() for all of them.
  bool names_customers(std::size_t v) const { return !versions_[v].customers.empty(); }

  /// Nothing if `newer` says the same up to and including event time `time_ms`, else what is different.
  std::optional<std::string> changes_the_past(const rule_schedule& newer,
                                              std::int64_t time_ms) const;

  /// The file as it was read, for the report and for checkpoints.
  std::string text() const { return text_; }
  /// Parameters of version `v` under the keys of the file.
  nlohmann::ordered_json to_json(std::size_t v) const;

 private:
  struct version {
    std::int64_t from_ms = 0;
    terms common;
    std::map<std::string, terms, std::less<>> customers;
  };
  std::vector<version> versions_;
  std::string text_ = "{}";
};

}  // namespace txmon
