// apps/txmon/session.cpp - see session.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "failure.hpp"
#include "slices.hpp"

namespace txmon {
namespace {
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

[[noreturn]] void refuse_checkpoint(const session::settings& s, std::uint64_t epoch,
                                    const std::string& what) {
  throw failure{fmt::format("{}: cannot go on from checkpoint {}: {}", s.checkpoints, epoch, what),
                exit_code::usage};
}

/// The event time from which on two schedules say different things, if they ever do.
std::optional<std::int64_t> differs_from(const rule_schedule& a, const rule_schedule& b) {
  std::optional<std::int64_t> first;
  for (const rule_schedule* each : {&a, &b}) {
    for (std::size_t v = 0; v < each->size(); ++v) {
      const std::int64_t at = each->from_ms(v);
      if ((!first || at < *first) && a.changes_the_past(b, at)) first = at;
    }
  }
  return first;
}
}  // namespace

session::session(settings s, source& from, alert_store& store)
    : settings_{std::move(s)},
      source_{from},
      store_{store},
      checkpoints_{settings_.checkpoints},
      order_{settings_.lateness_ms},
      monitor_{settings_.actors, from.names()} {
  settings_.reading.lanes = monitor_.share();
  settings_.reading.places = settings_.actors.speed > 0 || settings_.ahead.most_ms > 0;
  if (settings_.verify) oracle_.emplace(settings_.lateness_ms);
  if (settings_.resume) {
    restore();
  } else if (!settings_.checkpoints.empty()) {
    checkpoints_.expect_unused();
  }
}

snapshot session::names_of_run() const {
  snapshot s;
  s.input = settings_.input;
  s.reading = settings_.reading_as;
  s.alerts = settings_.alerts;
  return s;
}

void session::expect_same_run(const snapshot& s) const {
  const auto compare = [&](const char* option, const std::string& was, const std::string& is) {
    if (was != is)
      refuse_checkpoint(settings_, s.epoch,
                        fmt::format("it was made with {} '{}', not '{}'", option, was, is));
  };
  compare("--input", s.input, settings_.input);
  compare("--alerts", s.alerts, settings_.alerts);
  compare("its input read by", s.reading, settings_.reading_as);
}

void session::restore() {
  const std::uint64_t epoch =
      store_.tells_epoch() ? store_.last_epoch() : checkpoints_.newest().value_or(0);
  // Nothing is cut and nothing is added before the run is known to be the same one.
  if (const auto last = checkpoints_.newest()) expect_same_run(checkpoints_.read(*last));
  checkpoints_.expect_epoch(epoch);
  if (epoch == 0) return store_.cut_back({});  // it was killed in its first epoch
  const snapshot s = checkpoints_.read(epoch);
  const auto refuse = [&](const std::string& what) { refuse_checkpoint(settings_, epoch, what); };
  if (s.lateness_ms != settings_.lateness_ms)
    refuse(fmt::format("it was made with --lateness {}", s.lateness_ms));
  if (s.states.size() % monitor::state_bytes() != 0) refuse("its account states have another size");
  order_.resume(s.next_number, s.greatest_ms);
  const auto was = rule_schedule::parse(s.schedule, "the checkpoint's rules");
  if (const auto why = was.changes_the_past(*settings_.actors.schedule, order_.watermark()))
    refuse(fmt::format("the rule file differs from the one in force: {}", *why));
  accounts& names = source_.names();
  if (s.numbered > 0 && names.size() != s.numbered)
    refuse(fmt::format("it has {} accounts, the input {}", s.numbered, names.size()));
  for (std::uint32_t id = 0; id < s.names.size(); ++id) {
    if (names.id_of(s.names[id]) != id)
      refuse(fmt::format("its account {} is '{}', the input has another there", id, s.names[id]));
  }
  source_.seek(s.at);
  tally_.restore(s.counts, s.labels);
  monitor_.restore(s.held_back, s.states);
  store_.cut_back(s.lengths);  // last: what refuses has changed nothing
  at_ = s.at;
  epoch_ = s.epoch;
  epoch_first_ = s.next_number;
  complete_ = s.complete;
  resumed_ = true;
}

void session::run() {
  epoch_began_ = clock::now();
  if (epoch_ == 0 && !settings_.checkpoints.empty()) {
    // what the store holds without its epoch 1 is of this run: it may be cut
    checkpoints_.write(names_of_run());
  }
  last_block_ = epoch_began_;
  if (settings_.idle_flush.count() > 0 || settings_.stop_asked || settings_.new_schedule)
    watcher_ = std::jthread{[this](const std::stop_token& stopping) { watch(stopping); }};
  try {
    ingest(source_, settings_.reading, [this](parsed& next) {
      std::unique_lock lock{turn_};
      if (settings_.stop_asked && settings_.stop_asked()) stop();
      if (failed_) std::rethrow_exception(failed_);
      try {
        return take(lock, next);
      } catch (...) {
        failed_ = std::current_exception();
        throw;
      }
    });
  } catch (...) {
    watcher_ = {};
    if (!failed_) end_early();  // it is the source that failed
    throw;
  }
  watcher_ = {};
  if (failed_) std::rethrow_exception(failed_);
  if (!complete_) {
    monitor_.release_all();
    end_epoch(at_, true);
  }
}

void session::watch(const std::stop_token& stopping) {
  std::unique_lock lock{turn_};
  while (!stopping.stop_requested() && !failed_) {
    try {
      look_around();
    } catch (...) {
      failed_ = std::current_exception();
    }
    const auto next = std::min<clock::duration>(
        50ms, settings_.idle_flush.count() > 0 ? settings_.idle_flush : 50ms);
    stopped_.wait_for(lock, stopping, next, [] { return false; });
  }
  stopped_.notify_all();  // a replay may wait for a row that is never due
}

void session::look_around() {
  if (settings_.stop_asked && settings_.stop_asked()) return stop();
  change_rules();
  const bool rows_wait = order_.next_number() > epoch_first_;
  if (settings_.idle_flush.count() > 0 && rows_wait &&
      clock::now() >= last_block_ + settings_.idle_flush)
    end_epoch(at_, false);
}

void session::stop() {
  if (failed_) return;
  std::string wrong;
  try {
    end_early();
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  failed_ = std::make_exception_ptr(failure{wrong.empty() ? "stopped" : wrong});
  if (settings_.on_stopped) settings_.on_stopped(wrong);
}

void session::end_early() {
  const bool rows_wait = order_.next_number() > epoch_first_;
  if (settings_.checkpoints.empty() || (!rows_wait && !settings_.read_once)) return;
  if (settings_.read_once) monitor_.release_all();  // nobody will judge it later
  end_epoch(at_, settings_.read_once);
}

bool session::take(std::unique_lock<std::mutex>& turn, parsed& next) {
  if (complete_) {
    throw failure{fmt::format(
        "{}: has grown since its last checkpoint, which was made at its end; what was held "
        "back has been judged. Run the new rows by themselves",
        settings_.input)};
  }
  const auto too_far = leave_out_far_rows(next, order_, settings_.reading.lanes, settings_.ahead,
                                          settings_.input, at_);
  if (settings_.actors.speed > 0) {
    replay(turn, next);
  } else {
    admit(next);
  }
  if (too_far) {
    end_early();
    throw failure{*too_far};
  }
  return true;
}

void session::replay(std::unique_lock<std::mutex>& turn, parsed& next) {
  constexpr double together_ms = 10;  // by the clock; lanes wait for each row by itself
  for (parsed& part :
       in_slices(std::move(next), together_ms * settings_.actors.speed, monitor_.share())) {
    // Whoever looks around has the turn meanwhile: epochs end, rules change and signals are heard between two rows.
    if (const auto due = monitor_.due(part.cut->earliest); due && !part.cut->rows.empty())
      stopped_.wait_until(turn, *due, [this] { return failed_ != nullptr; });
    if (failed_) std::rethrow_exception(failed_);
    admit(part);
  }
}

void session::admit(parsed& next) {
  last_block_ = clock::now();
  change_rules();
  order_.admit(*next.cut);
  tally_.add_rows(next.rows, next.cut->first, next.cut->rows.size());
  if (settings_.on_skipped)
    for (const auto& why : next.rows.reasons) settings_.on_skipped(why);
  for (const auto row : next.cut->late) {
    late_.push_back(next.cut->numbered(row));
    if (oracle_) kept_.late.push_back(next.cut->first + row);
  }
  if (oracle_)
    for (std::size_t r = 0; r < next.cut->rows.size(); ++r) oracle_->take(next.cut->numbered(r));
  monitor_.take(std::move(next.cut));
  at_ = next.after;
  if (settings_.on_progress) settings_.on_progress(order_.next_number() - 1);
  if (order_.next_number() - epoch_first_ >= settings_.epoch_rows ||
      clock::now() - epoch_began_ >= settings_.epoch_time)
    end_epoch(at_, false);
}

void session::change_rules() {
  if (!settings_.new_schedule) return;
  const auto newer = settings_.new_schedule();
  if (!newer) return;
  auto& now = settings_.actors.schedule;
  const bool judged = order_.next_number() > 1;
  if (const auto why = now->changes_the_past(*newer, order_.watermark()); why && judged) {
    if (settings_.on_refused) settings_.on_refused(*why);
    return;
  }
  const auto from_ms = differs_from(*now, *newer);
  now = newer;
  monitor_.change(newer);
  if (settings_.on_accepted) settings_.on_accepted(from_ms);
}

void session::end_epoch(const position& at, bool complete) {
  epoch e;
  e.index = ++epoch_;
  e.alerts = monitor_.rest();
  e.late = std::exchange(late_, {});
  tally_.add_alerts(e.alerts);
  tally_.add_late(e.late.size());
  store_.write(e, source_.names());
  if (!settings_.checkpoints.empty()) {
    snapshot s = names_of_run();
    s.epoch = epoch_;
    s.complete = complete;
    s.schedule = schedule().text();
    s.lateness_ms = settings_.lateness_ms;
    s.at = at;
    s.at.crc = source_.crc_at(at);
    s.next_number = order_.next_number();
    s.greatest_ms = order_.greatest();
    s.counts = tally_.counts();
    s.lengths = store_.lengths();
    const accounts& names = source_.names();
    const std::uint32_t there = names.size();  // asked once: readers go on meeting names
    s.numbered = names.numbered() ? there : 0;
    for (std::uint32_t i = 0; s.numbered == 0 && i < there; ++i)
      s.names.push_back(names.name_of(i));
    s.labels = tally_.labels();
    s.held_back = monitor_.held_back();
    monitor_.each_state([&](std::span<const std::byte> states) {
      s.states.insert(s.states.end(), states.begin(), states.end());
    });
    checkpoints_.write(s);
  }
  store_.commit();
  if (!settings_.checkpoints.empty()) checkpoints_.keep_only(epoch_);
  if (oracle_) kept_.alerts.insert(kept_.alerts.end(), e.alerts.begin(), e.alerts.end());
  epoch_first_ = order_.next_number();
  epoch_began_ = clock::now();
}

std::optional<std::string> session::difference() {
  const accounts& names = source_.names();
  const rule_schedule& rules = schedule();
  const auto expected =
      oracle_->finish(names.size(), [&](std::uint32_t account, std::int64_t time_ms) {
        return rules.of(rules.at(time_ms), names.name_of(account));
      });
  kept_.accounts = accounts_now();
  return first_difference(kept_, expected);
}

}  // namespace txmon
