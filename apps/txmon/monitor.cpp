// apps/txmon/monitor.cpp - see monitor.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "monitor.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "account.actors.hpp"
#include "failure.hpp"

namespace txmon {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t batch_size = 1024;    // postings sent at once
constexpr std::uint32_t spawn_size = 4096;  // accounts spawned at once
constexpr auto patience = 10s;              // without any progress, then it is an error

template <class T>
T checked(perdure::result<T> r, const char* what) {
  if (!r) throw failure{fmt::format("{}: {}", what, r.error().message())};
  if constexpr (!std::is_void_v<T>) return std::move(r).value();
}

perdure::options fitted(perdure::options o) {
  o.send_timeout =
      1ms;  // a full lane is no error here: the mailbox is emptied and the batch goes on
  o.stall_time =
      patience;  // an account that waits for room in the mailbox must not give its alert up
  return o;
}

account_figures figures_of(const account& a) {
  account_figures f{a.balance_cents, a.mean_cents, a.squares, a.seen, a.alerted, {}};
  for (auto i = a.tail; i != a.head; ++i) f.window_ms.push_back(a.times[i % window_slots]);
  return f;
}

}  // namespace

struct monitor::body {
  using alert_box = perdure::mailbox<alert>;

  explicit body(const settings& s)
      : limits{s.limits},
        system{checked(perdure::system::start(::account::actors(), fitted(s.system)),
                       "the actors cannot be started")},
        box{checked(system.make_mailbox<alert>(s.mailbox_slots),
                    "the mailbox for alerts cannot be made")} {
    to.reserve(batch_size);
    postings.reserve(batch_size);
  }

  perdure::ref<account> ref_of(std::uint32_t id) {
    while (id >= ranges.size() * spawn_size) {
      const auto first = static_cast<std::uint32_t>(ranges.size() * spawn_size);
      auto init = [&](std::size_t i) {
        account a;
        a.alerts = box.ref();
        a.limits = limits;
        a.id = first + static_cast<std::uint32_t>(i);
        return a;
      };
      ranges.push_back(
          checked(system.spawn<account>(spawn_size, init), "accounts cannot be spawned"));
    }
    return ranges[id / spawn_size][id % spawn_size];
  }

  void post(const transaction& t, std::uint32_t id, std::uint32_t other, side s) {
    to.push_back(ref_of(id));
    postings.push_back({t.sequence, t.time_ms, t.cents, other, s});
    if (postings.size() >= batch_size) flush();
  }

  /// Sends what is waiting. A lane without room means that accounts wait for the mailbox: empty it.
  void flush() {
    auto moved = clock::now();
    for (std::size_t done = 0; done < postings.size();) {
      const auto sent = system.send_many(std::span<const perdure::ref<account>>{to}.subspan(done),
                                         std::span<const posting>{postings}.subspan(done));
      if (!sent && sent.error().code() != perdure::errc::inbox_full)
        checked(sent, "postings cannot be sent");
      const std::size_t n = sent.value_or(std::size_t{0});
      done += n;
      if (drain() + n > 0) moved = clock::now();
      if (clock::now() - moved > patience)
        throw failure{"postings cannot be sent: nothing moved for ten seconds"};
    }
    to.clear();
    postings.clear();
  }

  /// Takes alerts until none comes for `wait`. @return how many
  std::size_t drain(std::chrono::nanoseconds wait = 0ns) {
    std::size_t all = 0;
    for (;;) {
      const auto n = checked(box.receive(letters, wait), "alerts cannot be received");
      for (const auto& l : std::span{letters}.first(n)) {
        const alert& a = l.body;
        alerts.push_back(
            {a.sequence, a.account, a.fired, a.direction, a.time_ms, a.value, a.limit});
      }
      all += n;
      if (n == 0) return all;
    }
  }

  /// Waits until nothing is queued, and until as many alerts have come as the accounts have sent.
  /// The mailbox is emptied first each time: accounts that wait for room in it cannot come to rest.
  void settle() {
    auto moved = clock::now();
    std::uint64_t last_handled = 0;
    for (std::string why = "alerts are missing";;) {
      const bool took = drain(1ms) > 0;
      const auto rest = system.quiesce(20ms);
      const auto counts = system.statistics();
      if (rest && !took && alerts.size() >= counts.to_mailboxes) return;
      if (took || counts.handled != last_handled) moved = clock::now();
      last_handled = counts.handled;
      if (!rest) {
        why = rest.error().message();
        const auto code =
            rest.error().code();  // stuck: a worker has not answered within this short wait
        if (code != perdure::errc::timeout && code != perdure::errc::stuck)
          checked(rest, "the actors do not come to rest");
      }
      if (clock::now() - moved > patience) {
        throw failure{
            fmt::format("the actors do not come to rest: nothing moved for ten seconds: {}", why)};
      }
    }
  }

  rules limits;
  perdure::system system;
  alert_box box;
  std::vector<perdure::range<account>> ranges;
  std::vector<perdure::ref<account>> to;
  std::vector<posting> postings;
  std::array<alert_box::letter_type, 256> letters{};
  std::vector<finding> alerts;
};

monitor::monitor(const settings& s) : body_{std::make_unique<body>(s)} {}
monitor::~monitor() = default;

void monitor::take(const transaction& t) {
  body_->post(t, t.debtor, t.creditor, side::debit);
  body_->post(t, t.creditor, t.debtor, side::credit);
}

outcome monitor::finish(std::uint32_t accounts) {
  body& b = *body_;
  b.flush();
  b.settle();
  const auto counts = b.system.statistics();
  if (counts.dead_total() != 0) {
    throw failure{fmt::format("{} messages were lost on the way to their accounts {}",
                              counts.dead_total(), counts.exhausted_pair)};
  }
  outcome out;
  out.accounts.reserve(accounts);
  std::vector<account> states;
  for (const auto& range : b.ranges) {
    states.resize(range.size());
    checked(b.system.view(range, std::span{states}), "the accounts cannot be read");
    for (std::size_t i = 0; i < states.size() && out.accounts.size() < accounts; ++i) {
      out.accounts.push_back(figures_of(states[i]));
    }
  }
  out.alerts = std::exchange(b.alerts, {});
  sort_alerts(out.alerts);
  return out;
}

run_figures monitor::figures() const {
  return {body_->system.statistics(), body_->system.layout()};
}

}  // namespace txmon
