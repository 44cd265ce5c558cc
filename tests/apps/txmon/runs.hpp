// tests/apps/txmon/runs.hpp - whole runs in one process: sources in memory, a store in memory, actors and oracle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column_map.hpp"
#include "csv_source.hpp"
#include "generator.hpp"
#include "session.hpp"

namespace txmon::test {

/// Keeps committed epochs; may be slow.
class memory_store final : public alert_store {
 public:
  std::vector<epoch> epochs;
  std::function<void()> on_write{};

  std::uint64_t last_epoch() const override { return epochs.empty() ? 0 : epochs.back().index; }
  bool tells_epoch() const override { return true; }
  void cut_back(const store_lengths&) override {}
  void write(const epoch& e, const accounts&) override {
    if (on_write) on_write();
    next_ = e;
  }
  store_lengths lengths() const override { return {}; }
  void commit() override { epochs.push_back(std::exchange(next_, {})); }
  void publish() override {}

  std::vector<finding> alerts() const {
    std::vector<finding> all;
    for (const auto& e : epochs) all.insert(all.end(), e.alerts.begin(), e.alerts.end());
    return all;
  }

 private:
  epoch next_;
};

/// Rows written down in a test; accounts A0, A1, ...
class list_source final : public source {
 public:
  list_source(std::vector<transaction> rows, std::uint32_t accounts, std::size_t block = block_rows)
      : rows_{std::move(rows)}, block_{block} {
    names().number(accounts);
  }
  bool claim(piece& out) override {
    out.index = claimed_++;
    out.begin.rows = at_;
    for (; at_ < rows_.size() && out.rows.size() < block_; ++at_) out.rows.push_back(rows_[at_]);
    out.end.rows = at_;
    return !out.rows.empty();
  }
  void parse(piece& from, block& out) override {
    out.rows = std::move(from.rows);
    for (std::uint64_t row = from.begin.rows; out.wants_places && row < from.end.rows; ++row)
      out.places.push_back({{row + 1}});
  }
  void seek(const position& at) override { at_ = at.rows; }

 private:
  std::vector<transaction> rows_;
  std::size_t block_, at_ = 0;
  std::uint64_t claimed_ = 0;
};

inline session::settings on_cpu() {
  session::settings s;
  s.actors.system.backend = perdure::backend::cpu;
  s.verify = true;
  return s;
}

inline std::shared_ptr<const rule_schedule> rules_of(std::string_view text) {
  return std::make_shared<const rule_schedule>(rule_schedule::parse(text, "rules"));
}

/// A generator together with the rules that go with it.
struct generated {
  generator from;
  std::shared_ptr<const rule_schedule> rules;
  explicit generated(const std::string& text)
      : from{generator_settings::parse(text)}, rules{rules_of(from.rule_file())} {}
};

/// Runs to the end, against the oracle if the settings say so.
struct whole_run {
  memory_store store;
  tally_counts counts;
  run_figures figures;
  std::vector<account_figures> accounts;
  std::optional<std::string> difference;

  whole_run(source& from, const session::settings& s) {
    session run{s, from, store};
    run.run();
    counts = run.counts().counts();
    figures = run.figures();
    accounts = run.accounts_now();
    if (s.verify) difference = run.difference();
  }
};

}  // namespace txmon::test
