// apps/txmon/monitor.cpp - see monitor.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "monitor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "account_system.hpp"
#include "account_view.hpp"
#include "failure.hpp"
#include "lane.hpp"

namespace txmon {

struct monitor::body {
  body(const settings& given, const accounts& known)
      : s{given},
        names{known},
        actors{s.system, s.schedule->common(0), s.mailbox_slots, s.on_alert} {}

  /// Where the pace begins: the earliest event time that a lane will send. Late rows are not sent.
  std::int64_t first_ms(const batch* rows) const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const transaction& t : held) first = std::min(first, t.when());
    if (rows != nullptr) {
      auto late = rows->late.begin();  // ascending
      for (std::size_t r = 0; r < rows->rows.size(); ++r) {
        if (late != rows->late.end() && *late == r) {
          ++late;
        } else {
          first = std::min(first, rows->rows[r].when());
        }
      }
      // All of them late: what comes lies at the watermark or above.
      if (first == std::numeric_limits<std::int64_t>::max()) first = rows->watermark;
    }
    return first;
  }

  /// Lanes begin with the first block: only then is it known whether a checkpoint was restored.
  /// @param rows  that block; null: none will come
  void start_lanes(const batch* rows) {
    if (!lanes.empty()) return;
    const std::int64_t first = s.speed > 0 ? first_ms(rows) : 0;
    const std::chrono::microseconds hot{actors.shares_processors() ? 0 : 200};
    orders.emplace(s.lanes, hot);
    // all or none: who waits for a ring's readers waits for each
    std::vector<std::unique_ptr<lane>> all;
    all.reserve(s.lanes);
    for (std::uint32_t i = 0; i < s.lanes; ++i)
      all.push_back(std::make_unique<lane>(i, *orders, actors, names, s.schedule,
                                           held.empty() && !restored && !changed));
    lanes = std::move(all);
    const lane_share share{s.lanes, actors.workers()};
    for (const transaction& t : held) {
      const auto id = t.direction() == side::debit ? t.account.get() : t.counterparty.get();
      lanes[share.of(id)]->hold(t);
    }
    held.clear();
    if (s.speed > 0) {
      kept = pace{s.speed, std::chrono::steady_clock::now(), first};
      orders->push({.pace = kept});
    }
  }

  settings s;
  const accounts& names;
  account_system actors;
  std::vector<transaction> held;
  std::optional<pace> kept;
  bool restored = false;
  bool changed =
      false;  ///< before the lanes: accounts are spawned with other terms than the schedule's
  std::optional<order_ring> orders;
  std::vector<std::unique_ptr<lane>> lanes;  // last: they send to the actors
};

monitor::monitor(const settings& s, const accounts& names)
    : body_{std::make_unique<body>(s, names)} {}
monitor::~monitor() = default;

lane_share monitor::share() const { return {body_->s.lanes, body_->actors.workers()}; }

void monitor::take(std::shared_ptr<const batch> rows) {
  body& b = *body_;
  if (rows->rows.empty()) return;
  b.start_lanes(rows.get());
  b.actors.ensure(b.names.size());
  b.orders->push({.rows = std::move(rows)});
}

void monitor::change(std::shared_ptr<const rule_schedule> schedule) {
  body_->s.schedule = schedule;
  body_->changed = true;
  if (!body_->lanes.empty()) body_->orders->push({.schedule = std::move(schedule)});
}

std::optional<std::chrono::steady_clock::time_point> monitor::due(std::int64_t time_ms) const {
  if (!body_->kept) return std::nullopt;
  return body_->kept->due(time_ms);
}

void monitor::release_all() {
  body_->start_lanes(nullptr);
  body_->orders->push({.all = true});
}

void monitor::prepare(const std::function<void(std::uint64_t there)>& on_progress) {
  body_->actors.ensure(body_->names.size(), {}, on_progress);
}

void monitor::settle() {
  if (!body_->lanes.empty()) body_->orders->drain();
  body_->actors.settle();
}

std::vector<finding> monitor::rest() {
  settle();
  auto alerts = body_->actors.take_alerts();
  sort_alerts(alerts);
  return alerts;
}

std::vector<account_figures> monitor::figures_of_accounts() {
  std::vector<account_figures> out;
  each_account([&](std::span<const account> states) {
    for (const account& a : states) out.push_back(figures_of(a));
  });
  return out;
}

void monitor::each_account(const std::function<void(std::span<const account>)>& use) {
  const std::uint32_t there = body_->names.size();  // asked once: readers go on meeting names
  body_->actors.ensure(there);
  body_->actors.view(there, use);
}

std::vector<transaction> monitor::held_back() const {
  std::vector<transaction> out = body_->held;
  for (const auto& l : body_->lanes) out.insert(out.end(), l->held().begin(), l->held().end());
  std::sort(out.begin(), out.end(), handled_before);
  return out;
}

std::size_t monitor::state_bytes() { return sizeof(account); }

void monitor::each_state(const std::function<void(std::span<const std::byte>)>& use) {
  each_account([&](std::span<const account> states) { use(std::as_bytes(states)); });
}

void monitor::restore(const std::vector<transaction>& held_back,
                      std::span<const std::byte> states) {
  std::vector<account> known(states.size() / sizeof(account));
  std::memcpy(static_cast<void*>(known.data()), states.data(), known.size() * sizeof(account));
  body_->actors.ensure(static_cast<std::uint32_t>(known.size()), known);
  body_->held = held_back;
  body_->restored = true;
}

run_figures monitor::figures() const {
  return {body_->actors.system().statistics(), body_->actors.system().layout()};
}

}  // namespace txmon
