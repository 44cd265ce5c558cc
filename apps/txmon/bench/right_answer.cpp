// apps/txmon/bench/right_answer.cpp - see right_answer.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "right_answer.hpp"

#include <fmt/format.h>

#include <utility>

#include "account_view.hpp"
#include "failure.hpp"
#include "oracle.hpp"
#include "tools/perdure/samples.hpp"

namespace txmon::bench {
namespace {
constexpr std::uint32_t untouched = ~0U;
}

right_answer::right_answer(const std::vector<transaction>& rows, std::uint32_t accounts,
                           const rule_schedule& rules)
    : place_(accounts, untouched) {
  const auto number_of = [&](std::uint32_t id) {
    if (place_[id] == untouched) {
      place_[id] = static_cast<std::uint32_t>(touched_.size());
      touched_.push_back(id);
    }
    return wide32::of(place_[id]);
  };
  oracle judge;
  for (transaction t : rows) {
    t.account = number_of(t.account.get());
    t.counterparty = number_of(t.counterparty.get());
    judge.take(t);
  }
  const auto from = ::bench::steady::now();
  expected_ =
      judge.finish(static_cast<std::uint32_t>(touched_.size()),
                   [&](std::uint32_t, std::int64_t time) { return rules.common(rules.at(time)); });
  seconds_ = ::bench::seconds_since(from);
  for (finding& f : expected_.alerts) {
    f.account = touched_[f.account];
    f.counterparty = touched_[f.counterparty];
  }
}

void right_answer::expect(const std::string& who, std::vector<finding> alerts,
                          const each_state& states) const {
  outcome got, right;
  got.alerts = std::move(alerts);
  got.accounts.resize(touched_.size());
  std::uint32_t id = 0;
  const auto wrong = [&](const std::string& what) {
    throw failure{fmt::format("{} and oracle differ: {}", who, what), exit_code::different};
  };
  states([&](std::span<const account> some) {
    for (const account& a : some) {
      const std::uint32_t at = id < place_.size() ? place_[id] : untouched;
      if (at != untouched) {
        got.accounts[at] = figures_of(a);
      } else if (a.seen != 0 || a.alerted != 0) {
        wrong(fmt::format("account {} saw {} postings, expected none", id, a.seen));
      }
      ++id;
    }
  });
  if (id < place_.size()) wrong(fmt::format("{} accounts, expected {}", id, place_.size()));
  right.accounts = expected_.accounts;
  right.alerts = expected_.alerts;
  if (const auto difference = first_difference(got, right)) wrong(*difference);
}

}  // namespace txmon::bench
